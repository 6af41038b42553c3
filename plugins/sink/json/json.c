/* The JSON sink: summary.json, all results in one document by core/schemas/summary.schema.json. */
#include <glib.h>
#include <math.h>
#include <stagemill/sink.h>
#include <string.h>

#include "base/json-write.h"
#include "base/json.h"
#include "base/pairs.h"

#define SCHEMA_VERSION "1.1"
#define FILE_NAME "summary.json"
#define PIECE_BYTES (128u << 10)

typedef struct Doc {
  const MillSinkHost *host;
  const MillHost *common;
  JsonWriter out;
} Doc;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Doc *d = mill_new(host->common, sizeof *d);
  if (!d) return -MILL_LIMIT;
  *d = (Doc){ .host = host,
              .common = host->common,
              .out = { .text = g_string_new(NULL), .layout = JSON_SPACED } };
  *out_instance = d;
  return 0;
}

static void close_sink(void *instance)
{
  Doc *d = instance;
  g_string_free(d->out.text, TRUE);
}

/* ----------------------------------------------------------------- members */

static int flush(Doc *d)
{
  GString *text = d->out.text;
  int status = text->len ? d->host->output(d->host, FILE_NAME, NULL, text->str, text->len) : 0;
  g_string_truncate(text, 0);
  return status;
}

/* When much has gathered. */
static int flush_pieces(Doc *d) { return d->out.text->len < PIECE_BYTES ? 0 : flush(d); }

static void put_text(Doc *d, const char *key, const char *text)
{
  json_put_text(&d->out, key, text ? text : "");
}

static void put_optional(Doc *d, const char *key, const char *text)
{
  if (text && *text) json_put_text(&d->out, key, text);
}

static void put_value(Doc *d, const char *key, const MillValue *v)
{
  size_t len;
  const char *text;
  switch (v->type) {
  case MILL_INT: json_put_int(&d->out, key, v->u.i); break;
  case MILL_REAL: json_put_real(&d->out, key, v->u.r); break;
  case MILL_BOOL: json_put_bool(&d->out, key, v->u.i != 0); break;
  case MILL_SYM:
    text = d->common->symbol_text(d->common, v->u.sym, &len);
    json_put_string(&d->out, key, text, len);
    break;
  case MILL_TEXT: json_put_string(&d->out, key, v->u.text, v->len); break;
  case MILL_JSON: json_put_raw(&d->out, key, v->u.text, v->len); break;
  default: json_put_text(&d->out, key, NULL);
  }
}

/* ------------------------------------------------------------------- lanes */

static void lane_of(const Doc *d, uint32_t index, MillLane *out)
{
  *out = (MillLane){ .size = sizeof(*out) };
  d->common->lane(d->common, index, out);
}

/* The earliest known base of all lanes; MILL_NO_BASE when none is known. */
static int64_t find_start(const Doc *d)
{
  int64_t start_ns = MILL_NO_BASE;
  for (uint32_t i = 0; i < d->common->n_lanes(d->common); i++) {
    MillLane lane;
    lane_of(d, i, &lane);
    if (lane.base_ns == MILL_NO_BASE) continue;
    if (start_ns == MILL_NO_BASE || lane.base_ns < start_ns) start_ns = lane.base_ns;
  }
  return start_ns;
}

static void put_tags(Doc *d, const MillResults *r, uint32_t lane)
{
  const char *names = r->info(r, "tags");
  g_auto(GStrv) list = g_strsplit(names ? names : "", ",", -1);
  json_put_open(&d->out, "tags", '{');
  for (char **name = list; *name; name++) {
    const char *value = **name ? d->common->tag(d->common, lane, *name) : NULL;
    if (value) json_put_text(&d->out, *name, value);
  }
  json_put_close(&d->out);
}

