/* Where the time of each step of a rank goes, and why its devices are idle.  Events may come in any order.  Memory: 64 bytes
 * for each piece of device work, 24 for each operator that is in no other one, 144 for each collective call. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"
#include "tables.h"

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"
#include "kit/trace/tree-attrs.h"

enum { FEW_STEPS = 1, FRAMES };

typedef struct Options {
  int64_t sync_slack_ns;
  MillList by;
} Options;

static int parts_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  StepParts *p = instance_new(StepParts, host, out_instance);
  if (!p) return -MILL_LIMIT;
  p->facts.sync_slack_ns = ((const Options *)options)->sync_slack_ns;
  return facts_open(&p->facts, host) ? 0 : -MILL_LIMIT;
}

static int parts_process(void *instance, MillBatch *b)
{
  return facts_see(&((StepParts *)instance)->facts, b) ? 0 : -MILL_LIMIT;
}

static void note_few_steps(const Facts *f)
{
  const MillNamed values[] = { { "steps", mill_int((int64_t)f->n_steps) } };
  if (f->windows.has_steps && f->n_steps < STEPS_JUDGED)
    f->common->note(f->common, FEW_STEPS, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static int parts_flush(void *instance, MillBatch *b)
{
  StepParts *p = instance;
  (void)b;
  if (!facts_close(&p->facts)) return -MILL_LIMIT;
  note_few_steps(&p->facts);
  return 0;
}

/* ---- saved state */

static int parts_save_result(void *instance)
{
  StepParts *p = instance;
  if (facts_learn_frames(&p->facts))
    p->facts.common->note(p->facts.common, FRAMES, NULL, MILL_NO_EVENT, NULL, 0);
  state_save(p->host, &step_facts_state, &p->facts);
  return 0;
}

/* The groups are counted: rules that judge one run say nothing of several at once. */
static int parts_merge_result(void *instance)
{
  StepParts *p = instance;
  if (!p->n_groups && (p->n_groups = p->host->shared_count(p->host))) ++*p->n_groups;
  return state_merge(p->host, &step_facts_state, &p->facts) ? 0 : -MILL_LIMIT;
}

/* ---- results */

static int report_gaps(const Facts *f)
{
  const KeyedEntry *const *entries = keyed_sorted(f->gaps);
  int status = entries ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(f->gaps); i++) {
    const GapSum *sum = entries[i]->state;
    const GapRow row = { .cause = cause_names[sum->cause],
                         .name = sum->name,
                         .gaps = sum->gaps,
                         .time_ns = sum->time_ns,
                         .longest_ns = sum->longest_ns };
    status = mill_row(f->host, TABLE_GAPS, &row);
  }
  return status;
}

static int parts_report(void *instance)
{
  const Facts *f = &((StepParts *)instance)->facts;
  int status = report_gaps(f);
  const KeyedEntry *const *entries = keyed_sorted(f->allocations);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(f->allocations); i++) {
    const CallSum *sum = entries[i]->state;
    const AllocationRow row = { .name = { entries[i]->key, entries[i]->len },
                                .calls = sum->calls,
                                .time_ns = sum->time_ns };
    status = mill_row(f->host, TABLE_ALLOCATIONS, &row);
  }
  return status;
}

static int parts_report_run(void *instance)
{
  StepParts *p = instance;
  const int status = arrivals_report(p);
  return status == 0 ? steps_report(p) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_DURATION_OPTION(
      Options, sync_slack_ns, "sync-slack", "5us", "0:1s",
      "A gap that begins this long after a call that waited for the device is still its doing"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(FEW_STEPS, "{lane} has only {steps} step[|s]", "rules do not judge where its time goes",
            "record five steps or more, after warm-up: torch.profiler.schedule(wait=1, warmup=1, "
            "active=5)",
            "Findings speak of what is usual in a step, and one of a few steps may be unusual. "
            "Without any step, all of the trace is taken as one."),
  MILL_INFO(FRAMES, "{lane} has frames of Python", "rules do not judge where its time goes",
            "record without them: torch.profiler.profile(with_stack=False)",
            "The profiler slows the host down for each frame that it records, so that devices wait "
            "for launches which are not slow otherwise."),
};

static const MillRead reads[] = { TREE_READ(TREE_CALL_START), TREE_READ(TREE_CALL_DUR),
                                  TREE_READ(TREE_TRACK), TREE_READ(TREE_STEP), CALLS_READS };

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.step-parts",       "table.step-spans",
                                        "table.step-copies",      "table.step-collectives",
                                        "table.arrivals",         "table.gap-causes",
                                        "table.allocation-calls", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = parts_open,
  .process = parts_process,
  .flush = parts_flush,
  .report = parts_report,
  .save_result = parts_save_result,
  .merge_result = parts_merge_result,
  .report_run = parts_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "step-parts",
  .family = "torch",
  .version = "1.0.0",
  .tag = "PARTS",
  .title = "Where each step's time goes, and why devices are idle",
  .help = "Divides each step of a rank into computation, exposed communication, exposed copies and "
          "idle time; waiting for the last rank of a collective is told from its transfer, and "
          "each idle time has a cause.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
