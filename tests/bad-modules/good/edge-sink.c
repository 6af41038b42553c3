/* A sink; a source of the same name stands beside it. */
#include <stagemill/stage.h>

static int enter(const MillStage *self, const MillHost *host, const void *given, void **out)
{
  (void)self, (void)host, (void)given;
  *out = NULL;
  return 0;
}
static int write_batch(void *instance, const MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static void leave(void *instance) { (void)instance; }

static const MillSinkOps ops = {
  .size = sizeof ops, .open = enter, .write = write_batch, .close = leave
};
static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_SINK,
  .name = "edge",
  .family = "edge",
  .version = "1.0.0",
  .tag = "EDGE",
  .title = "Writes edges",
  .help = "For tests only.",
  .ops = &ops,
};
MILL_MODULE(stage, "tests", "MIT");
