/* Views of results; see view.h. */
/* SPDX-License-Identifier: MIT */
#include "rules/view.h"

#include <string.h>

#include "results/sheet.h"
#include "rules/group.h"

enum { ROWS_MOST = 10000, NO_GROUP = -1 };
#define GROUP "group"

typedef struct Rows {
  uint32_t n_columns;
  GArray *cells;   /* MillValue */
  uint32_t *types; /* of each column: that of its values; a real where some are */
  int group;       /* the column with the group of each row; NO_GROUP: there is none */
  GPtrArray *tags; /* const char *: of these groups */
} Rows;

static MillValue kept(Results *r, const MillValue *v)
{
  if (v->type != MILL_TEXT) return *v;
  return mill_text(results_text(r, v->u.text, v->len), v->len);
}

static Error *read_rows(Results *r, SqlQuery *q, Rows *out)
{
  bool more = false;
  Error *e;
  while (!(e = sql_step(q, &more)) && more && out->cells->len < (guint)ROWS_MOST * out->n_columns)
    for (uint32_t c = 0; c < out->n_columns; c++) {
      MillValue v = sql_cell(q, c);
      v = kept(r, &v);
      g_array_append_val(out->cells, v);
      if (v.type != MILL_NONE && out->types[c] != MILL_REAL) out->types[c] = v.type;
    }
  return e;
}

/* -------------------------------------------------------------------- groups */

typedef struct Lead { /* the cells of the tags in a row */
  Results *results;
  const Rows *rows;
  MillValue *cells;
} Lead;

static guint index_of(const Rows *rows, const char *tag)
{
  guint index = 0;
  while (index < rows->tags->len && strcmp(rows->tags->pdata[index], tag)) index++;
  return index;
}

static void know_tag(void *context, const char *tag, const char *value)
{
  const Lead *l = context;
  (void)value;
  if (index_of(l->rows, tag) < l->rows->tags->len) return;
  g_ptr_array_add(l->rows->tags, (gpointer)results_text(l->results, tag, strlen(tag)));
}

static void fill_tag(void *context, const char *tag, const char *value)
{
  const Lead *l = context;
  const size_t len = strlen(value);
  if (len) l->cells[index_of(l->rows, tag)] = mill_text(results_text(l->results, value, len), len);
}

static const MillValue *row_at(const Rows *rows, guint row)
{
  return &g_array_index(rows->cells, MillValue, row * rows->n_columns);
}

static guint count_rows(const Rows *rows) { return rows->cells->len / rows->n_columns; }

static void find_tags(Results *r, const SqlQuery *q, Rows *rows)
{
  const Lead lead = { r, rows, NULL };
  rows->group = NO_GROUP;
  for (uint32_t c = 0; c < rows->n_columns; c++)
    if (!strcmp(sql_column(q, c), GROUP)) rows->group = (int)c;
  for (guint i = 0; rows->group >= 0 && i < count_rows(rows); i++)
    group_each(&row_at(rows, i)[rows->group], know_tag, (void *)&lead);
}

/* ------------------------------------------------------------------- columns */

/* Of "total_ns" the unit, and the length of "total". */
static const char *unit_of(const char *column, size_t *out_len)
{
  static const char *const units[] = { "ns", "percent", "bytes", "count", NULL };
  const char *last = strrchr(column, '_');
  *out_len = strlen(column);
  for (size_t i = 0; last && units[i]; i++)
    if (!strcmp(last + 1, units[i])) {
      *out_len = (size_t)(last - column);
      return units[i];
    }
  return NULL;
}

static MillColumn column_of(Results *r, const SqlQuery *q, const Rows *rows, uint32_t index)
{
  size_t len;
  const char *name = sql_column(q, index), *unit = unit_of(name, &len);
  return (MillColumn){ .name = results_text(r, name, len),
                       .unit = unit,
                       .type = rows->types[index] ? rows->types[index] : MILL_TEXT,
                       .flags = MILL_COLUMN_BRIEF |
                                (index == 0 && !rows->tags->len ? MILL_COLUMN_KEY : 0),
                       .help = "" };
}

/* Tags lead; the group itself is no column. */
static Sheet *sheet_of(Results *r, const Rule *rule, const SqlQuery *q, const Rows *rows)
{
  MillTable *table = results_alloc(r, sizeof *table);
  MillColumn *columns = results_alloc(r, rows->n_columns * sizeof *columns);
  uint32_t n = 0;
  for (uint32_t c = 0; c < rows->n_columns; c++)
    if ((int)c != rows->group) columns[n++] = column_of(r, q, rows, c);
  *table = (MillTable){ .per = MILL_PER_RUN,
                        .brief_rows = MIN(count_rows(rows), rule->screen_rows),
                        .name = results_text(r, rule->name, strlen(rule->name)),
                        .help = results_text(r, rule->title, strlen(rule->title)),
                        .columns = { columns, n, sizeof *columns } };
  Sheet *s = sheet_new(table, g_strdup(rule->name));
  for (guint i = 0; i < rows->tags->len; i++)
    sheet_add_lead(s, rows->tags->pdata[i], MILL_TEXT, MILL_COLUMN_BRIEF,
                   "Tag by which rows are grouped");
  sheet_add_declared(s);
  return s;
}

static MillValue cell_as(MillValue v, uint32_t type)
{
  if (v.type == MILL_INT && type == MILL_REAL) return mill_real((double)v.u.i);
  return v.type == type ? v : mill_none();
}

static void add_row(Results *r, Sheet *s, const Rows *rows, const MillValue *from)
{
  MillValue *cells = sheet_add_cells(s);
  const Lead lead = { r, rows, cells };
  uint32_t n = s->n_lead;
  if (rows->group >= 0) group_each(&from[rows->group], fill_tag, (void *)&lead);
  for (uint32_t c = 0; c < rows->n_columns; c++) {
    if ((int)c == rows->group) continue;
    cells[n] = cell_as(from[c], g_array_index(s->columns, MillColumn, n).type);
    n++;
  }
}

/* Rows of groups are in the order of their tags, all others as they came.  Of groups there is no table where there are none. */
Error *view_add(Results *r, const Rule *rule, SqlQuery *q)
{
  Rows rows = { .n_columns = sql_n_columns(q),
                .cells = g_array_new(FALSE, FALSE, sizeof(MillValue)),
                .tags = g_ptr_array_new() };
  rows.types = g_new0(uint32_t, rows.n_columns);
  Error *e = read_rows(r, q, &rows);
  if (!e) find_tags(r, q, &rows);
  if (!e && (rows.group < 0 || rows.tags->len)) {
    Sheet *s = sheet_of(r, rule, q, &rows);
    for (guint i = 0; i < count_rows(&rows); i++) add_row(r, s, &rows, row_at(&rows, i));
    if (rows.tags->len)
      results_add_sheet(r, s);
    else
      results_add_sorted(r, s);
  }
  g_array_unref(rows.cells);
  g_ptr_array_unref(rows.tags);
  g_free(rows.types);
  return e;
}

static void set_text(Results *r, const char *info, const SqlQuery *q, uint32_t column)
{
  const MillValue v = sql_cell(q, column);
  g_autofree char *text = v.type == MILL_TEXT ? g_strndup(v.u.text, v.len) : NULL;
  results_set_info(r, info, text);
}

Error *view_add_verdict(Results *r, SqlQuery *q)
{
  bool more = false;
  Error *e = sql_step(q, &more);
  if (e || !more) return e;
  set_text(r, "verdict", q, 0);
  if (sql_n_columns(q) > 1) set_text(r, "no-findings", q, 1);
  return NULL;
}
