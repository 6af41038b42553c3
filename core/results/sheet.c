/* A table as it is written; see sheet.h. */
/* SPDX-License-Identifier: MIT */
#include "results/sheet.h"

#include <string.h>

#include "base/huge.h"
#include "base/natural.h"

enum { LEAST_ROWS = 8, MOST_ROWS = 1024 }; /* rows of a piece: as many as there are so far */

Sheet *sheet_new(const MillTable *table, char *name)
{
  Sheet *s = g_new0(Sheet, 1);
  s->table = table;
  s->name = name;
  s->columns = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  s->rows = g_ptr_array_new();
  s->pieces = g_ptr_array_new_with_free_func(g_free);
  s->renamed = g_ptr_array_new_with_free_func(g_free);
  return s;
}

void sheet_free(Sheet *s)
{
  g_ptr_array_unref(s->rows);
  g_ptr_array_unref(s->pieces);
  g_array_unref(s->columns);
  g_ptr_array_unref(s->renamed);
  g_free(s->name);
  g_free(s);
}

void sheet_add_lead(Sheet *s, const char *name, uint32_t type, uint32_t flags, const char *help)
{
  MillColumn column = { name, NULL, type, MILL_COLUMN_KEY | flags, help };
  g_array_append_val(s->columns, column);
}

/* Whether the column has this name, or this header in files that have no other place for the
 * unit. */
static bool is_called(const MillColumn *column, const char *name)
{
  size_t len = strlen(column->name);
  if (g_ascii_strncasecmp(column->name, name, len)) return false;
  if (!name[len]) return true;
  return column->unit && name[len] == '_' && !g_ascii_strcasecmp(name + len + 1, column->unit);
}

static bool is_taken(const Sheet *s, const char *name, uint32_t but)
{
  for (uint32_t c = 0; c < s->columns->len; c++)
    if (c != but && is_called(&g_array_index(s->columns, MillColumn, c), name)) return true;
  return false;
}

/* Inputs and users name tags, without knowing the columns of a table. */
static void rename_lead(Sheet *s, uint32_t index)
{
  MillColumn *column = &g_array_index(s->columns, MillColumn, index);
  while (is_taken(s, column->name, index)) {
    g_ptr_array_add(s->renamed, g_strconcat("tag_", column->name, NULL));
    column->name = s->renamed->pdata[s->renamed->len - 1];
  }
}

void sheet_add_declared(Sheet *s)
{
  s->n_lead = s->columns->len;
  g_array_append_vals(s->columns, s->table->columns.at, s->table->columns.n);
  for (uint32_t c = s->n_lead; c-- > 0;) rename_lead(s, c);
}

static void add_piece(Sheet *s, size_t n_rows)
{
  s->n_room = s->columns->len * n_rows;
  s->room = huge_alloc(s->n_room * sizeof *s->room);
  g_ptr_array_add(s->pieces, s->room);
}

void sheet_reserve(Sheet *s, uint64_t n_rows)
{
  if (n_rows) add_piece(s, n_rows);
}

static MillValue *new_row(Sheet *s)
{
  if (s->n_room < s->columns->len) add_piece(s, CLAMP(s->rows->len, LEAST_ROWS, MOST_ROWS));
  MillValue *cells = s->room;
  s->room += s->columns->len;
  s->n_room -= s->columns->len;
  g_ptr_array_add(s->rows, cells);
  return cells;
}

MillValue *sheet_add_cells(Sheet *s)
{
  MillValue *cells = new_row(s);
  memset(cells, 0, s->columns->len * sizeof *cells);
  return cells;
}

MillValue *sheet_show_row(Sheet *s, MillValue *declared)
{
  MillValue *cells = declared - s->n_lead;
  sheet_touch(s, cells);
  memset(cells, 0, s->n_lead * sizeof *cells);
  g_ptr_array_add(s->rows, cells);
  return cells;
}

MillValue *sheet_add_row(Sheet *s, const MillValue *declared)
{
  MillValue *cells = new_row(s);
  memset(cells, 0, s->n_lead * sizeof *cells);
  memcpy(cells + s->n_lead, declared, s->table->columns.n * sizeof *cells);
  return cells;
}

/* ------------------------------------------------------------------- order */

static int compare_values(const MillValue *a, const MillValue *b)
{
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  switch (a->type) {
  case MILL_REAL: return a->u.r < b->u.r ? -1 : a->u.r > b->u.r;
  case MILL_TEXT: {
    int order = memcmp(a->u.text, b->u.text, MIN(a->len, b->len));
    return order ? order : a->len < b->len ? -1 : a->len > b->len;
  }
  case MILL_NONE: return 0;
  default: return a->u.i < b->u.i ? -1 : a->u.i > b->u.i;
  }
}

int sheet_compare_keys(const MillValue *a, const MillValue *b)
{
  if (a->type != MILL_TEXT || b->type != MILL_TEXT) return compare_values(a, b);
  return natural_compare(a->u.text, a->len, b->u.text, b->len);
}

static const MillColumn *column_at(const Sheet *s, uint32_t index)
{
  return &g_array_index(s->columns, MillColumn, index);
}

static int column_named(const Sheet *s, const char *name, size_t len)
{
  for (uint32_t c = 0; c < s->columns->len; c++) {
    const char *own = column_at(s, c)->name;
    if (strlen(own) == len && !strncmp(own, name, len)) return (int)c;
  }
  return -1;
}

/* By the declared order, for example "-total,name". */
static int compare_declared(const Sheet *s, const MillValue *a, const MillValue *b)
{
  for (const char *p = s->table->order; p && *p; p += *p == ',') {
    bool down = *p == '-';
    p += down;
    size_t len = strcspn(p, ",");
    int c = column_named(s, p, len), order = c < 0 ? 0 : compare_values(&a[c], &b[c]);
    if (order) return down ? -order : order;
    p += len;
  }
  return 0;
}

static gint compare_rows(gconstpointer x, gconstpointer y, gpointer sheet)
{
  const Sheet *s = sheet;
  const MillValue *a = *(MillValue *const *)x, *b = *(MillValue *const *)y;
  int order = 0;
  sheet_touch(s, a);
  sheet_touch(s, b);
  for (uint32_t c = 0; c < s->n_lead && !order; c++) order = sheet_compare_keys(&a[c], &b[c]);
  if (!order) order = compare_declared(s, a, b);
  for (uint32_t c = s->n_lead; c < s->columns->len && !order; c++)
    if (column_at(s, c)->flags & MILL_COLUMN_KEY) order = sheet_compare_keys(&a[c], &b[c]);
  return order;
}

/* Many stages report rows in the order of their keys, which is sorted. */
static bool is_sorted(const Sheet *s)
{
  for (guint i = 1; i < s->rows->len; i++)
    if (compare_rows(&s->rows->pdata[i - 1], &s->rows->pdata[i], (gpointer)s) > 0) return false;
  return true;
}

/* A merge sort: rows that are equal keep their order. */
void sheet_sort(Sheet *s)
{
  if (is_sorted(s)) return;
  g_qsort_with_data(s->rows->pdata, (gint)s->rows->len, sizeof(gpointer), compare_rows, s);
}
