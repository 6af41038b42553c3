/* A stage that makes one call of the host in one operation, see calls.h; built for scope lane and for scope run. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "calls.h"

typedef struct Calls {
  const MillStageHost *host;
  uint32_t level;
} Calls;

typedef struct Row {
  int64_t n;
} Row;

static void ask_events(const MillStageHost *h, MillBatch *b)
{
  MillEvent e = { .kind = MILL_INSTANT, .dur_ns = -1 };
  if (b && b->n_events) e = b->events[0];
  if (is_call("event")) h->event(h, b, 0);
  if (is_call("set")) h->set(h, b, 0, 0, mill_int(1));
  if (is_call("emit")) h->emit(h, b, MILL_AT_END, &e);
  if (is_call("keep")) h->keep(h, b, 0);
  if (is_call("emit_kept")) h->emit_kept(h, b, MILL_AT_END, 1);
  if (is_call("drop_kept")) h->drop_kept(h, 1);
  if (is_call("track")) h->track(h, mill_int(1), mill_int(1));
  if (is_call("track_beside")) h->track_beside(h, 0, mill_int(1), mill_int(1));
  if (is_call("move_base")) h->move_base(h, 5);
}

static void ask_summaries(const MillStageHost *h)
{
  size_t len;
  if (is_call("put_int")) h->put_int(h, 1);
  if (is_call("put_real")) h->put_real(h, 1);
  if (is_call("put_text")) h->put_text(h, "x", 1);
  if (is_call("get_int")) h->get_int(h);
  if (is_call("get_real")) h->get_real(h);
  if (is_call("get_text")) h->get_text(h, &len);
  if (is_call("get_more")) h->get_more(h);
  if (is_call("get_count")) h->get_count(h, 1);
  if (is_call("shared_count")) h->shared_count(h);
}

static int ask(const Calls *c, const char *operation, const MillBatch *b)
{
  const MillStageHost *h = c->host;
  MillValue cell = mill_int(1), key, json;
  const Row row = { 1 };
  bool after;
  if (!is_here(operation)) return 0;
  ask_events(h, (MillBatch *)(uintptr_t)b);
  ask_summaries(h);
  if (is_call("cells")) h->cells(h, c->level == MILL_RUN, &cell, 1);
  if (is_call("row")) mill_row(h, c->level == MILL_RUN, &row);
  if (is_call("metric")) h->metric(h, c->level == MILL_RUN, NULL, cell, 1);
  if (is_call("lane_member")) h->lane_member(h, 0, &after, &key, &json);
  if (is_call("has_fact")) h->has_fact(h, "events");
  if (is_call("no_metric")) h->no_metric(h, c->level == MILL_RUN, NULL, "why");
  ask_common(h->common);
  return 0;
}

static int calls_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  (void)options;
  Calls *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  *c = (Calls){ host, level };
  *out_instance = c;
  return ask(c, level == MILL_RUN ? "open_run" : "open", NULL);
}

static int calls_observe(void *c, const MillBatch *b) { return ask(c, "observe", b); }
static int calls_process(void *c, MillBatch *b) { return ask(c, "process", b); }
static int calls_flush(void *c, MillBatch *b) { return ask(c, "flush", b); }
static int calls_decide(void *c) { return ask(c, "decide", NULL); }
static int calls_report(void *c) { return ask(c, "report", NULL); }
static int calls_report_run(void *c) { return ask(c, "report_run", NULL); }

/* Summaries hold one integer, so that there is something to merge. */
static int put(const Calls *c, const char *operation)
{
  c->host->put_int(c->host, 1);
  return ask(c, operation, NULL);
}
static int calls_save_observed(void *c) { return put(c, "save_observed"); }
static int calls_save_decision(void *c) { return put(c, "save_decision"); }
static int calls_save_result(void *c) { return put(c, "save_result"); }
static int calls_merge_observed(void *c) { return ask(c, "merge_observed", NULL); }
static int calls_merge_result(void *c) { return ask(c, "merge_result", NULL); }
static int calls_decide_run(void *c) { return ask(c, "decide_run", NULL); }
static int calls_load_decision(void *c) { return ask(c, "load_decision", NULL); }

static void calls_close(void *instance)
{
  const Calls *c = instance;
  ask(c, c->level == MILL_RUN ? "close_run" : "close", NULL);
}

static const MillColumn columns[] = { MILL_COLUMN(Row, n, "n", "count", 0, "A number") };
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "lanes", .help = "Lanes", .columns = MILL_ROWS(columns) },
  { .per = MILL_PER_RUN, .name = "run", .help = "The run", .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE, .kind = MILL_INT, .name = "lane", .help = "A number" },
  { .per = MILL_PER_RUN, .kind = MILL_INT, .name = "all", .help = "A number" },
};
static const MillNotice notices[] = { MILL_INFO(1, "{count} call[|s]", NULL, NULL, "A call.") };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = calls_open,
  .observe = calls_observe,
  .decide = SCOPE == MILL_SCOPE_LANE ? calls_decide : NULL,
  .process = calls_process,
  .flush = calls_flush,
  .report = calls_report,
  .save_observed = SCOPE == MILL_SCOPE_RUN ? calls_save_observed : NULL,
  .merge_observed = SCOPE == MILL_SCOPE_RUN ? calls_merge_observed : NULL,
  .decide_run = SCOPE == MILL_SCOPE_RUN ? calls_decide_run : NULL,
  .save_decision = SCOPE == MILL_SCOPE_RUN ? calls_save_decision : NULL,
  .load_decision = SCOPE == MILL_SCOPE_RUN ? calls_load_decision : NULL,
  .save_result = calls_save_result,
  .merge_result = calls_merge_result,
  .report_run = calls_report_run,
  .close = calls_close,
};
static const char *const wants[] = { "events", NULL };
static const MillStage stage = {
  .size = sizeof stage,
  .scope = SCOPE,
  .flags = MILL_MERGES | MILL_MAY_EMIT | MILL_MOVES_BASE,
  .name = "rogue." NAME,
  .family = "test",
  .version = "1.0.0",
  .tag = SCOPE == MILL_SCOPE_LANE ? "CALLS" : "CALLR",
  .title = "Make a call",
  .help = "Makes one call in one operation.",
  .wants = wants,
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "rogue", "MIT");
