/* A stage with an option that has no default. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t clock;
} Options;

static int enter(const MillStage *self, const MillStageHost *host, uint32_t level,
                 const void *given, void **out)
{
  (void)self, (void)host, (void)level, (void)given;
  *out = NULL;
  return 0;
}
static int work(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}

static const MillOption options[] = {
  MILL_OPTION(Options, clock, int64_t, MILL_OPT_INT, MILL_OPTION_REQUIRED, "clock", NULL,
              "1:", "MHz", "Clock of the device."),
};
static const MillStageOps ops = { .size = sizeof ops, .open = enter, .process = work };
static const MillStage stage = {
  .size = sizeof(MillStage),
  .scope = MILL_SCOPE_LANE,
  .options_size = sizeof(Options),
  .name = "needy",
  .family = "thermal",
  .version = "1.0.0",
  .tag = "NEED",
  .title = "Needy",
  .help = "For tests only.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
