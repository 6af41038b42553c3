/* A sink that writes what it is given in plain words: events into plain.txt, results into results.txt. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stagemill/sink.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
  const char *end, *file;
  int64_t fail_at;
} Options;
typedef struct Plain {
  const MillSinkHost *host;
  const char *end;  /* what a lane ends with */
  const char *file; /* of events */
  int64_t fail_at;  /* events that may still be written */
  const MillHost *common;
  uint32_t lane; /* MILL_NO_LANE on the run level */
} Plain;

static int put(const Plain *p, const char *file, const char *text)
{
  return p->host->output(p->host, file, "--\n", text, strlen(text));
}

static int plain_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  MillLane lane = { .size = sizeof lane };
  (void)self;
  Plain *p = mill_new(host->common, sizeof *p);
  if (!p) return -MILL_LIMIT;
  p->host = host;
  p->common = host->common;
  p->end = ((const Options *)options)->end;
  p->file = ((const Options *)options)->file;
  p->fail_at = ((const Options *)options)->fail_at;
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  p->lane = level == MILL_RUN ? MILL_NO_LANE : lane.index;
  *out_instance = p;
  return 0;
}

/* ------------------------------------------------------------------- events */

static int put_attrs(const Plain *p, const MillBatch *b, const MillEvent *e)
{
  char text[64];
  int status = 0;
  for (uint32_t i = 0; i < e->n_attrs && !status; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    uint32_t type = a->type & MILL_ATTR_TYPE;
    const char *key = p->common->symbol_text(p->common, a->key, NULL);
    if (type != MILL_INT && type != MILL_SYM) continue;
    if (type == MILL_INT)
      snprintf(text, sizeof text, " %s=%" PRId64, key, a->u.i);
    else
      snprintf(text, sizeof text, " %s=%s", key, p->common->symbol_text(p->common, a->u.sym, NULL));
    status = put(p, p->file, text);
  }
  return status ? status : put(p, p->file, "\n");
}

static int fail(const Plain *p)
{
  MillFailure f = {
    .size = sizeof f, .status = MILL_OUTPUT_FAILED, .number = 1, .what = "it was to fail"
  };
  return p->common->fail(p->common, &f);
}

/* "LANE NAME TS DUR X=N": the time is absolute where the base is known, and then has a "@". */
static int plain_write(void *instance, const MillBatch *b)
{
  Plain *p = instance;
  char text[128], time[32];
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    MillLane lane = { .size = sizeof lane };
    int64_t ts = e->ts_ns;
    if (p->fail_at && !--p->fail_at) return fail(p);
    p->common->lane(p->common, MILL_NO_LANE, &lane);
    const char *mark = mill_abs_ts(&lane, e->ts_ns, &ts) ? "@" : "";
    snprintf(time, sizeof time, "%s%" PRId64, mark, ts);
    snprintf(text, sizeof text, "%u %s %s %" PRId64, p->common->track_lane(p->common, e->track),
             p->common->symbol_text(p->common, e->name, NULL),
             e->flags & MILL_FLAG_NO_TS ? "-" : time, e->dur_ns);
    int status = put(p, p->file, text);
    if (!status) status = put_attrs(p, b, e);
    if (status) return status;
  }
  return 0;
}

static int plain_finish(void *instance)
{
  const Plain *p = instance;
  int status = put(p, p->file, p->end);
  return status ? status : put(p, p->file, "\n");
}

static int put_members(const Plain *p, bool after)
{
  MillValue key, json;
  bool is_after;
  char text[128];
  int status = 0;
  for (uint32_t i = 0; !status && p->host->lane_member(p->host, 0, i, &is_after, &key, &json);
       i++) {
    if (is_after != after) continue;
    snprintf(text, sizeof text, "%.*s: %.*s\n", (int)key.len, key.u.text, (int)json.len,
             json.u.text);
    status = put(p, p->file, text);
  }
  return status;
}

