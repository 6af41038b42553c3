/* A stage that says what is not so.  LIE: 1, it changes what it promised to leave alone; 2, its name has no vendor;
 * 3, it is of another interface; 4, it reports a table that it did not declare. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Liar {
  const MillStageHost *host;
} Liar;

static int liar_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Liar *l = mill_new(host->common, sizeof *l);
  if (!l) return -MILL_LIMIT;
  l->host = host;
  *out_instance = l;
  return 0;
}

static int liar_process(void *instance, MillBatch *b)
{
  (void)instance;
  if (LIE == 1 && b->n_events) mill_set_dur(&mill_events(b)[0], 7);
  return 0;
}

static int liar_report(void *instance)
{
  const Liar *l = instance;
  const MillValue cell = mill_int(1);
  return LIE == 4 ? l->host->cells(l->host, 3, &cell, 1) : 0;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = liar_open,
  .process = liar_process,
  .report = liar_report,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = LIE == 2 ? "liar" : "acme.liar",
  .family = "acme",
  .version = "1.0.0",
  .tag = "LIAR",
  .title = "Say what is not so",
  .help = "For testing that it is found out.",
  .ops = &ops,
};
#if LIE == 3
#undef MILL_ABI
#define MILL_ABI (2u << 16)
#endif
MILL_STAGE_MODULE(stage, "acme", "MIT");
