/* A source; a sink of the same name stands beside it. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>

static int enter(const MillSource *self, const MillSourceHost *host, const void *given, void **out)
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

typedef struct Options {
  int64_t depth, first;
} Options;

static const MillOption options[] = {
  MILL_INT_OPTION(Options, depth, "depth", "1", NULL, NULL, "Of the source alone."),
  MILL_INT_OPTION(Options, first, "first", "1", NULL, NULL, "The other one has it, too."),
};
static const MillSourceOps ops = { .size = sizeof ops, .open = enter, .next = next };
static const MillSource source = {
  .size = sizeof source,
  .options_size = sizeof(Options),
  .name = "edge",
  .version = "1.0.0",
  .tag = "EDGE",
  .title = "Reads edges",
  .help = "For tests only.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "stagemill", "MIT");
