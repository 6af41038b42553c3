/* Asks for events in order of time and does nothing else: the planner sorts before a stage that
 * needs order.lane, where the input does not come sorted.  For profiles whose other stages do
 * not care and whose trace should be sorted. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

static int time_order_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int time_order_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static const char *const needs[] = { "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = time_order_open,
  .process = time_order_process,
};

/* Not read-only although it changes no event: what leaves it is another trace than what came. */
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .name = "time-order",
  .family = "clean",
  .version = "1.0.0",
  .tag = "ORDER",
  .title = "Sort events by time",
  .help = "Sorts the events of each input by their start. If several start together, the longest "
          "comes first; otherwise they keep their order. Events without a time come first. Sorting "
          "holds all events of an input; beyond --max-memory they go to a temporary file.",
  .needs = needs,
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
