/* The JSON sink: summary.json, all results in one document by core/schemas/summary.schema.json. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "base/figure.h"
#include "base/finding.h"
#include "base/tag-text.h"
#include "doc.h"
#include "kit/picture/picture.h"
#include "kit/sink/result.h"

#define SCHEMA_VERSION "3.0"
#define FILE_NAME "summary.json"

typedef struct Options {
  int64_t most_rows;
} Options;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Doc *d = mill_new(host->common, sizeof *d);
  if (!d) return -MILL_LIMIT;
  *d = (Doc){ .host = host,
              .common = host->common,
              .most_rows = ((const Options *)options)->most_rows,
              .definitions = g_ptr_array_new(),
              .out = { .text = g_string_new(NULL), .layout = JSON_SPACED } };
  *out_instance = d;
  return 0;
}

static void close_sink(void *instance)
{
  Doc *d = instance;
  g_string_free(d->out.text, TRUE);
  g_ptr_array_unref(d->definitions);
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

/* A number that the program gives as a text. */
static void put_count(Doc *d, const char *key, const char *text)
{
  if (text && *text) json_put_raw(&d->out, key, text, strlen(text));
}

static void put_if(Doc *d, const char *key, bool value)
{
  if (value) json_put_bool(&d->out, key, true);
}

/* Where a result is not called as its stage declares it. */
static void put_if_other(Doc *d, const char *key, const char *declared, const char *name)
{
  if (declared && g_strcmp0(declared, name)) json_put_text(&d->out, key, declared);
}

static const char *better_word(uint32_t better)
{
  static const char *const words[] = { NULL, "lower", "higher" };
  return words[better <= MILL_HIGHER ? better : MILL_NEITHER];
}

void doc_put_value(const Doc *d, JsonWriter *out, const char *key, const MillValue *v)
{
  size_t len;
  const char *text;
  switch (v->type) {
  case MILL_INT: json_put_int(out, key, v->u.i); break;
  case MILL_REAL: json_put_real(out, key, v->u.r); break;
  case MILL_BOOL: json_put_bool(out, key, v->u.i != 0); break;
  case MILL_SYM:
    text = d->common->symbol_text(d->common, v->u.sym, &len);
    json_put_string(out, key, text, len);
    break;
  case MILL_TEXT: json_put_string(out, key, v->u.text, v->len); break;
  case MILL_JSON: json_put_raw(out, key, v->u.text, v->len); break;
  default: json_put_text(out, key, NULL);
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

/* Of an info with commas between. */
static char **names_of(const MillResults *r, const char *key)
{
  const char *names = r->info(r, key);
  return g_strsplit(names ? names : "", ",", -1);
}

static char **tag_names(const MillResults *r) { return names_of(r, "tags"); }

static void put_tags(Doc *d, const MillResults *r, uint32_t lane)
{
  g_auto(GStrv) list = tag_names(r);
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
  g_autofree char *file = lane.path ? g_path_get_basename(lane.path) : NULL;
  json_put_open(&d->out, NULL, '{');
  json_put_uint(&d->out, "index", index);
  if (lane.rank < 0)
    json_put_text(&d->out, "rank", NULL);
  else
    json_put_int(&d->out, "rank", lane.rank);
  put_text(d, "label", lane.label);
  put_text(d, "name", name);
  if (g_strcmp0(file, name)) json_put_text(&d->out, "file", file);
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
  while (tag_text_next(&group, &tag, &value)) {
    json_put_text(&d->out, tag, value);
    g_free(tag);
    g_free(value);
  }
  json_put_close(&d->out);
}

static uint32_t definition_of(Doc *d, const MillMetric *metric)
{
  guint index;
  if (g_ptr_array_find(d->definitions, metric, &index)) return index;
  g_ptr_array_add(d->definitions, (gpointer)metric);
  return d->definitions->len - 1;
}

static int put_metric(Doc *d, const MillResults *r, uint32_t index)
{
  MillMetricResult m = { .size = sizeof m };
  r->metric(r, index, &m);
  const MillMetric *metric = m.metric;
  const char *reason = result_absence(&m.value, m.reason);
  json_put_open(&d->out, NULL, '{');
  put_text(d, "name", m.name);
  put_optional(d, "stat", m.stat);
  put_metric_lane(d, m.lane);
  put_group(d, m.group);
  if (!reason) doc_put_value(d, &d->out, "value", &m.value);
  put_unit(d, !strcmp(m.stat, "n") ? "count" : metric->unit);
  if (!reason || m.n) json_put_uint(&d->out, "n", m.n);
  json_put_text(&d->out, "better", better_word(metric->better));
  if (reason) put_text(d, "reason", reason);
  put_optional(d, "help", metric->help);
  json_put_uint(&d->out, "definition", definition_of(d, metric));
  json_put_close(&d->out);
  return flush_pieces(d);
}

/* As the stage declares it: what its metrics have in common, whatever they are called in this run. */
static void put_definition(Doc *d, const MillMetric *m)
{
  static const char *const inputs[] = { NULL, "one", "pair" };
  json_put_open(&d->out, NULL, '{');
  put_text(d, "name", m->name);
  put_text(d, "per", m->per == MILL_PER_LANE ? "lane" : "run");
  put_text(d, "type", m->kind == MILL_INT ? "int" : m->kind == MILL_JSON ? "object" : "real");
  put_unit(d, m->unit);
  put_optional(d, "better", better_word(m->better));
  put_optional(d, "stats", m->stats);
  put_optional(d, "headline", m->headline);
  put_optional(d, "aliases", m->aliases);
  put_optional(d, "inputs", inputs[m->inputs <= MILL_INPUTS_PAIR ? m->inputs : MILL_INPUTS_ANY]);
  put_optional(d, "help", m->help);
  json_put_close(&d->out);
}

static int put_definitions(Doc *d)
{
  int status = 0;
  json_put_lines(&d->out, "definitions", '[');
  for (guint i = 0; i < d->definitions->len && !status; i++) {
    put_definition(d, d->definitions->pdata[i]);
    status = flush_pieces(d);
  }
  json_put_close(&d->out);
  return status;
}

/* ------------------------------------------------------------------ tables */

static uint32_t better_of(const MillColumn *c)
{
  if (c->flags & MILL_COLUMN_LOWER) return MILL_LOWER;
  return c->flags & MILL_COLUMN_HIGHER ? MILL_HIGHER : MILL_NEITHER;
}

static void put_columns(Doc *d, MillColumnRows columns, uint32_t n_lead)
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
    put_if(d, "lead", i < n_lead);
    put_if(d, "brief", c->flags & MILL_COLUMN_BRIEF);
    put_optional(d, "better", better_word(better_of(c)));
    put_if(d, "finding", c->flags & MILL_COLUMN_FINDING);
    put_optional(d, "help", c->help);
    json_put_close(&d->out);
  }
  json_put_close(&d->out);
}

