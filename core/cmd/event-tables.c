/* Events as tables for SQL; see event-tables.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/event-tables.h"

#include <string.h>

#include "base/json-write.h"
#include "sched/reading.h"

enum { /* columns; those of attributes follow */
       EVENT_ID,
       EVENT_TS,
       EVENT_DUR,
       EVENT_NAME,
       EVENT_CATEGORY,
       EVENT_RANK,
       EVENT_LANE,
       EVENT_TRACK,
       EVENT_PROCESS,
       EVENT_THREAD,
       EVENT_STREAM,
       EVENT_DEVICE,
       EVENT_CORRELATION,
       EVENT_ARGS,
       EVENT_COLUMNS
};

static const SqlColumn own_columns[EVENT_COLUMNS] = {
  [EVENT_ID] = { "id", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_TS] = { "ts", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_DUR] = { "dur", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_NAME] = { "name", MILL_TEXT, SQL_FILTERS | SQL_KEY | SQL_LASTS | SQL_SYMBOL },
  [EVENT_CATEGORY] = { "category", MILL_TEXT, SQL_FILTERS | SQL_KEY | SQL_LASTS | SQL_SYMBOL },
  [EVENT_RANK] = { "rank", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_LANE] = { "lane", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_TRACK] = { "track", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_PROCESS] = { "process", MILL_NONE, SQL_KEY | SQL_LASTS },
  [EVENT_THREAD] = { "thread", MILL_NONE, SQL_KEY | SQL_LASTS },
  [EVENT_STREAM] = { "stream", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_DEVICE] = { "device", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_CORRELATION] = { "correlation", MILL_INT, SQL_FILTERS | SQL_KEY },
  [EVENT_ARGS] = { "args", MILL_TEXT, 0 },
};

#define FLOWS (MILL_KIND(MILL_FLOW_START) | MILL_KIND(MILL_FLOW_STEP) | MILL_KIND(MILL_FLOW_END))
static const char table_names[] = "slice counter instant flow record";
static const uint32_t kinds_of[] = { MILL_KIND(MILL_SLICE), MILL_KIND(MILL_COUNTER),
                                     MILL_KIND(MILL_INSTANT), FLOWS, MILL_KIND(MILL_RECORD) };
enum { N_TABLES = G_N_ELEMENTS(kinds_of), LANE_SHIFT = 40 };

typedef struct EventTable {
  SqlTable table; /* first */
  EventTables *of;
  uint32_t kinds;
} EventTable;

struct EventTables {
  EventSource source;
  GArray *columns;  /* SqlColumn */
  GPtrArray *names; /* char *: of the columns of attributes */
  GPtrArray *keys;  /* char *: the attribute of each such column */
  char **tables;    /* their names */
  EventTable list[N_TABLES];
  uint32_t n_readings;
  Error *error;
};

typedef struct EventFilter {
  uint32_t column;
  SqlOp op;
  GArray *symbols; /* MillSym: of a text; NULL: numbers */
  const MillValue *values;
  uint32_t n_values;
} EventFilter;

typedef struct EventCursor {
  const EventTable *of;
  const SqlScan *scan;
  Run *run;
  Reading *reading;
  GArray *filters; /* EventFilter */
  MillSym *keys;   /* of attributes, by column from EVENT_STREAM on */
  const MillBatch *batch;
  const LaneInfo *lane;
  uint32_t at;    /* the row in the batch */
  uint64_t first; /* of the batch: its number in the lane */
  GString *json;
} EventCursor;

/* ------------------------------------------------------------------ attributes */

static const char *key_of(const EventTables *t, uint32_t column)
{
  static const char *const own[] = { "stream", "device", "correlation", "*" };
  return column < EVENT_COLUMNS ? own[column - EVENT_STREAM]
                                : t->keys->pdata[column - EVENT_COLUMNS];
}

static uint32_t read_as(uint32_t column) { return column < EVENT_ARGS ? MILL_AS_INT : MILL_AS_ANY; }

/* Only what is looked at is decoded. */
static void add_reads(const EventTable *t, const SqlScan *scan, Plan *plan)
{
  for (uint32_t c = EVENT_STREAM; c < t->table.n_columns; c++)
    if (sql_wants(scan, c))
      plan_add_read(plan, (MillRead){ key_of(t->of, c), read_as(c), t->kinds });
}

void event_tables_read_all(const EventTables *t, Plan *plan, bool all)
{
  for (uint32_t c = EVENT_STREAM; c < t->columns->len; c++)
    if (c != EVENT_ARGS || all) plan_add_read(plan, (MillRead){ key_of(t, c), read_as(c), 0 });
}

