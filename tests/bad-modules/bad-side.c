/* A source whose side inputs have a label that nobody can type. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>

static int call(const MillSource *self, const MillSourceHost *host, const void *options, void **out)
{
  (void)self, (void)host, (void)options;
  *out = NULL;
  return 0;
}
static int next(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return MILL_NEXT_END;
}
static const MillSourceOps ops = { .size = sizeof ops, .open = call, .next = next };
static const MillSource source = {
  .size = sizeof source,
  .name = "bad-side",
  .version = "1.0.0",
  .tag = "SIDE",
  .title = "Reads what is beside traces",
  .help = "For tests only.",
  .side = "a log",
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "stagemill", "MIT");