static void put_row(Doc *d, MillColumnRows columns, const MillValue *cells)
{
  json_put_open(&d->out, NULL, '{');
  for (uint32_t i = 0; i < columns.n; i++)
    doc_put_value(d, &d->out, MILL_AT(MillColumn, columns, i)->name, &cells[i]);
  json_put_close(&d->out);
}

static int put_rows(Doc *d, const MillResults *r, uint32_t index, const MillTableResult *t)
{
  json_put_lines(&d->out, "rows", '[');
  for (uint64_t row = 0; row < t->n_rows; row++) {
    put_row(d, t->columns, r->row(r, index, row));
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
  if (t.table->brief_rows) json_put_uint(&d->out, "brief_rows", t.table->brief_rows);
  put_optional(d, "order", t.table->order);
  if (g_strcmp0(t.table->name, t.name)) {
    json_put_open(&d->out, "declared", '{');
    put_text(d, "name", t.table->name);
    json_put_close(&d->out);
  }
  put_columns(d, t.columns, t.columns.n - MIN(t.table->columns.n, t.columns.n));
  bool is_large = d->most_rows >= 0 && t.n_rows > (uint64_t)d->most_rows;
  int status = is_large ? rows_file_put(d, r, index, &t) : put_rows(d, r, index, &t);
  json_put_close(&d->out);
  return status;
}

/* ----------------------------------------------------------------- figures */

static int put_figure(Doc *d, const MillResults *r, uint32_t index)
{
  MillFigureResult f = { .size = sizeof f };
  MillTableResult t = { .size = sizeof t };
  r->figure(r, index, &f);
  r->table(r, f.table, &t);
  MillFigure named = *f.figure;
  named.name = f.name;
  named.table = t.name;
  json_put_open(&d->out, NULL, '{');
  figure_put(&d->out, &named);
  g_autofree char *reason = picture_reason(d->common, r, index);
  json_put_bool(&d->out, "drawn", !reason);
  if (reason) json_put_text(&d->out, "reason", reason);
  if (g_strcmp0(f.figure->name, f.name) || g_strcmp0(f.figure->table, t.name)) {
    json_put_open(&d->out, "declared", '{');
    put_text(d, "name", f.figure->name);
    put_text(d, "table", f.figure->table);
    json_put_close(&d->out);
  }
  json_put_close(&d->out);
  return flush_pieces(d);
}

/* ------------------------------------------------------------------- whole */

/* The texts with their {names}, where those have other values in them. */
static void put_declared_notice(Doc *d, const MillNoticeResult *n)
{
  const MillNotice *row = n->notice;
  json_put_open(&d->out, "declared", '{');
  put_if_other(d, "what", row->what, n->what);
  put_if_other(d, "effect", row->effect, n->effect);
  put_if_other(d, "help", row->help, n->help);
  put_optional(d, "explain", row->explain);
  json_put_close(&d->out);
}

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
  put_declared_notice(d, &n);
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

static int put_finding(Doc *d, const MillResults *r, uint32_t index)
{
  MillFindingResult f = { .size = sizeof f };
  r->finding(r, index, &f);
  finding_put(&d->out, &f);
  return flush_pieces(d);
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
  put_count(d, "inputs", r->info(r, "inputs"));
  put_count(d, "events", r->info(r, "events"));
  g_autofree char *start = g_strdup_printf("%" G_GINT64_FORMAT, start_ns);
  if (start_ns != MILL_NO_BASE) put_text(d, "start_ns", start);
  g_auto(GStrv) tags = tag_names(r);
  json_put_list(&d->out, "tags", (const char *const *)tags);
  put_optional(d, "verdict", r->info(r, "verdict"));
  if (!r->n_findings) put_optional(d, "no_findings", r->info(r, "no-findings"));
  g_auto(GStrv) views = names_of(r, "views");
  if (*views) json_put_list(&d->out, "views", (const char *const *)views);
}

/* Lines of "FACT INPUTS OF STAGE,STAGE". */
static void put_left_out(Doc *d, const MillResults *r)
{
  const char *text = r->info(r, "left-out");
  if (!text || !*text) return;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  json_put_lines(&d->out, "left_out", '[');
  for (char **line = lines; **line; line++) {
    g_auto(GStrv) parts = g_strsplit(*line, " ", 4);
    if (g_strv_length(parts) < 4) continue;
    g_auto(GStrv) stages = g_strsplit(parts[3], ",", -1);
    json_put_open(&d->out, NULL, '{');
    put_text(d, "lacks", parts[0]);
    put_count(d, "inputs", parts[1]);
    put_count(d, "of", parts[2]);
    json_put_list(&d->out, "stages", (const char *const *)stages);
    json_put_close(&d->out);
  }
  json_put_close(&d->out);
}

static int write_results(void *instance, const MillResults *r)
{
  Doc *d = instance;
  int64_t start_ns = find_start(d);
  json_put_lines(&d->out, NULL, '{');
  put_head(d, r, start_ns);
  put_lanes(d, r, start_ns);
  put_left_out(d, r);
  int status = put_list(d, r, "findings", r->n_findings, put_finding);
  if (!status) status = put_list(d, r, "metrics", r->n_metrics, put_metric);
  if (!status) status = put_definitions(d);
  if (!status) status = put_list(d, r, "tables", r->n_tables, put_table);
  if (!status) status = put_list(d, r, "figures", r->n_figures, put_figure);
  if (!status) status = put_list(d, r, "notices", r->n_notices, put_notice);
  if (status) return status;
  json_put_end(&d->out);
  return flush(d);
}

static const MillOption options[] = {
  MILL_INT_OPTION(
      Options, most_rows, "most-rows", "10000", "-1:", NULL,
      "Most rows of a table in summary.json itself; larger ones have a file each; -1: any"),
};

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
  .flags = MILL_USUAL | MILL_DOCUMENT,
  .files = "summary.json",
  .version = "1.0.0",
  .tag = "JSO",
  .title = "Write all results as one JSON document",
  .help = "summary.json holds every metric with unit, number of samples and direction, every table "
          "with its columns and with each row as an object, the lanes and the notices. The rows of "
          "a large table are in a file of their own, which it names with its SHA-256. Its schema "
          "is versioned: stagemill schema summary. A value that does not apply is absent, with a "
          "reason. Times are integers in nanoseconds. There is never a NaN.",
  .options_size = sizeof(Options),
  .options = MILL_ROWS(options),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