static MillValue sym_value(const EventCursor *c, MillSym sym)
{
  size_t len;
  const char *text = symbols_text(c->run->pools.symbols, sym, &len);
  return mill_text(text, len);
}

static MillValue attr_value(const EventCursor *c, const MillAttr *a)
{
  size_t len = 0;
  const char *text;
  switch (a->type & MILL_ATTR_TYPE) {
  case MILL_INT: return mill_int(a->u.i);
  case MILL_BOOL: return mill_bool(a->u.i != 0);
  case MILL_REAL: return mill_real(a->u.r);
  case MILL_SYM: return sym_value(c, a->u.sym);
  case MILL_TEXT: text = mill_attr_text(c->batch, a, &len); return mill_text(text, len);
  case MILL_JSON: text = mill_attr_text(c->batch, a, &len); return mill_json(text, len);
  default: return mill_none();
  }
}

static void put_value(JsonWriter *out, const char *key, const MillValue *v)
{
  switch (v->type) {
  case MILL_INT: json_put_int(out, key, v->u.i); break;
  case MILL_BOOL: json_put_bool(out, key, v->u.i != 0); break;
  case MILL_REAL: json_put_real(out, key, v->u.r); break;
  case MILL_TEXT: json_put_string(out, key, v->u.text, v->len); break;
  case MILL_JSON: json_put_raw(out, key, v->u.text, v->len); break;
  default: json_put_text(out, key, NULL);
  }
}

/* A list is its key repeated in order. */
static uint32_t put_attr(const EventCursor *c, const MillEvent *e, uint32_t index, JsonWriter *out)
{
  const MillAttr *attrs = &c->batch->attrs[e->attrs];
  const char *key = symbols_text(c->run->pools.symbols, attrs[index].key, NULL);
  uint32_t end = index + 1;
  while (end < e->n_attrs && attrs[end].key == attrs[index].key) end++;
  if (end - index > 1) json_put_open(out, key, '[');
  for (uint32_t i = index; i < end; i++) {
    const MillValue v = attr_value(c, &attrs[i]);
    put_value(out, end - index > 1 ? NULL : key, &v);
  }
  if (end - index > 1) json_put_close(out);
  return end;
}

static MillValue args_cell(EventCursor *c, const MillEvent *e)
{
  JsonWriter out = { .text = c->json, .layout = JSON_SPACED };
  g_string_truncate(c->json, 0);
  if (!e->n_attrs) return mill_none();
  json_put_open(&out, NULL, '{');
  for (uint32_t i = 0; i < e->n_attrs;) i = put_attr(c, e, i, &out);
  json_put_close(&out);
  return mill_text(c->json->str, c->json->len);
}

/* ------------------------------------------------------------------------ cells */

static MillValue attr_cell(const EventCursor *c, const MillEvent *e, uint32_t column)
{
  const MillAttr *a = mill_attr(c->batch, e, c->keys[column - EVENT_STREAM]);
  if (a) return attr_value(c, a);
  bool has_id =
      column == EVENT_CORRELATION && (e->id_kind == MILL_ID_INT || e->id_kind == MILL_ID_HEX);
  return has_id ? mill_int((int64_t)e->id) : mill_none();
}

static MillValue track_cell(const EventCursor *c, const MillEvent *e, bool thread)
{
  const MillTrack *track = tracks_get(c->lane->tracks, e->track);
  MillValue v = thread ? track->thread : track->process;
  return v.type == MILL_SYM ? sym_value(c, v.u.sym) : v;
}

/* The same whatever else is read: the number of the lane, then that of the event in it. */
static int64_t id_of(const EventCursor *c)
{
  return (int64_t)((uint64_t)c->lane->index << LANE_SHIFT | (c->first + c->at));
}

static MillValue cell_of(EventCursor *c, uint32_t column)
{
  const MillEvent *e = &c->batch->events[c->at];
  switch (column) {
  case EVENT_ID: return mill_int(id_of(c));
  case EVENT_TS: return e->flags & MILL_FLAG_NO_TS ? mill_none() : mill_int(e->ts_ns);
  case EVENT_DUR: return e->dur_ns < 0 ? mill_none() : mill_int(e->dur_ns);
  case EVENT_NAME: return sym_value(c, e->name);
  case EVENT_CATEGORY: return e->cat ? sym_value(c, e->cat) : mill_none();
  case EVENT_RANK: return c->lane->rank < 0 ? mill_none() : mill_int(c->lane->rank);
  case EVENT_LANE: return mill_int(c->lane->index);
  case EVENT_TRACK: return mill_int(e->track);
  case EVENT_PROCESS:
  case EVENT_THREAD: return track_cell(c, e, column == EVENT_THREAD);
  case EVENT_ARGS: return args_cell(c, e);
  default: return attr_cell(c, e, column);
  }
}