static void put_lane(Doc *d, const MillResults *r, uint32_t index, int64_t start_ns)
{
  MillLane lane;
  lane_of(d, index, &lane);
  g_autofree char *name = lane.name && *lane.name ? g_path_get_basename(lane.name) : NULL;
  json_put_open(&d->out, NULL, '{');
  json_put_uint(&d->out, "index", index);
  if (lane.rank < 0)
    json_put_text(&d->out, "rank", NULL);
  else
    json_put_int(&d->out, "rank", lane.rank);
  put_text(d, "label", lane.label);
  put_text(d, "name", name);
  put_text(d, "dialect", lane.dialect);
  if (lane.base_ns != MILL_NO_BASE)
    json_put_uint(&d->out, "offset_ns", (uint64_t)lane.base_ns - (uint64_t)start_ns);
  put_tags(d, r, index);
  json_put_close(&d->out);
}

static void put_lanes(Doc *d, const MillResults *r, int64_t start_ns)
{
  json_put_lines(&d->out, "lanes", '[');
  for (uint32_t i = 0; i < d->common->n_lanes(d->common); i++) put_lane(d, r, i, start_ns);
  json_put_close(&d->out);
}

/* ----------------------------------------------------------------- metrics */

static void put_unit(Doc *d, const char *unit)
{
  json_put_text(&d->out, "unit", unit && *unit ? unit : NULL);
}

/* Why a metric has no value that JSON can hold; NULL when it has one. */
static const char *absence(const MillValue *v, const char *reason)
{
  const char *at, *why;
  if (reason) return *reason ? reason : "not applicable";
  if (v->type == MILL_INT) return NULL;
  if (v->type == MILL_REAL) return isfinite(v->u.r) ? NULL : "not a finite number";
  if (v->type != MILL_JSON) return "not applicable";
  if (v->len && *v->u.text == '{' && json_check(v->u.text, v->len, &at, &why)) return NULL;
  return "not a valid JSON object";
}

static void put_metric_lane(Doc *d, uint32_t index)
{
  MillLane lane;
  if (index == MILL_NO_LANE) return;
  lane_of(d, index, &lane);
  json_put_uint(&d->out, "lane", index);
  if (lane.rank >= 0) json_put_uint(&d->out, "rank", (uint64_t)lane.rank);
  put_optional(d, "label", lane.label);
}

/* The tags whose values the metric was grouped by. */
static void put_group(Doc *d, const char *group)
{
  if (!*group) return;
  char *tag, *value;
  json_put_open(&d->out, "group", '{');
  while (pairs_next(&group, &tag, &value)) {
    json_put_text(&d->out, tag, value);
    g_free(tag);
    g_free(value);
  }
  json_put_close(&d->out);
}

static int put_metric(Doc *d, const MillResults *r, uint32_t index)
{
  static const char *const better[] = { NULL, "lower", "higher" };
  MillMetricResult m = { .size = sizeof m };
  r->metric(r, index, &m);
  const MillMetric *metric = m.metric;
  const char *reason = absence(&m.value, m.reason);
  json_put_open(&d->out, NULL, '{');
  put_text(d, "name", m.name);
  put_optional(d, "stat", m.stat);
  put_metric_lane(d, m.lane);
  put_group(d, m.group);
  if (!reason) put_value(d, "value", &m.value);
  put_unit(d, !strcmp(m.stat, "n") ? "count" : metric->unit);
  if (!reason) json_put_uint(&d->out, "n", m.n);
  json_put_text(&d->out, "better",
                better[metric->better <= MILL_HIGHER ? metric->better : MILL_NEITHER]);
  if (reason) put_text(d, "reason", reason);
  put_optional(d, "help", metric->help);
  json_put_close(&d->out);
  return flush_pieces(d);
}

/* ------------------------------------------------------------------ tables */

static void put_columns(Doc *d, MillColumnRows columns)
{
  static const char *const types[] = {
    [MILL_INT] = "int", [MILL_REAL] = "real", [MILL_TEXT] = "text", [MILL_BOOL] = "bool"
  };
  json_put_lines(&d->out, "columns", '[');
  for (uint32_t i = 0; i < columns.n; i++) {
    const MillColumn *c = MILL_AT(MillColumn, columns, i);
    uint32_t type = c->type < G_N_ELEMENTS(types) ? c->type : MILL_TEXT;
    json_put_open(&d->out, NULL, '{');
    put_text(d, "name", c->name);
    put_unit(d, c->unit);
    put_text(d, "type", types[type] ? types[type] : "text");
    json_put_bool(&d->out, "key", c->flags & MILL_COLUMN_KEY);
    put_optional(d, "help", c->help);
    json_put_close(&d->out);
  }
  json_put_close(&d->out);
}

