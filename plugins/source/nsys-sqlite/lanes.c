/* What is said of a database before it is read: its processes as lanes with their ranks, when it was, and its facts. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/read/input.h"
#include "nsys-sqlite.h"

#define MAX_PROCESSES 4096

/* ------------------------------------------------------------- processes */

static void add_process(Source *s, int64_t key, int64_t device)
{
  for (guint i = 0; i < s->processes->len; i++) {
    Process *p = &g_array_index(s->processes, Process, i);
    if (p->key != key) continue;
    p->device = MIN(p->device, device);
    return;
  }
  const Process new = { key, device };
  if (s->processes->len < MAX_PROCESSES) g_array_append_val(s->processes, new);
}

static int take_owners(Source *s, const TableSpec *t)
{
  sqlite3_stmt *query = NULL;
  bool has_device = t->role == ROLE_DEVICE && schema_has(s, t->table, "deviceId");
  if (!table_is_there(s, t) || !schema_has(s, t->table, t->owner)) return 0;
  g_autofree char *sql = g_strdup_printf("SELECT DISTINCT %s >> 24, %s FROM %s", t->owner,
                                         has_device ? "deviceId" : "0", t->table);
  int status = database_prepare(s, sql, &query);
  while (!status && (status = database_step(s, query)) > 0) {
    status = 0;
    if (sqlite3_column_type(query, 0) != SQLITE_INTEGER) continue;
    add_process(s, sqlite3_column_int64(query, 0),
                t->role == ROLE_DEVICE ? sqlite3_column_int64(query, 1) : INT64_MAX);
  }
  sqlite3_finalize(query);
  return status;
}

