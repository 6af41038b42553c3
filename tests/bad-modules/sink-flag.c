/* A sink with a flag that this program does not know. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>

static int call(const MillSink *self, const MillSinkHost *host, uint32_t level, const void *options,
                void **out)
{
  (void)self, (void)host, (void)level, (void)options;
  *out = NULL;
  return 0;
}
static int put(void *instance, const MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static const MillSinkOps ops = { .size = sizeof ops, .open = call, .write = put };
static const MillSink sink = {
  .size = sizeof sink,
  .flags = MILL_READS_RAW | 1u << 31,
  .name = "sink-flag",
  .format = "edge",
  .version = "1.0.0",
  .tag = "FLAG",
  .title = "Writes edges",
  .help = "For tests only.",
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "stagemill", "MIT");
