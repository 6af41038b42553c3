/* Tables by name and forms of cells; see table.h. */
/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <string.h>

#include "base/num.h"
#include "kit/sink/cells.h"
#include "kit/sink/result.h"
#include "python.h"

bool table_find(const MillResults *r, const char *name, Table *out)
{
  for (uint32_t i = 0; i < r->n_tables; i++) {
    *out = (Table){ r, i, { .size = sizeof out->t } };
    if (r->table(r, i, &out->t) && strcmp(out->t.table->name, name) == 0) return true;
  }
  return false;
}

enum { NO_COLUMN = UINT32_MAX };

static uint32_t column_of(const Table *t, const char *name)
{
  for (uint32_t i = 0; i < t->t.columns.n; i++)
    if (strcmp(MILL_AT(MillColumn, t->t.columns, i)->name, name) == 0) return i;
  return NO_COLUMN;
}

bool table_has(const Table *t, const char *column) { return column_of(t, column) != NO_COLUMN; }

MillValue table_cell(const Table *t, const MillValue *row, const char *column)
{
  uint32_t i = row ? column_of(t, column) : NO_COLUMN;
  return i == NO_COLUMN ? mill_none() : row[i];
}

/* ---- forms of cells */

static void put_scaled(GString *line, const MillValue *v, double by)
{
  char buf[NUM_BUF];
  double value = v->type == MILL_INT ? (double)v->u.i : v->u.r;
  if (v->type == MILL_INT || v->type == MILL_REAL)
    g_string_append_len(line, buf, (gssize)num_format_real(buf, value / by));
}

/* "a,b" as ('a', 'b'), "TN" as (True, False). */
static void put_pair(GString *out, const char *text, size_t len)
{
  const char *comma = memchr(text, ',', len);
  size_t first = comma ? (size_t)(comma - text) : len;
  if (comma)
    g_string_append_printf(out, "('%.*s', '%.*s')", (int)first, text, (int)(len - first - 1),
                           comma + 1);
}

static void put_flags(GString *out, const char *text, size_t len)
{
  if (len == 2)
    g_string_append_printf(out, "(%s, %s)", text[0] == 'T' ? "True" : "False",
                           text[1] == 'T' ? "True" : "False");
}

static void put_words(GString *line, const MillHost *common, const MillValue *v, Form form)
{
  g_autoptr(GString) words = g_string_new(NULL);
  size_t len = 0;
  const char *text = result_text(common, v, &len);
  if (!text || len == 0) return;
  if (form == TUPLE) python_tuple(words, text, len);
  if (form == DETAILS) python_details(words, text, len);
  if (form == PAIR) put_pair(words, text, len);
  if (form == FLAGS) put_flags(words, text, len);
  cells_put_text(line, words->str, words->len);
}

void table_put(GString *line, const MillHost *common, MillValue v, Form form)
{
  switch (form) {
  case AS_IS: cells_put(line, common, &v); break;
  case IN_US: put_scaled(line, &v, 1e3); break;
  case IN_MS: put_scaled(line, &v, 1e6); break;
  case IN_GIGA: put_scaled(line, &v, 1e9); break;
  case IN_MIB: put_scaled(line, &v, 1048576); break;
  case IN_GIB: put_scaled(line, &v, 1.073741824); break;
  case YES_NO:
    if (v.type == MILL_BOOL) g_string_append(line, v.u.i ? "True" : "False");
    break;
  default: put_words(line, common, &v, form);
  }
}