static int put_rows(Doc *d, const MillResults *r, uint32_t index, const MillTableResult *t)
{
  json_put_lines(&d->out, "rows", '[');
  for (uint64_t row = 0; row < t->n_rows; row++) {
    const MillValue *cells = r->row(r, index, row);
    json_put_open(&d->out, NULL, '[');
    for (uint32_t i = 0; i < t->columns.n; i++) put_value(d, NULL, &cells[i]);
    json_put_close(&d->out);
    int status = flush_pieces(d);
    if (status) return status;
  }
  json_put_close(&d->out);
  return 0;
}

static int put_table(Doc *d, const MillResults *r, uint32_t index)
{
  MillTableResult t = { .size = sizeof t };
  r->table(r, index, &t);
  json_put_lines(&d->out, NULL, '{');
  put_text(d, "name", t.name);
  put_text(d, "help", t.table->help);
  put_text(d, "per", t.table->per == MILL_PER_LANE ? "lane" : "run");
  put_columns(d, t.columns);
  int status = put_rows(d, r, index, &t);
  json_put_close(&d->out);
  return status;
}

/* ------------------------------------------------------------------- whole */

static int put_notice(Doc *d, const MillResults *r, uint32_t index)
{
  static const char *const levels[] = { "trace", "error", "warning", "info", "debug", "trace" };
  MillNoticeResult n = { .size = sizeof n };
  r->notice(r, index, &n);
  json_put_open(&d->out, NULL, '{');
  put_text(d, "code", n.code);
  put_text(d, "level", levels[n.notice->level <= MILL_LEVEL_TRACE ? n.notice->level : 0]);
  json_put_uint(&d->out, "count", n.count);
  put_text(d, "what", n.what);
  put_optional(d, "effect", n.effect);
  put_optional(d, "help", n.help);
  json_put_close(&d->out);
  return flush_pieces(d);
}

static int put_list(Doc *d, const MillResults *r, const char *key, uint32_t n,
                    int (*put)(Doc *d, const MillResults *r, uint32_t index))
{
  json_put_lines(&d->out, key, '[');
  for (uint32_t i = 0; i < n; i++) {
    int status = put(d, r, i);
    if (status) return status;
  }
  json_put_close(&d->out);
  return 0;
}

static void put_head(Doc *d, const MillResults *r, int64_t start_ns)
{
  put_text(d, "schema_version", SCHEMA_VERSION);
  json_put_open(&d->out, "program", '{');
  put_text(d, "name", r->info(r, "program"));
  put_text(d, "version", r->info(r, "version"));
  json_put_close(&d->out);
  put_text(d, "profile", r->info(r, "profile"));
  put_optional(d, "title", r->info(r, "title"));
  g_autofree char *start = g_strdup_printf("%" G_GINT64_FORMAT, start_ns);
  if (start_ns != MILL_NO_BASE) put_text(d, "start_ns", start);
}

static int write_results(void *instance, const MillResults *r)
{
  Doc *d = instance;
  int64_t start_ns = find_start(d);
  json_put_lines(&d->out, NULL, '{');
  put_head(d, r, start_ns);
  put_lanes(d, r, start_ns);
  int status = put_list(d, r, "metrics", r->n_metrics, put_metric);
  if (!status) status = put_list(d, r, "tables", r->n_tables, put_table);
  if (!status) status = put_list(d, r, "notices", r->n_notices, put_notice);
  if (status) return status;
  json_put_end(&d->out);
  return flush(d);
}

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
  .close = close_sink,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .name = "json",
  .format = "json",
  .version = "1.0.0",
  .tag = "JSO",
  .title = "Write all results as one JSON document",
  .help = "summary.json holds every metric with unit, number of samples and direction, every table "
          "with its columns, "
          "the lanes and the notices. Its schema is versioned: stagemill schema summary. What does "
          "not apply is "
          "absent with a reason, times are integers in nanoseconds, and there is never a NaN.",
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
