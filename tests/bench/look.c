/* A stage that looks at every event and changes nothing: its cost is that of calling a stage.
   Built three times: LOOK_SORTED asks for events in time order, so that the planner inserts a sort; LOOK_TWICE
   looks in two phases. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct {
  uint64_t slices;
} Look;

static int look_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  (void)options;
  *out_instance = mill_new(host->common, sizeof(Look));
  return *out_instance ? 0 : -MILL_LIMIT;
}

static int look_process(void *instance, MillBatch *batch)
{
  Look *look = instance;
  uint64_t slices = 0;
  for (uint32_t i = 0; i < batch->n_events; i++) slices += batch->events[i].kind == MILL_SLICE;
  look->slices += slices;
  return 0;
}

#ifdef LOOK_TWICE
static int look_observe(void *instance, const MillBatch *batch)
{
  return look_process(instance, (MillBatch *)batch);
}
#endif

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = look_open,
#ifdef LOOK_TWICE
                                  .observe = look_observe,
#endif
                                  .process = look_process };

#ifdef LOOK_SORTED
#define LOOK_NAME "sorted"
#define LOOK_TAG "BSORT"
static const char *const needs[] = { "order.lane", NULL };
#elif defined LOOK_TWICE
#define LOOK_NAME "twice"
#define LOOK_TAG "BTWICE"
static const char *const needs[] = { NULL };
#else
#define LOOK_NAME "look"
#define LOOK_TAG "BLOOK"
static const char *const needs[] = { NULL };
#endif

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "bench." LOOK_NAME,
  .family = "bench",
  .version = "1.0.0",
  .tag = LOOK_TAG,
  .title = "Look at every event",
  .help = "Counts slices and reports nothing; for measuring what a stage costs.",
  .needs = needs,
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "bench", "MIT");
