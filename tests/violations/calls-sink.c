/* A sink that makes one call of the host in one operation, see calls.h. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>

#include "calls.h"

typedef struct Calls {
  const MillSinkHost *host;
  uint32_t level;
} Calls;

static int ask(const Calls *c, const char *operation)
{
  const MillSinkHost *h = c->host;
  MillValue key, json;
  bool after;
  if (!is_here(operation)) return 0;
  if (is_call("lane_member")) h->lane_member(h, 0, 0, &after, &key, &json);
  if (is_call("output")) h->output(h, "file", NULL, "x", 1);
  if (is_call("place")) h->place(h, "placed");
  ask_common(h->common);
  return 0;
}

static int calls_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  (void)options;
  Calls *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  *c = (Calls){ host, level };
  *out_instance = c;
  return ask(c, level == MILL_RUN ? "open_run" : "open");
}

static int calls_write(void *c, const MillBatch *b)
{
  (void)b;
  return ask(c, "write");
}

static int calls_results(void *c, const MillResults *results)
{
  (void)results;
  return ask(c, "results");
}

static int calls_finish(void *c) { return ask(c, "finish"); }
static int calls_begin_run(void *c) { return ask(c, "begin_run"); }
static int calls_finish_run(void *c) { return ask(c, "finish_run"); }

static void calls_close(void *instance)
{
  const Calls *c = instance;
  ask(c, c->level == MILL_RUN ? "close_run" : "close");
}

static const MillNotice notices[] = { MILL_INFO(1, "{count} call[|s]", NULL, NULL, "A call.") };
static const MillSinkOps ops = {
  .size = sizeof ops,
  .open = calls_open,
  .write = calls_write,
  .finish = calls_finish,
  .begin_run = calls_begin_run,
  .results = calls_results,
  .finish_run = calls_finish_run,
  .close = calls_close,
};
static const MillSink sink = {
  .size = sizeof sink,
  .name = "rogue." NAME,
  .format = "calls",
  .version = "1.0.0",
  .tag = "CALLW",
  .title = "Make a call",
  .help = "Makes one call in one operation.",
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "rogue", "MIT");
