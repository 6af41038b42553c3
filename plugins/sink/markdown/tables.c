/* What was found, and the first rows of tables. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "escape.h"
#include "kit/sink/cell.h"
#include "kit/sink/result.h"
#include "page.h"

#define MOST_CAPTIONS 100u

typedef struct View {
  const MillHost *common;
  const MillResults *results;
  uint32_t index;
  MillTableResult result;
  uint64_t n_rows; /* shown */
  GArray *shown;   /* uint32_t: columns */
} View;

static const MillColumn *column_at(const View *v, uint32_t column)
{
  return MILL_AT(MillColumn, v->result.columns, column);
}

static const MillValue *cell_at(const View *v, uint64_t row, uint32_t column)
{
  return &v->results->row(v->results, v->index, row)[column];
}

/* Columns that say of which lane or group a row is. */
static uint32_t n_lead(const View *v)
{
  return v->result.columns.n - MIN(v->result.table->columns.n, v->result.columns.n);
}

static bool is_empty(const View *v, const MillValue *cell)
{
  size_t len;
  const char *text = result_text(v->common, cell, &len);
  return text ? !len : cell->type == MILL_NONE || (cell->type == MILL_REAL && !isfinite(cell->u.r));
}

static void put_cell(const View *v, GString *out, const MillValue *cell, const NumScale *scale)
{
  size_t len;
  double number;
  const char *text = result_text(v->common, cell, &len);
  if (text)
    escape_text(out, text, len);
  else if (cell->type == MILL_BOOL)
    g_string_append(out, cell->u.i ? "yes" : "no");
  else if (cell_has_number(cell, &number))
    escape_number(out, scale, number);
}

/* ---------------------------------------------------------------- findings */

/* " (rank 3, tp 8)" */
static void put_lead(const View *v, GString *out, uint64_t row)
{
  const char *joint = " (";
  for (uint32_t c = 0; c < n_lead(v); c++) {
    const MillValue *cell = cell_at(v, row, c);
    NumScale plain = num_scale(NULL, 0, true);
    if (is_empty(v, cell)) continue;
    g_string_append(out, joint);
    escape_string(out, column_at(v, c)->name);
    g_string_append_c(out, ' ');
    put_cell(v, out, cell, &plain);
    joint = ", ";
  }
  if (*joint == ',') g_string_append_c(out, ')');
}

static uint64_t put_captions_of(const View *v, uint32_t column, GString *out, uint64_t n)
{
  for (uint64_t row = 0; row < v->result.n_rows; row++) {
    const MillValue *cell = cell_at(v, row, column);
    if (is_empty(v, cell) || n++ >= MOST_CAPTIONS) continue;
    g_string_append(out, "- ");
    put_cell(v, out, cell, NULL);
    put_lead(v, out, row);
    g_string_append_c(out, '\n');
  }
  return n;
}

void page_captions(GString *out, const MillHost *common, const MillResults *r)
{
  View v = { .common = common, .results = r, .result.size = sizeof v.result };
  g_autoptr(GString) list = g_string_new(NULL);
  uint64_t n = 0;
  for (; r->table(r, v.index, &v.result); v.index++)
    for (uint32_t c = 0; c < v.result.columns.n; c++)
      if (column_at(&v, c)->flags & MILL_COLUMN_FINDING && column_at(&v, c)->type == MILL_TEXT)
        n = put_captions_of(&v, c, list, n);
  if (!n) return;
  g_string_append_printf(out, "\n## Captions\n\n%s", list->str);
  if (n > MOST_CAPTIONS)
    g_string_append_printf(out, "\n%" G_GUINT64_FORMAT " more: see the tables\n",
                           n - MOST_CAPTIONS);
}

/* ------------------------------------------------------------------ tables */

static bool any_value(const View *v, uint32_t column)
{
  for (uint64_t row = 0; row < v->n_rows; row++)
    if (!is_empty(v, cell_at(v, row, column))) return true;
  return false;
}

/* Brief columns, all where none is declared so; of the lead what says something. */
static void choose_columns(View *v)
{
  uint32_t n = v->result.columns.n, lead = n_lead(v);
  bool any_brief = false;
  for (uint32_t c = lead; c < n; c++)
    any_brief = any_brief || column_at(v, c)->flags & MILL_COLUMN_BRIEF;
  for (uint32_t c = 0; c < n; c++) {
    bool brief = !any_brief || column_at(v, c)->flags & MILL_COLUMN_BRIEF;
    if (c < lead ? any_value(v, c) : brief) g_array_append_val(v->shown, c);
  }
}

static NumScale scale_of(const View *v, uint32_t column)
{
  double largest = 0, number;
  bool whole = true;
  for (uint64_t row = 0; row < v->n_rows; row++) {
    const MillValue *cell = cell_at(v, row, column);
    if (!cell_has_number(cell, &number)) continue;
    largest = MAX(largest, fabs(number));
    whole = whole && cell->type == MILL_INT;
  }
  return num_scale(column_at(v, column)->unit, largest, whole);
}

static uint32_t shown_at(const View *v, guint i) { return g_array_index(v->shown, uint32_t, i); }

static void put_titles(const View *v, GString *out, const NumScale *scales)
{
  for (guint i = 0; i < v->shown->len; i++) {
    g_string_append(out, "| ");
    escape_string(out, column_at(v, shown_at(v, i))->name);
    if (*scales[i].unit) g_string_append_c(out, ' ');
    escape_string(out, scales[i].unit);
    g_string_append_c(out, ' ');
  }
  g_string_append(out, "|\n");
  for (guint i = 0; i < v->shown->len; i++)
    g_string_append(out, column_at(v, shown_at(v, i))->type == MILL_TEXT ? "| --- " : "| ---: ");
  g_string_append(out, "|\n");
}

static void put_table(const View *v, GString *out)
{
  g_autofree NumScale *scales = g_new(NumScale, v->shown->len);
  for (guint i = 0; i < v->shown->len; i++) scales[i] = scale_of(v, shown_at(v, i));
  g_string_append(out, "\n### ");
  escape_string(out, v->result.name);
  if (v->n_rows < v->result.n_rows)
    g_string_append_printf(out, " (%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ")", v->n_rows,
                           v->result.n_rows);
  g_string_append(out, "\n\n");
  if (v->result.table->help && *v->result.table->help) {
    escape_string(out, v->result.table->help);
    g_string_append(out, "\n\n");
  }
  put_titles(v, out, scales);
  for (uint64_t row = 0; row < v->n_rows; row++) {
    for (guint i = 0; i < v->shown->len; i++) {
      g_string_append(out, "| ");
      put_cell(v, out, cell_at(v, row, shown_at(v, i)), &scales[i]);
      g_string_append_c(out, ' ');
    }
    g_string_append(out, "|\n");
  }
}

void page_tables(GString *out, const MillHost *common, const MillResults *r)
{
  View v = { .common = common, .results = r, .result.size = sizeof v.result };
  bool any = false;
  v.shown = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (; r->table(r, v.index, &v.result); v.index++) {
    v.n_rows = MIN(v.result.n_rows, v.result.table->brief_rows);
    g_array_set_size(v.shown, 0);
    if (v.n_rows) choose_columns(&v);
    if (!v.shown->len) continue;
    if (!any) g_string_append(out, "\n## Tables\n");
    any = true;
    put_table(&v, out);
  }
  g_array_unref(v.shown);
}
