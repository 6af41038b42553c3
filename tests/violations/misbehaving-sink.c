/* A sink that breaks its contract in the one way that VIOLATION names; built once for each. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>

enum {
  POSITIVE_WRITE,
  POSITIVE_RESULTS,
  POSITIVE_FINISH,
  FILE_ELSEWHERE,
  SILENT_SINK,
  PLACE_LEFT_EMPTY
};

static int sink_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  (void)options;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int sink_write(void *instance, const MillBatch *b)
{
  const MillSinkHost *h = instance;
  (void)b;
  if (VIOLATION == FILE_ELSEWHERE) return h->output(h, "../stolen", NULL, "x", 1);
  if (VIOLATION == SILENT_SINK) return -1;
  /* A format that was asked for and writes nothing is an error by itself. */
  int status = h->output(h, "rows", NULL, "x", 1);
  return status ? status : VIOLATION == POSITIVE_WRITE;
}

static int sink_finish(void *instance)
{
  (void)instance;
  return VIOLATION == POSITIVE_FINISH;
}

static int sink_results(void *instance, const MillResults *results)
{
  const MillSinkHost *h = instance;
  (void)results;
  if (VIOLATION == PLACE_LEFT_EMPTY) return h->place(h, "left-empty") ? 0 : -1;
  return VIOLATION == POSITIVE_RESULTS;
}

static const MillSinkOps ops = { .size = sizeof ops,
                                 .open = sink_open,
                                 .write = sink_write,
                                 .finish = sink_finish,
                                 .results = sink_results };
static const MillSink sink = {
  .size = sizeof sink,
  .name = "rogue." NAME,
  .format = NAME,
  .version = "1.0.0",
  .tag = "ROGUEW",
  .title = "Break the contract",
  .help = "Breaks one promise.",
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "rogue", "MIT");
