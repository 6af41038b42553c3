/* How many kernels are being prepared at a time: a counter in place of the slices of their preparation, which overlap
 * as deep as the queue is. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "compute/lib/level.h"
#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/state/symclass.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"

enum { NOTICE_NO_END = 1 };

typedef struct Options {
  bool keep;
} Options;

typedef struct PrepQueue {
  const MillStageHost *host;
  const MillHost *common;
  bool keep;
  SymClass names;
  Level level;
} PrepQueue;

static int prep_queue_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level;
  PrepQueue *q = instance_new(PrepQueue, host, out_instance);
  if (!q) return -MILL_LIMIT;
  q->keep = ((const Options *)options)->keep;
  q->level = (Level){ .host = host,
                      .name = symbol_of(q->common, "ConcurrentPreps"),
                      .cat = symbol_of(q->common, "Pending Prep Events"),
                      .key = symbol_of(q->common, "Concurrency") };
  return 0;
}

static bool says_prep(const char *name, size_t len)
{
  return words_end_with(name, len, "Cmpt Prep");
}

static bool is_prep(PrepQueue *q, const MillEvent *e)
{
  return e->kind == MILL_SLICE && symclass_is(q->common, &q->names, e->name, says_prep);
}

static int take(PrepQueue *q, MillBatch *b, uint32_t index)
{
  MillEvent *e = &mill_events(b)[index];
  if (e->dur_ns < 0) {
    q->common->note(q->common, NOTICE_NO_END, b, index, NULL, 0);
    return 0;
  }
  int status = level_open(&q->level, e, 1);
  if (status >= 0 && !q->keep) mill_drop(e);
  return status;
}

static int prep_queue_process(void *instance, MillBatch *b)
{
  PrepQueue *q = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status >= 0; i++) {
    if (b->events[i].flags & MILL_FLAG_NO_TS) {
      if (is_prep(q, &b->events[i])) q->common->note(q->common, NOTICE_NO_END, b, i, NULL, 0);
      continue;
    }
    status = level_reach(&q->level, b, i);
    if (status >= 0 && is_prep(q, &b->events[i])) status = take(q, b, i);
  }
  return status;
}

static int prep_queue_flush(void *instance, MillBatch *b)
{
  PrepQueue *q = instance;
  return level_finish(&q->level, b);
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = prep_queue_open,
  .process = prep_queue_process,
  .flush = prep_queue_flush,
};

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, keep, "keep", "false", "Keep the slices beside the counter"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_NO_END, "{count} slice[|s] of preparation in {lane} [has|have] no time or no duration",
      "the counter ConcurrentPreps leaves [it|them] out, and the slices stay",
      "check how the trace was written: such slices lack ts or dur, or have a negative one",
      "A kernel is in the queue from the begin to the end of its slice of preparation (Cmpt Prep). "
      "Without these times the kernel cannot be counted, so the counter is too low at that time. "
      "The slice is not changed."),
};

static const char *const needs[] = { "slices", "order.lane", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "prep-queue",
  .family = "compute",
  .version = "1.0.0",
  .tag = "PREPQ",
  .title = "Count how many kernels are being prepared",
  .help = "Turns slices whose name ends in Cmpt Prep into the counter ConcurrentPreps, the number "
          "of these slices at each time.",
  .needs = needs,
  OWN_ROWS(options, notices),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
