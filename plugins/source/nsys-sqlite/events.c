/* Rows become events: their names, tracks and attributes, and before them the names of processes and threads. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/text/symbol.h"
#include "nsys-sqlite.h"

#define MOST_ATTRS 24
#define PID_OF(owner) ((int64_t)((uint64_t)(owner) >> 24 & 0xffffff))
#define TID_OF(owner) ((int64_t)((uint64_t)(owner)&0xffffff))

void events_prepare(Source *s)
{
  const uint32_t kinds = MILL_KIND(MILL_SLICE) | MILL_KIND(MILL_INSTANT) | MILL_KIND(MILL_COUNTER);
  record_init_kinds(&s->writer, s->host, nsql_keys, N_EVENT_KEYS, kinds);
  s->writer.wanted[KEY_ROW_NAME] = true;
  s->driver_cat = symbol_of(s->common, "cuda_driver");
  s->operator_cat = symbol_of(s->common, "cpu_op");
  pairmap_open(&s->names, s->common);
  pairmap_open(&s->tracks, s->common);
  pairmap_open(&s->ends, s->common);
}

/* -------------------------------------------------------------------- columns */

static bool is_int(const Stream *m, int column)
{
  return sqlite3_column_type(m->rows, column) == SQLITE_INTEGER;
}

static int64_t int_or(const Stream *m, int column, int64_t otherwise)
{
  return is_int(m, column) ? sqlite3_column_int64(m->rows, column) : otherwise;
}

/* --------------------------------------------------------------------- tracks */

enum { TRACKS_DEVICE = 1, TRACKS_THREAD = 2, TRACKS_ASIDE = 3 };

static uint64_t *known_track(Source *s, uint64_t kind, uint64_t a, uint64_t b)
{
  return pairmap_at(&s->tracks, kind << 56 ^ a, b);
}

static uint32_t keep_track(uint64_t *known, uint32_t track)
{
  if (known) *known = (uint64_t)track + 1;
  return track;
}

/* As Kineto has them: the process is the device, the thread the stream. */
static uint32_t device_track(Source *s, const Stream *m)
{
  int64_t device = int_or(m, AT_DEVICE, 0), stream = int_or(m, AT_STREAM, 0);
  uint64_t *known = known_track(s, TRACKS_DEVICE, (uint64_t)device, (uint64_t)stream);
  if (known && *known) return (uint32_t)(*known - 1);
  return keep_track(known, s->host->track(s->host, mill_int(device), mill_int(stream)));
}

static uint32_t thread_track(Source *s, int64_t owner)
{
  uint64_t *known = known_track(s, TRACKS_THREAD, 0, (uint64_t)owner);
  if (known && *known) return (uint32_t)(*known - 1);
  return keep_track(known,
                    s->host->track(s->host, mill_int(PID_OF(owner)), mill_int(TID_OF(owner))));
}

/* Beside threads and streams, so that nothing there seems to enclose what it does not. */
static uint32_t aside_track(Source *s, const Stream *m, int64_t number)
{
  const TableSpec *t = m->spec;
  int64_t pid = PID_OF(int_or(m, AT_OWNER, 0));
  uint64_t place = (uint64_t)(t - nsql_tables) << 32;
  uint64_t *known = known_track(s, TRACKS_ASIDE, place ^ (uint64_t)pid, (uint64_t)number);
  if (known && *known) return (uint32_t)(*known - 1);
  g_autofree char *row = g_strdup_printf("%s %" G_GINT64_FORMAT, t->word, number);
  MillValue thread = mill_sym(symbol_of(s->common, row));
  return keep_track(known, s->host->track(s->host, mill_int(pid), thread));
}

static uint32_t counter_track(Source *s, int64_t device)
{
  MillValue process = mill_sym(symbol_of(s->common, "GPU metrics"));
  return s->host->track(s->host, process, mill_int(device));
}

static uint32_t track_of(Source *s, const Stream *m)
{
  int64_t owner = int_or(m, AT_OWNER, 0);
  switch (m->spec->role) {
  case ROLE_DEVICE: return device_track(s, m);
  case ROLE_ASIDE:
    return aside_track(s, m, m->has_stream ? int_or(m, AT_STREAM, 0) : TID_OF(owner));
  case ROLE_COUNTER: return counter_track(s, int_or(m, AT_NAME + 1, 0) & 0xff);
  default: return thread_track(s, owner);
  }
}

/* ---------------------------------------------------------------------- names */

/* The text of a range is in its row, or in StringIds. */
static Range read_range(Source *s, const Stream *m)
{
  const char *text = (const char *)sqlite3_column_text(m->rows, AT_NAME);
  size_t len = text ? (size_t)sqlite3_column_bytes(m->rows, AT_NAME) : 0;
  if (!text && is_int(m, AT_NAME + 1))
    text = s->common->symbol_text(
        s->common, names_string(s, sqlite3_column_int64(m->rows, AT_NAME + 1)), &len);
  return range_of(s, text ? text : "", len);
}

static MillSym no_name(Source *s)
{
  mill_note(s->common, NSQL_NAMELESS);
  return symbol_of(s->common, "(no name)");
}

