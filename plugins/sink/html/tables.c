/* Tables of the page: their first rows, as many as fit; what is left out is said. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "data.h"

static void put_flag(Data *d, const char *key, bool value)
{
  if (value) json_put_bool(&d->out, key, true);
}

static void put_column(Data *d, const MillColumn *c)
{
  static const char *const types[] = {
    [MILL_INT] = "int", [MILL_REAL] = "real", [MILL_TEXT] = "text", [MILL_BOOL] = "bool"
  };
  uint32_t type = c->type < G_N_ELEMENTS(types) && types[c->type] ? c->type : MILL_TEXT;
  json_put_open(&d->out, NULL, '{');
  json_put_text(&d->out, "name", c->name);
  json_put_text(&d->out, "unit", c->unit && *c->unit ? c->unit : NULL);
  json_put_text(&d->out, "type", types[type]);
  put_flag(d, "key", c->flags & MILL_COLUMN_KEY);
  put_flag(d, "finding", c->flags & MILL_COLUMN_FINDING);
  if (c->help && *c->help) json_put_text(&d->out, "help", c->help);
  json_put_close(&d->out);
}

static void put_row(Data *d, MillColumnRows columns, const MillValue *cells)
{
  json_put_open(&d->out, NULL, '[');
  for (uint32_t i = 0; i < columns.n; i++) data_value(d, NULL, &cells[i]);
  json_put_close(&d->out);
}

/* How many were written: until there are enough, or no room is left. */
static uint64_t put_rows(Data *d, const MillResults *r, uint32_t index, const MillTableResult *t,
                         uint64_t room, int *out_status)
{
  uint64_t most = d->max_rows ? MIN(d->max_rows, t->n_rows) : t->n_rows, row = 0;
  uint64_t end = data_size(d) + room;
  *out_status = 0;
  json_put_open(&d->out, "rows", '[');
  for (; row < most && data_size(d) < end && *out_status >= 0; row++) {
    g_string_append_c(d->out.text, '\n'); /* a line each, without the blanks before it */
    put_row(d, t->columns, r->row(r, index, row));
    *out_status = data_flush_pieces(d);
  }
  json_put_close(&d->out);
  return row;
}

static void say_left_out(Data *d, const MillTableResult *t, uint64_t n)
{
  char shown[NUM_BUF], all[NUM_BUF], rest[NUM_BUF];
  num_format_count(shown, (int64_t)n);
  num_format_count(all, (int64_t)t->n_rows);
  num_format_count(rest, (int64_t)(t->n_rows - n));
  g_autofree char *here = g_strdup_printf(
      "Only the first %s of %s rows are here. All of them: --format csv", shown, all);
  json_put_text(&d->out, "left_out", here);
  g_ptr_array_add(d->left_out,
                  g_strdup_printf("%s of %s rows of the table %s: --format csv has all of them, "
                                  "--set html.max-rows and html.max-size change how many are here",
                                  rest, all, t->name));
}

static int put_table(Data *d, const MillResults *r, uint32_t index, uint64_t room)
{
  MillTableResult t = { .size = sizeof t };
  int status;
  r->table(r, index, &t);
  json_put_lines(&d->out, NULL, '{');
  json_put_text(&d->out, "name", t.name);
  json_put_text(&d->out, "help", t.table->help);
  json_put_uint(&d->out, "n_rows", t.n_rows);
  json_put_lines(&d->out, "columns", '[');
  for (uint32_t i = 0; i < t.columns.n; i++) put_column(d, MILL_AT(MillColumn, t.columns, i));
  json_put_close(&d->out);
  uint64_t n = put_rows(d, r, index, &t, room, &status);
  if (n < t.n_rows) say_left_out(d, &t, n);
  json_put_close(&d->out);
  return status;
}

/* Each gets its share of the room that those before it have left. */
int data_tables(Data *d, const MillResults *r)
{
  int status = 0;
  json_put_lines(&d->out, "tables", '[');
  for (uint32_t i = 0; i < r->n_tables && status >= 0; i++) {
    uint64_t size = data_size(d), left = d->max_bytes > size ? d->max_bytes - size : 0;
    status = put_table(d, r, i, left / (r->n_tables - i));
  }
  json_put_close(&d->out);
  return status;
}
