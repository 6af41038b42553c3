/* The rows of a query as they are printed; see query-print.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/query-print.h"

#include <math.h>
#include <string.h>

#include "base/json-write.h"
#include "base/num.h"
#include "base/trees.h"
#include "cmd/query-text.h"

enum { PIECE_BYTES = 256 << 10 };

GPtrArray *query_columns(const SqlQuery *q)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  GTree *taken = text_set_new();
  for (uint32_t i = 0; i < sql_n_columns(q); i++) {
    g_autofree char *shown = query_text_shown(sql_column(q, i));
    char *name = g_strdup(shown);
    for (unsigned n = 2; text_set_has(taken, name); n++) {
      g_free(name);
      name = g_strdup_printf("%s_%u", shown, n);
    }
    text_set_add(taken, g_strdup(name));
    g_ptr_array_add(names, name);
  }
  g_tree_unref(taken);
  return names;
}

/* ------------------------------------------------------------------------- JSON */

static void put_json_cell(JsonWriter *out, const char *key, const MillValue *v)
{
  switch (v->type) {
  case MILL_INT: json_put_int(out, key, v->u.i); break;
  case MILL_REAL: json_put_real(out, key, v->u.r); break;
  case MILL_TEXT: json_put_string(out, key, v->u.text, v->len); break;
  default: json_put_text(out, key, NULL);
  }
}

static int print_piece(GString *text)
{
  int status = cli_print(text->str, text->len);
  g_string_truncate(text, 0);
  return status;
}

Error *query_print_json(SqlQuery *q, int *out_status)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GPtrArray) names = query_columns(q);
  JsonWriter out = { .text = text, .layout = JSON_SPACED };
  bool row = true;
  json_put_open(&out, NULL, '{');
  json_put_array(&out, "columns", names);
  json_put_lines(&out, "rows", '[');
  for (*out_status = EXIT_DONE; !*out_status;) {
    Error *e = sql_step(q, &row);
    if (e) return e;
    if (!row) break;
    json_put_open(&out, NULL, '{');
    for (uint32_t i = 0; i < names->len; i++) {
      const MillValue v = sql_cell(q, i);
      put_json_cell(&out, names->pdata[i], &v);
    }
    json_put_close(&out);
    if (text->len >= PIECE_BYTES) *out_status = print_piece(text);
  }
  json_put_close(&out);
  json_put_end(&out);
  if (!*out_status) *out_status = print_piece(text);
  return NULL;
}

/* ---------------------------------------------------------------------- results */

static Sheet *new_sheet(Results *r, const GPtrArray *names)
{
  MillTable *table = results_alloc(r, sizeof *table);
  MillColumn *columns = results_alloc(r, MAX(names->len, 1) * sizeof *columns);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    columns[i] = (MillColumn){ .name = results_text(r, name, strlen(name)) };
  }
  *table = (MillTable){ .name = "query", .columns = { columns, names->len, sizeof *columns } };
  Sheet *s = sheet_new(table, g_strdup("query"));
  sheet_add_declared(s);
  return s;
}

static void add_row(Results *r, Sheet *s, const SqlQuery *q)
{
  MillValue *cells = sheet_add_cells(s);
  for (guint i = 0; i < s->columns->len; i++) {
    cells[i] = sql_cell(q, i);
    if (cells[i].type == MILL_TEXT)
      cells[i].u.text = results_text(r, cells[i].u.text, cells[i].len);
  }
}

static uint32_t wider(uint32_t type, uint32_t cell)
{
  if (cell == MILL_NONE || cell == type) return type;
  if (type == MILL_NONE) return cell;
  return type == MILL_TEXT || cell == MILL_TEXT ? MILL_TEXT : MILL_REAL;
}

static char *number_text(const MillValue *v)
{
  char number[NUM_BUF];
  if (v->type == MILL_INT)
    num_format_int(number, v->u.i);
  else
    num_format_real(number, v->u.r);
  return g_strdup(number);
}

