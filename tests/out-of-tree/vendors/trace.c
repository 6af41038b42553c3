/* Writes NAME.txt, which says how many metrics there are.  Its format is `trace`, as that of others, or FORMAT. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>
#include <stdio.h>
#include <string.h>

#ifndef FORMAT
#define FORMAT "trace"
#endif

static int trace_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  const MillSinkHost **instance = mill_new(host->common, sizeof *instance);
  if (!instance) return -MILL_LIMIT;
  *instance = host;
  *out_instance = instance;
  return 0;
}

static int trace_results(void *instance, const MillResults *results)
{
  const MillSinkHost *host = *(const MillSinkHost **)instance;
  char text[64];
  snprintf(text, sizeof text, "%u metrics\n", (unsigned)results->n_metrics);
  return host->output(host, NAME ".txt", "", text, strlen(text));
}

static const MillSinkOps ops = {
  .size = sizeof ops,
  .open = trace_open,
  .results = trace_results,
};
static const MillSink sink = {
  .size = sizeof sink,
  .name = NAME,
  .format = FORMAT,
  .version = "1.0.0",
  .tag = TAG,
  .title = "Say how many metrics there are",
  .help = "Its format has a name that others have, too.",
  .ops = &ops,
};
MILL_SINK_MODULE(sink, VENDOR, "MIT");
