/* Ranges of NVTX: operators that PyTorch has marked, steps, and when ranges end that have no end. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "nsys-sqlite.h"

/* ------------------------------------------------------------------ operators */

static const char *find(const char *text, size_t len, const char *word)
{
  return memmem(text, len, word, strlen(word));
}

/* "[[2, 3], [4]]" after "sizes = ", up to its last bracket. */
static void take_sizes(Range *r, const char *text, size_t len)
{
  static const char word[] = ", sizes = ";
  const char *at = find(text, len, word), *end = text + len;
  if (!at) return;
  const char *p = at + sizeof word - 1, *from = p;
  int depth = 0;
  for (; p < end; p++) {
    if (!strchr("[], 0123456789", *p) || !*p) return;
    depth += (*p == '[') - (*p == ']');
    if (depth == 0) break;
  }
  if (p == end || *from != '[') return;
  r->dims = from;
  r->dims_len = (size_t)(p + 1 - from);
}

/* emit_nvtx adds ", op_id = 7" or ", seq = 5, sizes = [[2, 3]]" to the name of an operator. */
static size_t operator_len(const char *text, size_t len)
{
  const char *op = find(text, len, ", op_id = "), *seq = find(text, len, ", seq = ");
  const char *end = op && (!seq || op < seq) ? op : seq;
  return end ? (size_t)(end - text) : 0;
}

/* ---------------------------------------------------------------------- steps */

/* The digits at its end, or NULL. */
static const char *number_at_end(const char *text, size_t len)
{
  size_t n = 0;
  while (n < len && g_ascii_isdigit(text[len - n - 1])) n++;
  return n && n < 19 ? text + len - n : NULL;
}

/* Stages know steps by the name that PyTorch gives them. */
static MillSym step_name(Source *s, MillSym name, const char *text, size_t len)
{
  const char *number = number_at_end(text, len);
  if (!number || !s->options->steps || !s->common->match_sym(s->common, s->options->steps, name))
    return name;
  g_autofree char *step = g_strdup_printf("ProfilerStep#%.*s", (int)(text + len - number), number);
  return s->common->intern(s->common, step, strlen(step));
}

static Range operator_of(Source *s, const char *text, size_t len, size_t name_len)
{
  Range r = { .is_operator = true, .whole = text, .whole_len = len };
  r.name = names_text(s, text, name_len);
  take_sizes(&r, text + name_len, len - name_len);
  return r;
}

Range range_of(Source *s, const char *text, size_t len)
{
  size_t name_len = operator_len(text, len);
  if (name_len) return operator_of(s, text, len, name_len);
  MillSym whole = names_text(s, text, len);
  Range r = { .name = step_name(s, whole, text, len) };
  if (r.name != whole) r.step_text = whole;
  return r;
}

/* ----------------------------------------------------------------------- ends */

static int take_ends(Source *s, const TableSpec *t)
{
  sqlite3_stmt *query = NULL;
  g_autofree char *sql =
      g_strdup_printf("SELECT globalTid, max(start, coalesce(\"end\", start)) FROM %s", t->table);
  int status = database_prepare(s, sql, &query);
  while (!status && (status = database_step(s, query)) > 0) {
    uint64_t *end = pairmap_at(&s->ends, 0, (uint64_t)sqlite3_column_int64(query, 0));
    int64_t at = sqlite3_column_int64(query, 1);
    status = end ? 0 : -MILL_LIMIT;
    if (end && at >= 0 && at < INT64_MAX) *end = MAX(*end, (uint64_t)at + 1);
  }
  sqlite3_finalize(query);
  return status;
}

static void thread_end(sqlite3_context *c, int n, sqlite3_value **values)
{
  const Source *s = sqlite3_user_data(c);
  uint64_t end = pairmap_get(&s->ends, 0, (uint64_t)sqlite3_value_int64(values[0]));
  (void)n;
  if (end) sqlite3_result_int64(c, (int64_t)(end - 1));
}

/* All tables of threads are read for it only where a range has no end. */
int ranges_find_ends(Source *s)
{
  static const char sql[] =
      "SELECT 1 FROM NVTX_EVENTS WHERE \"end\" IS NULL AND eventType IN (59, 60) LIMIT 1";
  sqlite3_stmt *query = NULL;
  static const char *const columns[] = { "start", "end", "eventType", "globalTid" };
  for (size_t i = 0; i < MILL_COUNT(columns); i++)
    if (!schema_has(s, "NVTX_EVENTS", columns[i])) return 0;
  int status = database_prepare(s, sql, &query);
  if (!status) status = database_step(s, query);
  sqlite3_finalize(query);
  if (status <= 0) return status;
  status = 0;
  for (size_t i = 0; i < N_TABLES && !status; i++) {
    const TableSpec *t = &nsql_tables[i];
    bool of_threads = table_is_there(s, t) && schema_has(s, t->table, "globalTid") && !t->start;
    if (of_threads) status = take_ends(s, t);
  }
  if (status) return status;
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  return sqlite3_create_function(s->db, "thread_end", 1, flags, s, thread_end, NULL, NULL)
             ? database_broken(s)
             : 0;
}
