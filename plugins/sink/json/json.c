/* The JSON sink: summary.json, all results in one document by core/schemas/summary.schema.json. */
#include <glib.h>
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "base/json.h"
#include "doc.h"

#define SCHEMA_VERSION "1.1"

static int open_sink(const MillStage *self, const MillHost *host, const void *options,
                     void **out_instance)
{
  (void)self, (void)options;
  Doc *d = g_new(Doc, 1);
  doc_init(d, host, "summary.json");
  *out_instance = d;
  return 0;
}

static void close_sink(void *instance)
{
  doc_free(instance);
  g_free(instance);
}

static void lane_of(const Doc *d, uint32_t index, MillLane *out)
{
  *out = (MillLane){ .size = sizeof(*out) };
  d->host->lane(d->host, index, out);
}

/* The earliest known base of all lanes; 0 when none is known. */
static int64_t find_start(const Doc *d)
{
  int64_t start_ns = 0;
  for (uint32_t i = 0; i < d->host->n_lanes(d->host); i++) {
    MillLane lane;
    lane_of(d, i, &lane);
    if (lane.base_ns && (!start_ns || lane.base_ns < start_ns)) start_ns = lane.base_ns;
  }
  return start_ns;
}

static void put_tags(Doc *d, const MillResults *r, uint32_t lane)
{
  const char *names = r->info(r, "tags");
  g_auto(GStrv) list = g_strsplit(names ? names : "", ",", -1);
  doc_key(d, "tags");
  doc_open(d, '{');
  for (char **name = list; *name; name++) {
    const char *value = **name ? d->host->tag(d->host, lane, *name) : NULL;
    if (!value) continue;
    doc_item(d);
    doc_text(d, *name, strlen(*name));
    g_string_append(d->text, ": ");
    doc_text(d, value, strlen(value));
  }
  doc_close(d, '}');
}

static void put_lane(Doc *d, const MillResults *r, uint32_t index, int64_t start_ns)
{
  MillLane lane;
  lane_of(d, index, &lane);
  g_autofree char *name = lane.name && *lane.name ? g_path_get_basename(lane.name) : NULL;
  doc_open(d, '{');
  doc_uint_member(d, "index", index);
  doc_key(d, "rank");
  if (lane.rank < 0)
    doc_null(d);
  else
    doc_int(d, lane.rank);
  doc_text_member(d, "label", lane.label);
  doc_text_member(d, "name", name);
  doc_text_member(d, "dialect", lane.dialect);
  if (lane.base_ns) doc_uint_member(d, "offset_ns", (uint64_t)lane.base_ns - (uint64_t)start_ns);
  put_tags(d, r, index);
  doc_close(d, '}');
}

static void put_lanes(Doc *d, const MillResults *r, int64_t start_ns)
{
  uint32_t n = d->host->n_lanes(d->host);
  doc_line(d, 2);
  doc_key(d, "lanes");
  doc_open(d, '[');
  for (uint32_t i = 0; i < n; i++) {
    doc_line(d, 4);
    put_lane(d, r, i, start_ns);
  }
  if (n) doc_end_line(d, 2);
  doc_close(d, ']');
}

static void put_unit(Doc *d, const char *unit)
{
  doc_key(d, "unit");
  if (unit && *unit)
    doc_text(d, unit, strlen(unit));
  else
    doc_null(d);
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
  doc_uint_member(d, "lane", index);
  if (lane.rank >= 0) doc_uint_member(d, "rank", (uint64_t)lane.rank);
  doc_optional_member(d, "label", lane.label);
}

/* The tags whose values the metric was folded by. */
static void put_group(Doc *d, const char *group)
{
  if (!*group) return;
  g_auto(GStrv) pairs = g_strsplit(group, "\n", -1);
  doc_key(d, "group");
  doc_open(d, '{');
  for (char **pair = pairs; *pair; pair++) {
    size_t len = strcspn(*pair, "=");
    doc_item(d);
    doc_text(d, *pair, len);
    g_string_append(d->text, ": ");
    doc_text(d, *pair + len + 1, strlen(*pair + len + 1));
  }
  doc_close(d, '}');
}

static int put_metric(Doc *d, const MillResults *r, uint32_t index)
{
  static const char *const better[] = { "null", "\"lower\"", "\"higher\"" };
  const char *name, *stat, *reason;
  MillValue value;
  uint64_t n;
  uint32_t lane;
  const MillMetric *m = r->metric(r, index, &name, &stat, &value, &n, &lane, &reason);
  reason = absence(&value, reason);
  doc_open(d, '{');
  doc_text_member(d, "name", name);
  doc_optional_member(d, "stat", stat);
  put_metric_lane(d, lane);
  put_group(d, r->group(r, index));
  if (!reason) {
    doc_key(d, "value");
    doc_value(d, &value);
  }
  put_unit(d, stat && !strcmp(stat, "n") ? "count" : m->unit);
  if (!reason) doc_uint_member(d, "n", n);
  doc_key(d, "better");
  g_string_append(d->text, better[m->better <= MILL_HIGHER ? m->better : MILL_NEITHER]);
  if (reason) doc_text_member(d, "reason", reason);
  doc_optional_member(d, "help", m->help);
  doc_close(d, '}');
  return doc_flush_pieces(d);
}

