/* A sink; a source of the same name stands beside it. */
/* SPDX-License-Identifier: MIT */
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

typedef struct Options {
  int64_t width, first;
} Options;

static const MillOption options[] = {
  MILL_INT_OPTION(Options, width, "width", "1", NULL, NULL, "Of the sink alone."),
  MILL_INT_OPTION(Options, first, "first", "1", NULL, NULL, "The other one has it, too."),
};
static const MillSinkOps ops = { .size = sizeof ops, .open = enter, .write = write_batch };
static const MillSink sink = {
  .size = sizeof sink,
  .options_size = sizeof(Options),
  .name = "edge",
  .format = "edge",
  .version = "1.0.0",
  .tag = "EDGE",
  .title = "Writes edges",
  .help = "For tests only.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "stagemill", "MIT");
