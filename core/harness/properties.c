/* The same case in other manners must give the same result. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "harness-internal.h"
#include "plan/reread.h"

static void compare_texts(const HarnessRun *r, const char *reference, const char *what,
                          GPtrArray *broken)
{
  g_autofree char *text = harness_run_text(r);
  harness_compare_texts(text, reference, what, broken);
}

static void check_manner(HarnessCase *c, const char *reference, HarnessManner manner,
                         const char *what, GPtrArray *broken)
{
  HarnessRun *r = harness_run(c, &manner);
  compare_texts(r, reference, what, broken);
  harness_run_free(r);
}

/* What one process saves is loaded by others, in which every text has another number. */
static void check_symbols(HarnessCase *c, const HarnessRun *r, const char *reference,
                          GPtrArray *broken)
{
  HarnessManner manner = r->manner;
  manner.other_symbols = true;
  HarnessRun *other = harness_run(c, &manner);
  bool same = r->saved->len == other->saved->len &&
              (!r->saved->len || !memcmp(r->saved->data, other->saved->data, r->saved->len));
  compare_texts(other, reference, "another order of symbols", broken);
  if (!same)
    g_ptr_array_add(broken, g_strdup("what it saves depends on the numbers of symbols: save texts, "
                                     "in an order of texts"));
  harness_run_free(other);
}

static void check_replay(HarnessCase *c, const char *reference, GPtrArray *broken)
{
  HarnessManner manner = harness_again;
  manner.replay = true;
  HarnessRun *r = harness_run(c, &manner);
  compare_texts(r, reference, "going on in a fresh instance", broken);
  check_symbols(c, r, reference, broken);
  harness_run_free(r);
}

/* Little or no input is nothing that a stage may fail over; that it lacks what an option asks for may be said. */
static void check_small(HarnessCase *c, uint32_t max_events, GPtrArray *broken)
{
  HarnessManner manner = harness_again;
  manner.max_events = max_events;
  HarnessRun *r = harness_run(c, &manner);
  if (r->error && r->error->status != EXIT_INPUT) {
    g_autofree char *text = harness_error_text(r->error);
    g_ptr_array_add(broken,
                    g_strdup_printf("with %u events a lane it fails: %s", max_events, text));
  }
  harness_run_free(r);
}

static void check_batches(HarnessCase *c, const char *reference, GPtrArray *broken)
{
  HarnessManner ones = harness_again, sevens = harness_again;
  ones.batch_events = 1;
  sevens.batch_events = 7;
  check_manner(c, reference, ones, "a batch size of 1", broken);
  check_manner(c, reference, sevens, "a batch size of 7", broken);
}

/* Which lane fails first is left to chance. */
static void check_lanes(HarnessCase *c, const char *reference, GPtrArray *broken)
{
  HarnessManner backwards = harness_again, jobs = harness_again;
  if (c->lanes->len < 2 && c->descriptor->kind != MILL_KIND_SOURCE) return;
  backwards.backwards = true;
  jobs.jobs = 4;
  check_manner(c, reference, backwards, "serving lanes from the last one on", broken);
  check_manner(c, reference, jobs, "running with 4 jobs", broken);
}

/* Every guess of where an event begins is a fork's first byte somewhere, and the end of another's. */
static void check_chunks(HarnessCase *c, const char *reference, GPtrArray *broken)
{
  static const uint32_t sizes[] = { 3, 40 };
  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
    HarnessManner manner = harness_again;
    manner.batch_events = 1; /* so that the first call does not read all */
    manner.jobs = 4;
    manner.chunk_bytes = sizes[i];
    g_autofree char *what =
        g_strdup_printf("reading each input in pieces of %u bytes, by 4 threads,", sizes[i]);
    check_manner(c, reference, manner, what, broken);
  }
}

static void check_good(HarnessCase *c, const HarnessRun *r, const char *reference,
                       GPtrArray *broken)
{
  check_lanes(c, reference, broken);
  if (c->descriptor->kind == MILL_KIND_SOURCE) {
    if (c->descriptor->source_ops->fork) check_chunks(c, reference, broken);
  } else {
    check_small(c, 0, broken);
    check_small(c, 1, broken);
  }
  if (c->descriptor->kind != MILL_KIND_STAGE) return;
  if (reread_replays(c->descriptor)) check_replay(c, reference, broken);
  harness_check_merging(r, broken);
  harness_check_shards(c, r, broken);
}

GPtrArray *harness_broken_properties(HarnessCase *c)
{
  GPtrArray *broken = g_ptr_array_new_with_free_func(g_free);
  const HarnessRun *r = harness_outcome();
  g_autofree char *reference = harness_run_text(r);
  if (harness_broken_rule(r->error)) return broken;
  check_batches(c, reference, broken);
  check_symbols(c, r, reference, broken);
  if (!r->error) check_good(c, r, reference, broken);
  return broken;
}