static MillValue event_cell(void *cursor, uint32_t column) { return cell_of(cursor, column); }

/* ---------------------------------------------------------------------- filters */

static bool holds(SqlOp op, int order)
{
  switch (op) {
  case SQL_EQUAL: return order == 0;
  case SQL_LESS: return order < 0;
  case SQL_LESS_EQUAL: return order <= 0;
  case SQL_GREATER: return order > 0;
  default: return order >= 0;
  }
}

/* Rounding may let a row pass: SQLite looks at it again. */
static int compare(const MillValue *a, const MillValue *b)
{
  if (a->type == MILL_INT && b->type == MILL_INT) return (a->u.i > b->u.i) - (a->u.i < b->u.i);
  double x = a->type == MILL_INT ? (double)a->u.i : a->u.r;
  double y = b->type == MILL_INT ? (double)b->u.i : b->u.r;
  return (x > y) - (x < y);
}

static bool is_number(const MillValue *v) { return v->type == MILL_INT || v->type == MILL_REAL; }

static bool number_passes(const EventFilter *f, const MillValue *v)
{
  if (v->type == MILL_NONE) return false;
  if (!is_number(v)) return true;
  for (uint32_t i = 0; i < f->n_values; i++)
    if (holds(f->op, compare(v, &f->values[i]))) return true;
  return false;
}

static bool symbol_passes(const EventFilter *f, MillSym sym)
{
  for (guint i = 0; i < f->symbols->len; i++)
    if (g_array_index(f->symbols, MillSym, i) == sym) return true;
  return false;
}

static bool passes(EventCursor *c)
{
  const MillEvent *e = &c->batch->events[c->at];
  if (!(MILL_KIND(e->kind) & c->of->kinds)) return false;
  for (guint i = 0; i < c->filters->len; i++) {
    const EventFilter *f = &g_array_index(c->filters, EventFilter, i);
    if (f->symbols) {
      if (!symbol_passes(f, f->column == EVENT_NAME ? e->name : e->cat)) return false;
      continue;
    }
    const MillValue v = cell_of(c, f->column);
    if (!number_passes(f, &v)) return false;
  }
  return true;
}

static GArray *symbols_of(const EventCursor *c, const SqlFilter *f)
{
  GArray *symbols = g_array_new(FALSE, FALSE, sizeof(MillSym));
  for (uint32_t i = 0; i < f->n_values; i++) {
    MillSym sym = symbols_intern(c->run->pools.symbols, f->values[i].u.text, f->values[i].len);
    g_array_append_val(symbols, sym);
  }
  return symbols;
}

/* Of texts only equality: a name is a number here. */
static void take_filters(EventCursor *c)
{
  for (uint32_t i = 0; i < c->scan->n_filters; i++) {
    const SqlFilter *f = &c->scan->filters[i];
    EventFilter filter = { f->column, f->op, NULL, f->values, f->n_values };
    bool text = c->of->table.columns[f->column].type == MILL_TEXT;
    if (text && f->op != SQL_EQUAL) continue;
    if (text) filter.symbols = symbols_of(c, f);
    g_array_append_val(c->filters, filter);
  }
}

static void filter_clear(gpointer data)
{
  EventFilter *f = data;
  if (f->symbols) g_array_unref(f->symbols);
}

/* ---------------------------------------------------------------------- reading */

/* A rank that its file name alone tells may be another one once its events are read. */
static bool lane_is_read(void *cursor, const LaneInfo *lane)
{
  const EventCursor *c = cursor;
  bool sure = lane->rank >= 0 && lane->rank_origin && !strcmp(lane->rank_origin, "metadata");
  const MillValue rank = mill_int(lane->rank);
  for (guint i = 0; sure && i < c->filters->len; i++) {
    const EventFilter *f = &g_array_index(c->filters, EventFilter, i);
    if (f->column == EVENT_RANK && !number_passes(f, &rank)) return false;
  }
  return true;
}

static void find_keys(EventCursor *c)
{
  uint32_t n = c->of->table.n_columns - EVENT_STREAM;
  c->keys = g_new0(MillSym, n);
  for (uint32_t i = 0; i < n; i++) {
    const char *key = key_of(c->of->of, EVENT_STREAM + i);
    c->keys[i] = symbols_intern(c->run->pools.symbols, key, strlen(key));
  }
}

