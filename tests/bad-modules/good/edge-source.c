/* A source; a sink of the same name stands beside it. */
#include <stagemill/stage.h>

static int enter(const MillStage *self, const MillHost *host, const void *given, void **out)
{
  (void)self, (void)host, (void)given;
  *out = NULL;
  return 0;
}
static int next(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static void leave(void *instance) { (void)instance; }

static const MillSourceOps ops = {
  .size = sizeof ops, .open = enter, .next = next, .close = leave
};
static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_SOURCE,
  .name = "edge",
  .family = "edge",
  .version = "1.0.0",
  .tag = "EDGE",
  .title = "Reads edges",
  .help = "For tests only.",
  .ops = &ops,
};
MILL_MODULE(stage, "tests", "MIT");
