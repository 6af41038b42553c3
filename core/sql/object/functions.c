/* Functions for the SQL of rules: medians, and numbers as people read them. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/short-name.h"
#include "sql/object/db.h"

#define FLAGS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
enum { BRIEF_BYTES = 40 };

/* --------------------------------------------------------------------- median */

typedef struct Median {
  double *values;
  size_t n, capacity;
  int64_t of; /* so many there are, those that do not come being 0 */
} Median;

/* median(x), or median(x, n) of n values of which those that are not there are 0. */
static void median_step(sqlite3_context *context, int n, sqlite3_value **values)
{
  Median *m = sqlite3_aggregate_context(context, sizeof *m);
  if (!m) return sqlite3_result_error_nomem(context);
  if (n > 1 && sqlite3_value_int64(values[1]) > m->of) m->of = sqlite3_value_int64(values[1]);
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  if (m->n == m->capacity) {
    const size_t capacity = m->capacity ? 2 * m->capacity : 64;
    double *more = sqlite3_realloc64(m->values, capacity * sizeof *more);
    if (!more) return sqlite3_result_error_nomem(context);
    m->values = more;
    m->capacity = capacity;
  }
  m->values[m->n++] = sqlite3_value_double(values[0]);
}

static int by_value(const void *p, const void *q)
{
  const double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

/* The value in that place, where as many zeros as are missing lie among the others in order. */
static double value_at(const Median *m, int64_t zeros, int64_t place)
{
  int64_t below = 0;
  while (below < (int64_t)m->n && m->values[below] < 0) below++;
  if (place < below) return m->values[place];
  return place < below + zeros ? 0 : m->values[place - zeros];
}

static void median_end(sqlite3_context *context)
{
  Median *m = sqlite3_aggregate_context(context, 0);
  if (!m) return sqlite3_result_null(context);
  const int64_t zeros = m->of > (int64_t)m->n ? m->of - (int64_t)m->n : 0;
  const int64_t n = (int64_t)m->n + zeros;
  if (m->n) qsort(m->values, m->n, sizeof *m->values, by_value);
  if (n > 0)
    sqlite3_result_double(context,
                          (value_at(m, zeros, (n - 1) / 2) + value_at(m, zeros, n / 2)) / 2);
  sqlite3_free(m->values);
}

/* ---------------------------------------------------------------------- texts */

/* False: the argument is no number, and so is the result. */
static bool number_in(sqlite3_context *context, sqlite3_value **values, double *out)
{
  const int type = sqlite3_value_numeric_type(values[0]);
  *out = sqlite3_value_double(values[0]);
  if ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && isfinite(*out) && fabs(*out) < 9e18)
    return true;
  sqlite3_result_null(context);
  return false;
}

static void give(sqlite3_context *context, const char *text, size_t len)
{
  sqlite3_result_text(context, text, (int)len, SQLITE_TRANSIENT);
}

/* "900.000 us" is 900 us. */
static size_t without_zeros(char *text, size_t len)
{
  char *unit = memchr(text, ' ', len), *end = unit;
  if (!unit || !memchr(text, '.', (size_t)(unit - text))) return len;
  while (end[-1] == '0') end--;
  if (end[-1] == '.') end--;
  memmove(end, unit, (size_t)(text + len - unit));
  return len - (size_t)(unit - end);
}

static void duration(sqlite3_context *context, int n, sqlite3_value **values)
{
  double ns;
  char text[NUM_BUF];
  (void)n;
  if (number_in(context, values, &ns))
    give(context, text, without_zeros(text, num_format_duration(text, (int64_t)round(ns))));
}

static void number(sqlite3_context *context, int n, sqlite3_value **values)
{
  double value;
  char text[NUM_BUF];
  (void)n;
  if (number_in(context, values, &value))
    give(context, text, num_format_count(text, (int64_t)round(value)));
}

/* What is nearly all is not all. */
static void percent(sqlite3_context *context, int n, sqlite3_value **values)
{
  double value;
  char text[NUM_BUF];
  (void)n;
  if (!number_in(context, values, &value)) return;
  const int len =
      g_snprintf(text, sizeof text,
                 fabs(value) < 9.95 || (value > 99 && value < 100) ? "%.1f %%" : "%.0f %%", value);
  give(context, text, MIN((size_t)len, sizeof text - 1));
}

static void brief(sqlite3_context *context, int n, sqlite3_value **values)
{
  (void)n;
  const char *name = (const char *)sqlite3_value_text(values[0]);
  if (!name) return sqlite3_result_null(context);
  const size_t len = (size_t)sqlite3_value_bytes(values[0]);
  char *room = sqlite3_malloc64(MAX(len, BRIEF_BYTES) + 1);
  if (!room) return sqlite3_result_error_nomem(context);
  give(context, room, short_name(room, BRIEF_BYTES, name, len));
  sqlite3_free(room);
}

/* ---------------------------------------------------------------------- table */

/* Tables of SQLite's own are made when they are first named; after guard_set that would be refused. */
static int make_tables(sqlite3 *db)
{
  return sqlite3_exec(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
}

bool functions_add(sqlite3 *db)
{
  static const struct {
    const char *name;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
  } calls[] = {
    { "brief", brief }, { "duration", duration }, { "number", number }, { "percent", percent }
  };
  int status = SQLITE_OK;
  for (size_t i = 0; i < G_N_ELEMENTS(calls) && status == SQLITE_OK; i++)
    status = sqlite3_create_function_v2(db, calls[i].name, 1, FLAGS, NULL, calls[i].call, NULL,
                                        NULL, NULL);
  for (int n = 1; n <= 2 && status == SQLITE_OK; n++)
    status = sqlite3_create_function_v2(db, "median", n, FLAGS, NULL, NULL, median_step, median_end,
                                        NULL);
  return status == SQLITE_OK && make_tables(db) == SQLITE_OK;
}
