/* A source that claims every input, and writes the file $GREEDY_WAS_ASKED whenever it is asked. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>
#include <stdio.h>
#include <stdlib.h>

static int greedy_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  const char *path = getenv("GREEDY_WAS_ASKED");
  FILE *file = path ? fopen(path, "w") : NULL;
  (void)self, (void)bytes, (void)len, (void)name;
  if (file) fclose(file);
  return 95;
}

static int greedy_open(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)host, (void)options;
  *out_instance = NULL;
  return 0;
}

static int greedy_next(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return MILL_NEXT_END;
}

static const char *const provides[] = { "slices", NULL };
static const MillSourceOps ops = {
  .size = sizeof ops,
  .probe = greedy_probe,
  .open = greedy_open,
  .next = greedy_next,
};
static const MillSource source = {
  .size = sizeof source,
  .name = "acme.greedy",
  .version = "1.0.0",
  .tag = "GREEDY",
  .title = "Claim every input",
  .help = "For testing that it is not asked.",
  .provides = provides,
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "acme", "MIT");
