/* Views of results; see view.h. */
#include "rules/view.h"

#include <string.h>

#include "results/sheet.h"

enum { ROWS_MOST = 10000 };

typedef struct Rows {
  uint32_t n_columns;
  GArray *cells;   /* MillValue */
  uint32_t *types; /* of each column: that of its values; a real where some are */
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
                       .flags = MILL_COLUMN_BRIEF | (index == 0 ? MILL_COLUMN_KEY : 0),
                       .help = "" };
}

static Sheet *sheet_of(Results *r, const Rule *rule, const SqlQuery *q, const Rows *rows)
{
  MillTable *table = results_alloc(r, sizeof *table);
  MillColumn *columns = results_alloc(r, rows->n_columns * sizeof *columns);
  for (uint32_t c = 0; c < rows->n_columns; c++) columns[c] = column_of(r, q, rows, c);
  *table = (MillTable){ .per = MILL_PER_RUN,
                        .brief_rows = MIN(rows->cells->len / rows->n_columns, rule->screen_rows),
                        .name = results_text(r, rule->name, strlen(rule->name)),
                        .help = results_text(r, rule->title, strlen(rule->title)),
                        .columns = { columns, rows->n_columns, sizeof *columns } };
  Sheet *s = sheet_new(table, g_strdup(rule->name));
  sheet_add_declared(s);
  return s;
}

static MillValue cell_as(MillValue v, uint32_t type)
{
  if (v.type == MILL_INT && type == MILL_REAL) return mill_real((double)v.u.i);
  return v.type == type ? v : mill_none();
}

Error *view_add(Results *r, const Rule *rule, SqlQuery *q)
{
  Rows rows = { .n_columns = sql_n_columns(q),
                .cells = g_array_new(FALSE, FALSE, sizeof(MillValue)) };
  rows.types = g_new0(uint32_t, rows.n_columns);
  Error *e = read_rows(r, q, &rows);
  if (!e) {
    Sheet *s = sheet_of(r, rule, q, &rows);
    for (guint i = 0; i < rows.cells->len; i += rows.n_columns) {
      MillValue *cells = sheet_add_cells(s);
      for (uint32_t c = 0; c < rows.n_columns; c++)
        cells[c] = cell_as(g_array_index(rows.cells, MillValue, i + c),
                           MILL_AT(MillColumn, s->table->columns, c)->type);
    }
    results_add_sorted(r, s);
  }
  g_array_unref(rows.cells);
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
