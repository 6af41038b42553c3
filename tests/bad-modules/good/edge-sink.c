/* A sink; a source of the same name stands beside it. */
#include <stagemill/sink.h>

static int enter(const MillSink *self, const MillSinkHost *host, uint32_t level, const void *given,
                 void **out)
{
  (void)self, (void)host, (void)level, (void)given;
  *out = NULL;
  return 0;
}
static int write_batch(void *instance, const MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}

static const MillSinkOps ops = { .size = sizeof ops, .open = enter, .write = write_batch };
static const MillSink sink = {
  .size = sizeof sink,
  .name = "edge",
  .format = "edge",
  .version = "1.0.0",
  .tag = "EDGE",
  .title = "Writes edges",
  .help = "For tests only.",
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "stagemill", "MIT");