static void event_end(void *cursor)
{
  EventCursor *c = cursor;
  reading_free(c->reading);
  g_array_unref(c->filters);
  g_string_free(c->json, TRUE);
  g_free(c->keys);
  g_free(c);
}

static void *event_begin(const SqlTable *table, const SqlScan *scan)
{
  EventTable *t = table->context;
  EventCursor *c = g_new0(EventCursor, 1);
  c->of = t;
  c->scan = scan;
  c->filters = g_array_new(FALSE, FALSE, sizeof(EventFilter));
  g_array_set_clear_func(c->filters, filter_clear);
  c->json = g_string_new(NULL);
  t->of->n_readings++;
  t->of->error = t->of->source.run(t->of->source.context, &c->run);
  if (t->of->error) {
    event_end(c);
    return NULL;
  }
  find_keys(c);
  take_filters(c);
  add_reads(t, scan, c->run->plan);
  c->reading = reading_new(c->run, lane_is_read, c);
  return c;
}

/* False: there are no more, or it failed. */
static bool next_batch(EventCursor *c)
{
  const LaneInfo *before = c->lane;
  uint64_t n = c->batch ? c->batch->n_events : 0;
  EventTables *t = c->of->of;
  t->error = t->source.stopped(t->source.context);
  if (!t->error) t->error = reading_next(c->reading, &c->batch, &c->lane);
  if (t->error) return false;
  c->first = c->lane == before ? c->first + n : 0;
  c->at = 0;
  return c->batch != NULL;
}

static int event_next(void *cursor)
{
  EventCursor *c = cursor;
  if (c->batch) c->at++;
  for (;; c->at++) {
    if (!c->batch || c->at >= c->batch->n_events) {
      if (!next_batch(c)) return c->of->of->error ? -1 : 0;
    }
    if (passes(c)) return 1;
  }
}

/* ------------------------------------------------------------------------ tables */

static void add_column(EventTables *t, char *name, const char *key, uint32_t flags)
{
  SqlColumn column = { name, MILL_NONE, flags };
  g_ptr_array_add(t->names, name);
  g_ptr_array_add(t->keys, g_strdup(key));
  g_array_append_val(t->columns, column);
}

static bool has_column(const EventTables *t, const char *name)
{
  for (guint i = 0; i < t->columns->len; i++)
    if (!g_ascii_strcasecmp(g_array_index(t->columns, SqlColumn, i).name, name)) return true;
  return false;
}

EventTables *event_tables_new(const EventSource *source, const GPtrArray *args,
                              const GPtrArray *more)
{
  EventTables *t = g_new0(EventTables, 1);
  t->source = *source;
  t->columns = g_array_new(FALSE, FALSE, sizeof(SqlColumn));
  t->names = g_ptr_array_new_with_free_func(g_free);
  t->keys = g_ptr_array_new_with_free_func(g_free);
  t->tables = g_strsplit(table_names, " ", N_TABLES);
  g_array_append_vals(t->columns, own_columns, EVENT_COLUMNS);
  for (guint i = 0; more && i < more->len; i++)
    if (!has_column(t, more->pdata[i]))
      add_column(t, g_strdup(more->pdata[i]), more->pdata[i], SQL_KEY);
  for (guint i = 0; i < args->len; i++)
    add_column(t, g_strconcat(EVENT_ARG, args->pdata[i], NULL), args->pdata[i],
               SQL_KEY | SQL_HIDDEN);
  return t;
}

Error *event_tables_add(EventTables *t, Sql *sql)
{
  Error *e = NULL;
  for (guint i = 0; i < N_TABLES && !e; i++) {
    EventTable *table = &t->list[i];
    table->of = t;
    table->kinds = kinds_of[i];
    table->table = (SqlTable){ .name = t->tables[i],
                               .columns = (const SqlColumn *)(const void *)t->columns->data,
                               .n_columns = t->columns->len,
                               .n_rows = t->source.n_rows,
                               .dear = true,
                               .context = table,
                               .begin = event_begin,
                               .next = event_next,
                               .cell = event_cell,
                               .end = event_end };
    e = sql_add_table(sql, &table->table);
  }
  return e;
}

void event_tables_free(EventTables *t)
{
  if (!t) return;
  error_free(t->error);
  g_strfreev(t->tables);
  g_array_unref(t->columns);
  g_ptr_array_unref(t->names);
  g_ptr_array_unref(t->keys);
  g_free(t);
}

Error *event_tables_take_error(EventTables *t) { return g_steal_pointer(&t->error); }

uint32_t event_tables_readings(const EventTables *t) { return t->n_readings; }
