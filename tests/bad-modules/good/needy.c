/* A stage with an option that has no default. */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t clock;
} Options;

static int enter(const MillStage *self, const MillHost *host, const void *given, void **out)
{
  (void)self, (void)host, (void)given;
  *out = NULL;
  return 0;
}
static int work(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static void leave(void *instance) { (void)instance; }

static const MillOption options[] = {
  MILL_OPTION_ROW(MILL_OPT_INT, MILL_FIELD(Options, clock, int64_t), MILL_OPTION_REQUIRED, "clock",
                  NULL, "1:", "MHz", "Clock of the device."),
};
static const MillStageOps ops = {
  .size = sizeof ops, .open = enter, .process = work, .close = leave
};
static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .name = "needy",
  .family = "thermal",
  .version = "1.0.0",
  .tag = "NEED",
  .title = "Needy",
  .help = "For tests only.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .ops = &ops,
};
MILL_MODULE(stage, "tests", "MIT");