static MillSym name_of(Source *s, const Stream *m, bool *out_is_driver)
{
  int64_t id = int_or(m, AT_NAME, -1);
  bool has_id = is_int(m, AT_NAME);
  switch (m->spec->kind) {
  case NAME_STRING: return has_id ? names_string(s, id) : no_name(s);
  case NAME_CALL: return has_id ? names_call(s, id, out_is_driver) : no_name(s);
  case NAME_COPY: return names_copy(s, id, int_or(m, AT_NAME + 1, -1), int_or(m, AT_NAME + 2, -1));
  case NAME_FILL: return names_fill(s, id);
  case NAME_METRIC: return names_metric(s, id, int_or(m, AT_NAME + 1, 0));
  default: return names_label(s, m->spec, id);
  }
}

/* ----------------------------------------------------------------- attributes */

static void put_any(const Source *s, MillBatch *b, int key, const Stream *m, int column)
{
  RecordWriter *w = (RecordWriter *)&s->writer;
  switch (sqlite3_column_type(m->rows, column)) {
  case SQLITE_INTEGER:
    record_int(w, b, (uint32_t)key, sqlite3_column_int64(m->rows, column));
    break;
  case SQLITE_FLOAT: {
    double value = sqlite3_column_double(m->rows, column);
    if (value - value == 0) record_real(w, b, (uint32_t)key, value);
    break;
  }
  case SQLITE_TEXT: {
    const char *text = (const char *)sqlite3_column_text(m->rows, column);
    if (g_utf8_validate(text, sqlite3_column_bytes(m->rows, column), NULL))
      record_text(w, b, (uint32_t)key, text, (size_t)sqlite3_column_bytes(m->rows, column));
    break;
  }
  default: break;
  }
}

static void put_attr(Source *s, MillBatch *b, const Stream *m, const TableAttr *a, int column)
{
  const RecordWriter *w = &s->writer;
  uint32_t key = (uint32_t)a->key;
  if (a->kind == ATTR_ANY) return put_any(s, b, a->key, m, column);
  if (!is_int(m, column)) return;
  int64_t value = sqlite3_column_int64(m->rows, column);
  if (a->kind == ATTR_STRING) return record_sym(w, b, key, names_string(s, value));
  record_int(w, b, key, value);
  if (a->kind == ATTR_LIST)
    for (int i = 1; i < 3; i++) record_int(w, b, key, int_or(m, column + i, 0));
  if (a->kind == ATTR_BYTES && m->dur_ns > 0 && value >= 0)
    record_real(w, b, KEY_BANDWIDTH, (double)value / (double)m->dur_ns);
}

/* The whole text of an operator is another one each time, so it is no name. */
static void put_range(Source *s, MillBatch *b, const Range *r)
{
  RecordWriter *w = &s->writer;
  if (r->step_text)
    record_sym(w, b, KEY_TEXT, r->step_text);
  else if (r->whole && names_is_text(r->whole, r->whole_len))
    record_text(w, b, KEY_TEXT, r->whole, r->whole_len);
  else if (r->whole && w->wanted[KEY_TEXT])
    record_sym(w, b, KEY_TEXT, names_text(s, r->whole, r->whole_len));
  if (r->dims) record_json(w, b, KEY_DIMS, r->dims, r->dims_len);
}

static void put_attrs(Source *s, MillBatch *b, const Stream *m, const Range *r)
{
  const RecordWriter *w = &s->writer;
  if (m->has_device && is_int(m, AT_DEVICE))
    record_int(w, b, KEY_DEVICE_ID, int_or(m, AT_DEVICE, 0));
  if (m->has_stream && is_int(m, AT_STREAM)) record_int(w, b, KEY_STREAM, int_or(m, AT_STREAM, 0));
  for (size_t i = 0; i < m->n_attrs; i++) put_attr(s, b, m, m->attrs[i].attr, m->attrs[i].column);
  if (m->spec->role == ROLE_COUNTER) put_any(s, b, KEY_VALUE, m, AT_NAME + 2);
  put_range(s, b, r);
}

/* --------------------------------------------------------------------- events */

/* False: the batch is full.  Only once there is room the row is looked at, so that what is odd in it counts once. */
static bool give_row(Source *s, MillBatch *b, const Stream *m)
{
  Range range = { 0 };
  bool is_range = m->spec->kind == NAME_RANGE, is_driver = false;
  const MillEvent room = { .ts_ns = m->start_ns, .dur_ns = m->dur_ns, .cat = m->cat };
  MillEvent *e = record_add(&s->writer, b, &room, MOST_ATTRS);
  if (!e) return false;
  if (is_range) range = read_range(s, m);
  e->name = is_range ? range.name : name_of(s, m, &is_driver);
  e->track = track_of(s, m);
  e->kind = m->spec->role == ROLE_COUNTER ? MILL_COUNTER
            : m->dur_ns < 0               ? MILL_INSTANT
                                          : MILL_SLICE;
  if (is_driver) e->cat = s->driver_cat;
  if (range.is_operator) e->cat = s->operator_cat;
  if (e->track == MILL_FAILED) s->failed = -MILL_LIMIT;
  put_attrs(s, b, m, &range);
  return true;
}

