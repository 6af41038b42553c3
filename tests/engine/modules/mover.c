/* A stage of lane scope that moves the base of its lane, and the times with it: they stay when they were.  Where
 * no base is known it says that it is 0. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t by_ns;
} Options;
typedef struct Mover {
  const MillStageHost *host;
  int64_t by_ns;
} Mover;

static int mover_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Mover *m = mill_new(host->common, sizeof *m);
  if (!m) return -MILL_LIMIT;
  *m = (Mover){ host, ((const Options *)options)->by_ns };
  *out_instance = m;
  return 0;
}

static int mover_observe(void *instance, const MillBatch *b)
{
  (void)instance;
  (void)b;
  return 0;
}

static int mover_decide(void *instance)
{
  const Mover *m = instance;
  MillLane lane = { .size = sizeof lane };
  m->host->common->lane(m->host->common, MILL_NO_LANE, &lane);
  int64_t base_ns = lane.base_ns == MILL_NO_BASE ? 0 : lane.base_ns;
  return m->host->move_base(m->host, base_ns + m->by_ns);
}

static int mover_process(void *instance, MillBatch *b)
{
  const Mover *m = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!(b->events[i].flags & MILL_FLAG_NO_TS))
      mill_set_ts(&mill_events(b)[i], b->events[i].ts_ns - m->by_ns);
  return 0;
}

static const MillOption options[] = {
  MILL_INT_OPTION(Options, by_ns, "by", "0", NULL, "ns", "By how much"),
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = mover_open,
  .observe = mover_observe,
  .decide = mover_decide,
  .process = mover_process,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MOVES_BASE,
  .options_size = sizeof(Options),
  .name = "mover",
  .family = "test",
  .version = "1.0.0",
  .tag = "MOVER",
  .title = "Move the base",
  .help = "Moves the base.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