static void fit_cell(Results *r, uint32_t type, MillValue *cell)
{
  if (cell->type == type || cell->type == MILL_NONE) return;
  if (type == MILL_REAL) *cell = mill_real((double)cell->u.i);
  if (type != MILL_TEXT) return;
  g_autofree char *text = number_text(cell);
  *cell = mill_text(results_text(r, text, strlen(text)), strlen(text));
}

/* A column has one type: of all its values. */
static void set_types(Results *r, Sheet *s)
{
  for (guint c = 0; c < s->columns->len; c++) {
    uint32_t type = MILL_NONE;
    for (guint i = 0; i < s->rows->len; i++)
      type = wider(type, ((MillValue *)s->rows->pdata[i])[c].type);
    if (type == MILL_NONE) type = MILL_TEXT;
    g_array_index(s->columns, MillColumn, c).type = type;
    for (guint i = 0; i < s->rows->len; i++)
      fit_cell(r, type, &((MillValue *)s->rows->pdata[i])[c]);
  }
}

Error *query_results(SqlQuery *q, Results **out)
{
  g_autoptr(GPtrArray) names = query_columns(q);
  Results *r = results_new();
  Sheet *s = new_sheet(r, names);
  bool row = true;
  Error *e = NULL;
  while (!(e = sql_step(q, &row)) && row) add_row(r, s, q);
  if (!e) set_types(r, s);
  results_add_sorted(r, s);
  if (e)
    results_free(r);
  else
    *out = r;
  return e;
}

/* ------------------------------------------------------------------- for people */

static char *cell_text(const MillValue *v)
{
  if (v->type == MILL_TEXT) return g_strndup(v->u.text, v->len);
  return v->type == MILL_NONE ? g_strdup("-") : number_text(v);
}

void query_put_text(Results *r, GString *out)
{
  const MillResults *view = results_view(r);
  MillTableResult t = { .size = sizeof t };
  view->table(view, 0, &t);
  CliGrid *grid = cli_grid_new(t.columns.n);
  for (uint32_t c = 0; c < t.columns.n; c++)
    cli_grid_put(grid, MILL_AT(MillColumn, t.columns, c)->name);
  for (uint64_t i = 0; i < t.n_rows; i++)
    for (uint32_t c = 0; c < t.columns.n; c++) {
      g_autofree char *text = cell_text(&view->row(view, 0, i)[c]);
      cli_grid_put(grid, text);
    }
  cli_grid_write(grid, "", out);
}

/* One line, and no mark of Markdown or HTML. */
static void put_marked(GString *out, const char *text)
{
  for (; *text; text++) {
    if (strchr("\\`*_{}[]<>|#&~", *text)) g_string_append_c(out, '\\');
    g_string_append_c(out, *text == '\n' || *text == '\r' ? ' ' : *text);
  }
}

static void put_marked_row(const MillTableResult *t, const MillValue *cells, GString *out)
{
  g_string_append_c(out, '|');
  for (uint32_t c = 0; c < t->columns.n; c++) {
    g_autofree char *text =
        cells ? cell_text(&cells[c]) : g_strdup(MILL_AT(MillColumn, t->columns, c)->name);
    g_string_append_c(out, ' ');
    put_marked(out, text);
    g_string_append(out, " |");
  }
  g_string_append_c(out, '\n');
}

void query_put_markdown(Results *r, GString *out)
{
  const MillResults *view = results_view(r);
  MillTableResult t = { .size = sizeof t };
  view->table(view, 0, &t);
  put_marked_row(&t, NULL, out);
  g_string_append_c(out, '|');
  for (uint32_t c = 0; c < t.columns.n; c++)
    g_string_append(out,
                    MILL_AT(MillColumn, t.columns, c)->type == MILL_TEXT ? " --- |" : " ---: |");
  g_string_append_c(out, '\n');
  for (uint64_t i = 0; i < t.n_rows; i++) put_marked_row(&t, view->row(view, 0, i), out);
}