/* ------------------------------------------------------- what is around them */

static bool give_name(Source *s, MillBatch *b, const char *what, uint32_t track, MillSym name)
{
  const MillEvent e = { .kind = MILL_META,
                        .flags = MILL_FLAG_NO_TS,
                        .dur_ns = -1,
                        .name = symbol_of(s->common, what),
                        .track = track };
  if (track == MILL_FAILED || !record_add(&s->writer, b, &e, 1)) return false;
  record_sym(&s->writer, b, KEY_ROW_NAME, name);
  return true;
}

/* Rows of a process or thread and its name: those of this lane. */
static int give_names(Source *s, MillBatch *b, const char *what, const char *table,
                      const char *owner, const char *name)
{
  sqlite3_stmt *query = NULL;
  if (!schema_has(s, table, owner) || !schema_has(s, table, name)) return 0;
  g_autofree char *mine = lanes_condition(s, owner);
  g_autofree char *sql = g_strdup_printf("SELECT %s, %s FROM %s WHERE %s ORDER BY 1, 2 LIMIT 4096",
                                         owner, name, table, mine ? mine : "1");
  int status = database_prepare(s, sql, &query);
  while (!status && (status = database_step(s, query)) > 0) {
    int64_t id = sqlite3_column_int64(query, 0);
    const char *text = (const char *)sqlite3_column_text(query, 1);
    bool by_id = sqlite3_column_type(query, 1) == SQLITE_INTEGER;
    MillSym sym = !text   ? 0
                  : by_id ? names_string(s, sqlite3_column_int64(query, 1))
                          : names_text(s, text, strlen(text));
    status = sym && !give_name(s, b, what, thread_track(s, id), sym) ? -MILL_LIMIT : s->failed;
  }
  sqlite3_finalize(query);
  return status;
}

static void add_json_text(GString *json, const char *text)
{
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') g_string_append_c(json, '\\');
    if ((unsigned char)*text >= 0x20) g_string_append_c(json, *text);
  }
}

/* The devices as PyTorch's profiler lists them, for what knows devices by their names. */
static int give_devices(Source *s)
{
  static const char sql[] =
      "SELECT id, name FROM TARGET_INFO_GPU WHERE name IS NOT NULL ORDER BY id LIMIT 1024";
  static const char key[] = "deviceProperties";
  sqlite3_stmt *query = NULL;
  g_autoptr(GString) json = g_string_new("[");
  if (!schema_has(s, "TARGET_INFO_GPU", "id") || !schema_has(s, "TARGET_INFO_GPU", "name"))
    return 0;
  int status = database_prepare(s, sql, &query);
  while (!status && (status = database_step(s, query)) > 0) {
    const char *name = (const char *)sqlite3_column_text(query, 1);
    status = 0;
    if (!name || !g_utf8_validate(name, -1, NULL)) continue;
    g_string_append_printf(json, "%s{\"id\": %lld, \"name\": \"", json->len > 1 ? ", " : "",
                           (long long)sqlite3_column_int64(query, 0));
    add_json_text(json, name);
    g_string_append(json, "\"}");
  }
  sqlite3_finalize(query);
  g_string_append_c(json, ']');
  if (json->len > 2) s->host->member(s->host, false, key, sizeof key - 1, json->str, json->len);
  return status;
}

static int give_host(Source *s)
{
  static const char sql[] =
      "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' LIMIT 1";
  static const char key[] = "host_name";
  static const char table[] = "TARGET_INFO_SYSTEM_ENV";
  sqlite3_stmt *query = NULL;
  if (!schema_has(s, table, "name") || !schema_has(s, table, "value")) return 0;
  int status = database_prepare(s, sql, &query);
  if (!status) status = database_step(s, query);
  const char *name = status > 0 ? (const char *)sqlite3_column_text(query, 0) : NULL;
  if (name && g_utf8_validate(name, -1, NULL)) {
    g_autoptr(GString) json = g_string_new("\"");
    add_json_text(json, name);
    g_string_append_c(json, '"');
    s->host->member(s->host, false, key, sizeof key - 1, json->str, json->len);
  }
  sqlite3_finalize(query);
  return MIN(status, 0);
}

static int begin(Source *s, MillBatch *b)
{
  s->began = true;
  int status = give_devices(s);
  if (!status) status = give_host(s);
  if (!status) status = give_names(s, b, "process_name", "PROCESSES", "globalPid", "name");
  if (!status) status = give_names(s, b, "thread_name", "ThreadNames", "globalTid", "nameId");
  return status ? status : merge_open(s);
}

int events_next(Source *s, MillBatch *b)
{
  Stream *m;
  int status = s->began ? 0 : begin(s, b);
  if (status) return status;
  while ((m = merge_first(s))) {
    if (!give_row(s, b, m)) return MILL_NEXT_MORE;
    merge_pass(s);
  }
  return s->failed ? s->failed : MILL_NEXT_END;
}
