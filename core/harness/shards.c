/* The case in two shares through a folder, as several processes read a run: the last one must give the same results. */
/* SPDX-License-Identifier: MIT */
#include "harness-internal.h"
#include "plan/rounds.h"

enum { N_SHARDS = 2 };

static char *text_of(HarnessCase *c, HarnessManner manner)
{
  HarnessRun *r = harness_run(c, &manner);
  char *text = harness_run_text(r);
  harness_run_free(r);
  return text;
}

/* Texts get other numbers in the other share. */
static void run_share(HarnessCase *c, const char *state, uint32_t index, GPtrArray *broken)
{
  HarnessManner manner = harness_again;
  manner.no_events = true;
  manner.other_symbols = index > 0;
  manner.state = state;
  manner.shard = (Shard){ index, N_SHARDS };
  HarnessRun *r = harness_run(c, &manner);
  if (r->error) {
    g_autofree char *why = harness_error_text(r->error);
    g_ptr_array_add(broken, g_strdup_printf("a share of the lanes fails: %s", why));
  }
  harness_run_free(r);
}

static bool can_be_shared(const HarnessCase *c, const Plan *plan)
{
  return c->lanes->len > 1 && plan->stages[0].stage->scope != MILL_SCOPE_WHOLE;
}

void harness_check_shards(HarnessCase *c, const HarnessRun *plain, GPtrArray *broken)
{
  const Plan *plan = plain->run->plan;
  if (!can_be_shared(c, plan)) return;
  HarnessManner whole = harness_again;
  whole.no_events = true;
  g_autofree char *reference = text_of(c, whole), *state = harness_state_path(c);
  for (uint32_t i = 0; i < plan_rounds(plan) * N_SHARDS; i++)
    run_share(c, state, i % N_SHARDS, broken);
  whole.state = state;
  g_autofree char *text = text_of(c, whole);
  harness_compare_texts(text, reference, "sharing the lanes through a folder", broken);
  harness_remove_folder(state);
}