static gint by_device(gconstpointer a, gconstpointer b)
{
  const Process *x = a, *y = b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* Those with device work or calls; where there is neither, those that have ranges. */
static int find_processes(Source *s)
{
  s->processes = g_array_new(FALSE, FALSE, sizeof(Process));
  int status = 0;
  for (Role role = ROLE_DEVICE; role <= ROLE_RANGE && !status; role++) {
    if (role == ROLE_RANGE && s->processes->len) break;
    for (size_t i = 0; i < N_TABLES && !status; i++)
      if (nsql_tables[i].role == role) status = take_owners(s, &nsql_tables[i]);
  }
  g_array_sort(s->processes, by_device);
  return status;
}

char *lanes_condition(const Source *s, const char *owner)
{
  const GArray *all = s->processes;
  if (all->len < 2) return NULL;
  if (!owner) return g_strdup(s->part ? "0" : "1");
  if (s->part)
    return g_strdup_printf("%s >> 24 = %" G_GINT64_FORMAT, owner,
                           g_array_index(all, Process, s->part).key);
  /* The first one has what is nobody's, too. */
  GString *sql = g_string_new(NULL);
  g_string_printf(sql, "coalesce(%s >> 24, -1) NOT IN (", owner);
  for (guint i = 1; i < all->len; i++)
    g_string_append_printf(sql, "%s%" G_GINT64_FORMAT, i > 1 ? ", " : "",
                           g_array_index(all, Process, i).key);
  g_string_append_c(sql, ')');
  return g_string_free(sql, FALSE);
}

/* ------------------------------------------------------------------ ranks */

/* The number after '=', or -1. */
static int64_t rank_in(const char *text)
{
  uint64_t rank;
  const char *digits = text ? strchr(text, '=') : NULL;
  if (!digits || !digits[1]) return -1;
  const char *end = digits + strlen(digits);
  return digits_scan(digits + 1, end, 10, INT64_MAX, &rank) == end ? (int64_t)rank : -1;
}

/* By the environment of the process, where only one was started, so that it is this one's. */
static int rank_by_environment(Source *s, int64_t *out)
{
  static const char sql[] =
      "SELECT value FROM META_DATA_CAPTURE WHERE name GLOB 'PROCESS_*:ENVIRONMENT_VARIABLE' AND "
      "(SELECT count(DISTINCT name) FROM META_DATA_CAPTURE WHERE name GLOB "
      "'PROCESS_*:ENVIRONMENT_VARIABLE') = 1 AND (value GLOB 'RANK=*' OR value GLOB "
      "'OMPI_COMM_WORLD_RANK=*' OR value GLOB 'SLURM_PROCID=*') ORDER BY substr(value, 1, 1) = 'R' "
      "DESC, value LIMIT 1";
  sqlite3_stmt *query = NULL;
  *out = -1;
  if (!schema_has(s, "META_DATA_CAPTURE", "name") || !schema_has(s, "META_DATA_CAPTURE", "value"))
    return 0;
  int status = database_prepare(s, sql, &query);
  if (!status) status = database_step(s, query);
  if (status > 0) *out = rank_in((const char *)sqlite3_column_text(query, 0));
  sqlite3_finalize(query);
  return MIN(status, 0);
}

/* Of several processes those with device work are numbered; a single one may be known by its environment. */
static int describe_rank(Source *s)
{
  int64_t rank = -1;
  const GArray *all = s->processes;
  if (all->len > 1) {
    if (g_array_index(all, Process, s->part).device != INT64_MAX) rank = s->part;
  } else {
    int status = rank_by_environment(s, &rank);
    if (status) return status;
  }
  if (rank >= 0) s->host->describe(s->host, "rank", mill_int(rank));
  return 0;
}

/* ------------------------------------------------------------------ facts */

static int find_one(Source *s, const char *sql, bool *out)
{
  sqlite3_stmt *query = NULL;
  int status = database_prepare(s, sql, &query);
  if (!status) status = database_step(s, query);
  *out = status > 0;
  sqlite3_finalize(query);
  return MIN(status, 0);
}

/* Ranges that torch.autograd.profiler.emit_nvtx has named. */
static int has_operators(Source *s, bool *out)
{
#define OF_EMIT(column) "(" column " GLOB '*, op_id = *' OR " column " GLOB '*, seq = *') LIMIT 1"
  int status = 0;
  *out = false;
  if (schema_has(s, "NVTX_EVENTS", "text"))
    status = find_one(s, "SELECT 1 FROM NVTX_EVENTS WHERE " OF_EMIT("text"), out);
  if (status || *out || !schema_has(s, "NVTX_EVENTS", "textId")) return status;
  return find_one(s, "SELECT 1 FROM StringIds WHERE " OF_EMIT("value"), out);
}

static bool has_role(const Source *s, Role role, const char *column)
{
  for (size_t i = 0; i < N_TABLES; i++) {
    const TableSpec *t = &nsql_tables[i];
    bool there = t->role == role && table_is_there(s, t);
    if (there && (!column || schema_has(s, t->table, column))) return true;
  }
  return false;
}

static int describe_facts(Source *s)
{
  bool operators = false;
  bool launches =
      has_role(s, ROLE_CALL, "correlationId") && has_role(s, ROLE_DEVICE, "correlationId");
  int status = has_role(s, ROLE_RANGE, NULL) ? has_operators(s, &operators) : 0;
  if (has_role(s, ROLE_DEVICE, NULL)) input_describe(s->host, "fact", "device-work");
  if (launches) input_describe(s->host, "fact", "launches");
  if (has_role(s, ROLE_RANGE, NULL)) input_describe(s->host, "fact", "annotations");
  if (table_is_there(s, &nsql_tables[0])) input_describe(s->host, "fact", "input.kernel-summary");
  if (operators) input_describe(s->host, "fact", "operators");
  return status;
}

/* Times count from the start of the session. */
static int describe_base(Source *s)
{
  sqlite3_stmt *query = NULL;
  if (!schema_has(s, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) return 0;
  int status =
      database_prepare(s, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME LIMIT 1", &query);
  if (!status) status = database_step(s, query);
  if (status > 0 && sqlite3_column_type(query, 0) == SQLITE_INTEGER)
    s->host->describe(s->host, "base_ns", mill_int(sqlite3_column_int64(query, 0)));
  sqlite3_finalize(query);
  return MIN(status, 0);
}

/* Any table that events are made of, and the names. */
static int check_foreign(Source *s)
{
  bool has_rows = false;
  for (size_t i = 0; i < N_TABLES; i++) has_rows |= schema_has_table(s, nsql_tables[i].table);
  if (has_rows && schema_has_table(s, "StringIds")) return 0;
  return database_check_foreign(s);
}

int lanes_describe(Source *s)
{
  int64_t part = s->host->part(s->host);
  int status = check_foreign(s);
  if (!status) status = find_processes(s);
  if (status) return status;
  s->part = part > 0 && part < s->processes->len ? (uint32_t)part : 0;
  if (part >= 0 && s->processes->len > 1) s->host->divide(s->host, s->processes->len);
  input_describe(s->host, "dialect", "nsys");
  status = describe_rank(s);
  if (!status) status = describe_base(s);
  return status ? status : describe_facts(s);
}

/* Versions up to this one were looked at; "3.25.0". */
void lanes_note_schema(Source *s)
{
  enum { MAJOR = 3, MINOR = 25 };
  static const char sql[] =
      "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'";
  sqlite3_stmt *query = NULL;
  int major = 0, minor = 0;
  if (!schema_has(s, "META_DATA_EXPORT", "name") || !schema_has(s, "META_DATA_EXPORT", "value"))
    return;
  if (database_prepare(s, sql, &query) < 0 || database_step(s, query) <= 0)
    return (void)sqlite3_finalize(query);
  const char *text = (const char *)sqlite3_column_text(query, 0);
  bool is_read = text && sscanf(text, "%d.%d", &major, &minor) == 2;
  bool is_newer = major > MAJOR || (major == MAJOR && minor > MINOR);
  if (text && g_utf8_validate(text, -1, NULL) && (!is_read || is_newer)) {
    const MillNamed named[] = { { "version", mill_text(text, strlen(text)) } };
    s->common->note(s->common, NSQL_SCHEMA, NULL, MILL_NO_EVENT, named, 1);
  }
  sqlite3_finalize(query);
}
