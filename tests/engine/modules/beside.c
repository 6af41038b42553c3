/* A stage of whole scope: after every event comes another one, on a row of its own in the same lane. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Beside {
  const MillStageHost *host;
  MillSym name;
} Beside;

static int beside_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self;
  (void)options;
  (void)level;
  Beside *b = mill_new(host->common, sizeof *b);
  if (!b) return -MILL_LIMIT;
  b->host = host;
  b->name = host->common->intern(host->common, "beside", 6);
  *out_instance = b;
  return 0;
}

static int beside_process(void *instance, MillBatch *batch)
{
  const Beside *b = instance;
  uint32_t n = batch->n_events;
  for (uint32_t i = 0; i < n; i++) {
    const MillEvent *e = b->host->event(b->host, batch, i);
    MillEvent more = { .ts_ns = e->ts_ns, .name = b->name, .kind = MILL_SLICE };
    more.track = b->host->track_beside(b->host, e->track, mill_int(7), mill_int(8));
    if (more.track == MILL_FAILED) return -MILL_STAGE_FAILED;
    if (b->host->emit(b->host, batch, i, &more) == MILL_FAILED) return -MILL_STAGE_FAILED;
  }
  return 0;
}

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = beside_open,
                                  .process = beside_process };
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_MAY_EMIT,
  .name = "beside",
  .family = "test",
  .version = "1.0.0",
  .tag = "BESIDE",
  .title = "Put an event beside each",
  .help = "Each event gets another one in its lane.",
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
