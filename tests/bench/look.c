/* A stage that looks at every event and changes nothing: its cost is that of calling a stage.
   Built twice: LOOK_SORTED asks for events in time order, so that the planner inserts a sort. */
#include <stagemill/stage.h>
#include <stdlib.h>

typedef struct {
  uint64_t slices;
} Look;

static int look_open(const MillStage *self, const MillHost *host, const void *options,
                     void **out_instance)
{
  (void)self;
  (void)options;
  Look *look = calloc(1, sizeof *look);
  *out_instance = look;
  return look ? 0 : mill_fail(host, MILL_LIMIT, "no memory for one counter", NULL);
}

static int look_process(void *instance, MillBatch *batch)
{
  Look *look = instance;
  uint64_t slices = 0;
  for (uint32_t i = 0; i < batch->n_events; i++) slices += batch->events[i].kind == MILL_SLICE;
  look->slices += slices;
  return 0;
}

static void look_close(void *instance) { free(instance); }

static const MillStageOps ops = {
  .size = sizeof ops, .open = look_open, .process = look_process, .close = look_close
};

#ifdef LOOK_SORTED
static const char *const needs[] = { "order.lane", NULL };
#endif

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
#ifdef LOOK_SORTED
  .name = "bench.sorted",
  .tag = "BSORT",
  .needs = needs,
#else
  .name = "bench.look",
  .tag = "BLOOK",
#endif
  .family = "bench",
  .version = "1.0.0",
  .title = "Look at every event",
  .help = "Counts slices and reports nothing; for measuring what a stage costs.",
  .ops = &ops,
};

MILL_MODULE(stage, "stagemill", "MIT");