static int plain_begin_run(void *instance) { return put_members(instance, false); }

static int plain_finish_run(void *instance) { return put_members(instance, true); }

/* ------------------------------------------------------------------ results */

static void format(char *out, size_t max, const MillValue *v)
{
  switch (v->type) {
  case MILL_NONE: snprintf(out, max, "-"); break;
  case MILL_REAL: snprintf(out, max, "%.3f", v->u.r); break;
  case MILL_TEXT: snprintf(out, max, "%.*s", (int)v->len, v->u.text); break;
  default: snprintf(out, max, "%" PRId64, v->u.i);
  }
}

static int put_table(const Plain *p, const MillResults *r, uint32_t index)
{
  MillTableResult t = { .size = sizeof t };
  char cell[128];
  r->table(r, index, &t);
  put(p, "results.txt", t.name);
  for (uint32_t c = 0; c < t.columns.n; c++) {
    put(p, "results.txt", c ? "," : ": ");
    put(p, "results.txt", MILL_AT(MillColumn, t.columns, c)->name);
  }
  put(p, "results.txt", "\n");
  for (uint64_t row = 0; row < t.n_rows; row++) {
    const MillValue *cells = r->row(r, index, row);
    for (uint32_t c = 0; c < t.columns.n; c++) {
      format(cell, sizeof cell, &cells[c]);
      put(p, "results.txt", c ? "," : "  ");
      put(p, "results.txt", cell);
    }
    put(p, "results.txt", "\n");
  }
  return 0;
}

static void put_metric(const Plain *p, const MillResults *r, uint32_t index)
{
  MillMetricResult m = { .size = sizeof m };
  char text[256], value[64];
  r->metric(r, index, &m);
  format(value, sizeof value, &m.value);
  snprintf(text, sizeof text, "%s%s%s [%s] = %s (%s)\n", m.name, *m.stat ? "." : "", m.stat,
           m.lane == MILL_NO_LANE ? m.group : "lane", value, m.reason ? m.reason : "");
  put(p, "results.txt", text);
}

static void put_notice(const Plain *p, const MillResults *r, uint32_t index)
{
  MillNoticeResult n = { .size = sizeof n };
  r->notice(r, index, &n);
  put(p, "results.txt", n.code);
  put(p, "results.txt", " ");
  put(p, "results.txt", n.what);
  put(p, "results.txt", "\n");
}

static int plain_results(void *instance, const MillResults *r)
{
  const Plain *p = instance;
  for (uint32_t i = 0; i < r->n_tables; i++) put_table(p, r, i);
  for (uint32_t i = 0; i < r->n_metrics; i++) put_metric(p, r, i);
  for (uint32_t i = 0; i < r->n_notices; i++) put_notice(p, r, i);
  return 0;
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, end, "end", "end", "What a lane ends with"),
  MILL_STRING_OPTION(Options, file, "file", "plain.txt", "Where events go"),
  MILL_INT_OPTION(Options, fail_at, "fail-at", "0", "0:", NULL, "The event that it fails at"),
};
static const MillNotice notices[] = { MILL_ERROR(1, "it was to fail", NULL, "An option says so.") };
static const MillRead reads[] = { { "x", MILL_AS_INT, 0 } };
static const MillSinkOps ops = {
  .size = sizeof ops,
  .open = plain_open,
  .write = plain_write,
  .finish = plain_finish,
  .begin_run = plain_begin_run,
  .results = plain_results,
  .finish_run = plain_finish_run,
};
static const MillSink sink = {
  .size = sizeof sink,
  .options_size = sizeof(Options),
  .name = "plain",
  .format = "plain",
  .version = "1.0.0",
  .tag = "PLAIN",
  .title = "Plain words",
  .help = "Writes what it is given in plain words.",
  .options = MILL_ROWS(options),
  .reads = MILL_ROWS(reads),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "stagemill", "MIT");