static void put_columns(Doc *d, const MillColumn *columns, uint32_t n)
{
  static const char *const types[] = {
    [MILL_INT] = "int", [MILL_REAL] = "real", [MILL_TEXT] = "text", [MILL_BOOL] = "bool"
  };
  doc_line(d, 6);
  doc_key(d, "columns");
  doc_open(d, '[');
  for (uint32_t i = 0; i < n; i++) {
    uint32_t type = columns[i].type < G_N_ELEMENTS(types) ? columns[i].type : MILL_TEXT;
    doc_line(d, 8);
    doc_open(d, '{');
    doc_text_member(d, "name", columns[i].name);
    put_unit(d, columns[i].unit);
    doc_text_member(d, "type", types[type] ? types[type] : "text");
    doc_key(d, "key");
    doc_bool(d, columns[i].flags & MILL_COLUMN_KEY);
    doc_optional_member(d, "help", columns[i].help);
    doc_close(d, '}');
  }
  if (n) doc_end_line(d, 6);
  doc_close(d, ']');
}

static int put_rows(Doc *d, const MillResults *r, uint32_t table, uint64_t n_rows,
                    uint32_t n_columns)
{
  doc_line(d, 6);
  doc_key(d, "rows");
  doc_open(d, '[');
  for (uint64_t row = 0; row < n_rows; row++) {
    const MillValue *cells = r->row(r, table, row);
    doc_line(d, 8);
    doc_open(d, '[');
    for (uint32_t i = 0; i < n_columns; i++) {
      doc_item(d);
      doc_value(d, &cells[i]);
    }
    doc_close(d, ']');
    int status = doc_flush_pieces(d);
    if (status) return status;
  }
  if (n_rows) doc_end_line(d, 6);
  doc_close(d, ']');
  return 0;
}

static int put_table(Doc *d, const MillResults *r, uint32_t index)
{
  const char *name;
  const MillColumn *columns;
  uint64_t n_rows;
  const MillTable *t = r->table(r, index, &name, &n_rows);
  uint32_t n_columns = r->columns(r, index, &columns);
  doc_open(d, '{');
  doc_line(d, 6);
  doc_text_member(d, "name", name);
  doc_line(d, 6);
  doc_text_member(d, "help", t->help);
  doc_line(d, 6);
  doc_text_member(d, "per", t->per == MILL_PER_LANE ? "lane" : "run");
  put_columns(d, columns, n_columns);
  int status = put_rows(d, r, index, n_rows, n_columns);
  doc_end_line(d, 4);
  doc_close(d, '}');
  return status;
}

static int put_notice(Doc *d, const MillResults *r, uint32_t index)
{
  static const char *const levels[] = { "trace", "error", "warning", "info", "debug", "trace" };
  const char *code, *what, *effect, *help;
  uint64_t count;
  const MillNotice *n = r->notice(r, index, &code, &count, &what, &effect, &help);
  doc_open(d, '{');
  doc_text_member(d, "code", code);
  doc_text_member(d, "level", levels[n->level <= MILL_LEVEL_TRACE ? n->level : 0]);
  doc_uint_member(d, "count", count);
  doc_text_member(d, "what", what);
  doc_optional_member(d, "effect", effect);
  doc_optional_member(d, "help", help);
  doc_close(d, '}');
  return doc_flush_pieces(d);
}

static int put_list(Doc *d, const MillResults *r, const char *key, uint32_t n,
                    int (*put)(Doc *d, const MillResults *r, uint32_t index))
{
  doc_line(d, 2);
  doc_key(d, key);
  doc_open(d, '[');
  for (uint32_t i = 0; i < n; i++) {
    doc_line(d, 4);
    int status = put(d, r, i);
    if (status) return status;
  }
  if (n) doc_end_line(d, 2);
  doc_close(d, ']');
  return 0;
}

static void put_head(Doc *d, const MillResults *r, int64_t start_ns)
{
  const char *title = r->info(r, "title");
  doc_line(d, 2);
  doc_text_member(d, "schema_version", SCHEMA_VERSION);
  doc_line(d, 2);
  doc_key(d, "program");
  doc_open(d, '{');
  doc_text_member(d, "name", r->info(r, "program"));
  doc_text_member(d, "version", r->info(r, "version"));
  doc_close(d, '}');
  doc_line(d, 2);
  doc_text_member(d, "profile", r->info(r, "profile"));
  if (title && *title) {
    doc_line(d, 2);
    doc_text_member(d, "title", title);
  }
  if (!start_ns) return;
  doc_line(d, 2);
  doc_key(d, "start_ns");
  g_string_append_printf(d->text, "\"%" G_GINT64_FORMAT "\"", start_ns);
  d->comma = true;
}

static int write_results(void *instance, const MillResults *r)
{
  Doc *d = instance;
  int64_t start_ns = find_start(d);
  doc_open(d, '{');
  put_head(d, r, start_ns);
  put_lanes(d, r, start_ns);
  int status = put_list(d, r, "metrics", r->n_metrics, put_metric);
  if (!status) status = put_list(d, r, "tables", r->n_tables, put_table);
  if (!status) status = put_list(d, r, "notices", r->n_notices, put_notice);
  if (status) return status;
  doc_end_line(d, 0);
  doc_close(d, '}');
  g_string_append_c(d->text, '\n');
  return doc_flush(d);
}

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
  .close = close_sink,
};

static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_SINK,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_READ_ONLY,
  .name = "json",
  .family = "json",
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

MILL_MODULE(stage, "stagemill", "MIT");
