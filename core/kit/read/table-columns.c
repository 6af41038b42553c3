/* Columns of tables as declarations; see table-columns.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-columns.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

#define LARGEST 9e18 /* of integers that are written as reals */

static const TableColumn *column_at(const TableColumns *columns, uint32_t i)
{
  return (const TableColumn *)(const void *)((const char *)columns->first + i * columns->stride);
}

CsvCell table_trimmed(const CsvCell *cell)
{
  const char *p = cell->text, *end = p + cell->len;
  while (p < end && g_ascii_isspace(*p)) p++;
  while (end > p && g_ascii_isspace(end[-1])) end--;
  return (CsvCell){ p, (uint32_t)(end - p), cell->at };
}

/* ------------------------------------------------------------------ titles */

char *table_title(const TableColumn *column)
{
  return g_strndup(column->title, strcspn(column->title, "|"));
}

static bool is_title(const CsvCell *cell, const char *titles, uint32_t *out_which)
{
  CsvCell c = table_trimmed(cell);
  uint32_t which = 0;
  for (const char *title = titles;; which++) {
    size_t len = strcspn(title, "|");
    if (len == c.len && !g_ascii_strncasecmp(title, c.text, len)) {
      *out_which = which;
      return true;
    }
    if (!title[len]) return false;
    title += len + 1;
  }
}

/* Of one title the last cell counts. */
static void find_column(const TableColumns *columns, uint32_t c, const CsvCell *cells, uint32_t n,
                        TableFound *io)
{
  uint32_t which;
  for (uint32_t i = 0; i < n; i++) {
    if (!is_title(&cells[i], column_at(columns, c)->title, &which)) continue;
    if (io->at[c] != TABLE_NO_CELL) {
      io->twice = c;
      io->twice_at = cells[i].at;
    }
    if (io->at[c] != TABLE_NO_CELL && which > io->which[c]) continue;
    io->at[c] = i;
    io->which[c] = which;
  }
  io->n += io->at[c] != TABLE_NO_CELL;
}

void table_find(const TableColumns *columns, const CsvCell *cells, uint32_t n_cells,
                TableFound *out)
{
  *out = (TableFound){ .twice = TABLE_NO_CELL };
  for (uint32_t c = 0; c < columns->n; c++) {
    out->at[c] = TABLE_NO_CELL;
    find_column(columns, c, cells, n_cells, out);
  }
}

static bool has_title(const TableColumns *columns, const TableFound *found, const char *title)
{
  for (uint32_t c = 0; title && c < columns->n; c++)
    if (!strcmp(column_at(columns, c)->title, title)) return found->at[c] != TABLE_NO_CELL;
  return false;
}

char *table_missing(const TableColumns *columns, const TableFound *found)
{
  const TableColumn *one_of = NULL;
  bool has_one = false;
  for (uint32_t c = 0; c < columns->n; c++) {
    const TableColumn *column = column_at(columns, c);
    bool has = found->at[c] != TABLE_NO_CELL || has_title(columns, found, column->instead);
    if (column->flags & TABLE_NEEDED && !has) return table_title(column);
    if (!(column->flags & TABLE_ONE_OF)) continue;
    one_of = column;
    has_one = has_one || has;
  }
  return one_of && !has_one ? table_title(one_of) : NULL;
}

bool table_is_typical(const TableColumns *columns, const TableFound *found)
{
  bool hints = false, has_hint = false;
  for (uint32_t c = 0; c < columns->n; c++) {
    uint32_t flags = column_at(columns, c)->flags;
    bool has = found->at[c] != TABLE_NO_CELL;
    if (flags & TABLE_TYPICAL && !has) return false;
    hints = hints || flags & TABLE_HINT;
    has_hint = has_hint || (flags & TABLE_HINT && has);
  }
  return !hints || has_hint;
}

/* ----------------------------------------------------------------- numbers */

static bool read_whole(const TableColumn *column, const char *text, size_t len, int64_t *out)
{
  double real;
  if (!(column->flags & TABLE_AS_REAL)) return num_int(text, len, out);
  if (!num_real(text, len, &real)) return false; /* also 0x10, which num_int takes */
  if (num_int(text, len, out)) return true;
  if (!(fabs(real) < LARGEST)) return false;
  *out = (int64_t)real;
  return column->flags & TABLE_LENIENT || (double)*out == real;
}

static const char *read_int(const TableColumn *column, const char *text, size_t len,
                            TableValue *out)
{
  *out = (TableValue){ .is_known = true, .u.i = column->otherwise };
  if (len == 0 && (!(column->flags & TABLE_NEEDED) || column->flags & TABLE_HOLES)) return NULL;
  int64_t v;
  bool fits = read_whole(column, text, len, &v) && v >= column->least &&
              (!column->most || v <= column->most);
  if (fits) out->u.i = v;
  return fits || column->flags & TABLE_LENIENT ? NULL : "a whole number in its range";
}

static const char *read_real(const TableColumn *column, const char *text, size_t len,
                             TableValue *out)
{
  const uint32_t flags = column->flags;
  *out = (TableValue){ 0 };
  out->is_known = num_real(text, len, &out->u.r) && isfinite(out->u.r);
  if (!out->is_known) return flags & TABLE_LENIENT ? NULL : "a number";
  if (flags & TABLE_ABOVE_0 && !(out->u.r > 0)) return "above 0";
  return flags & TABLE_FROM_0 && out->u.r < 0 ? "0 or more" : NULL;
}

const char *table_number(const TableColumn *column, const char *text, size_t len, TableValue *out)
{
  return column->type == TABLE_INT ? read_int(column, text, len, out)
                                   : read_real(column, text, len, out);
}
