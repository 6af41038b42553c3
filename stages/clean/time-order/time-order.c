/* Asks for events in order of time and does nothing else: the planner sorts before a stage that
 * needs order.lane, where the input does not come sorted.  For profiles whose other stages do
 * not care and whose trace should be sorted. */
#include <stagemill/stage.h>

static int time_order_open(const MillStage *self, const MillHost *host, const void *options,
                           void **out_instance)
{
  (void)self, (void)options;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int time_order_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static void time_order_close(void *instance) { (void)instance; }

static const char *const needs[] = { "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = time_order_open,
  .process = time_order_process,
  .close = time_order_close,
};

/* Not read-only although it changes no event: what leaves it is another trace than what came. */
static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .name = "time-order",
  .family = "clean",
  .version = "1.0.0",
  .tag = "ORDER",
  .title = "Put events into the order of time",
  .help = "Events of each lane leave in the order of their start; of those that start together the "
          "longest comes first, and "
          "then they stay as they were. Events without a time come before all others. Sorting "
          "holds the lane; beyond "
          "--max-memory it goes to a temporary file.",
  .needs = needs,
  .ops = &ops,
};
MILL_MODULE(stage, "stagemill", "MIT");
