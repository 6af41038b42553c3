/* The figures of both sides, side by side; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compare/parts.h"

/* The first run of each side that has the table. */
static const MillResults *first_with(const CompareSide *side, const char *table,
                                     uint32_t *out_index)
{
  for (guint i = 0; i < side->runs->len; i++) {
    const MillResults *r = results_view(side->runs->pdata[i]);
    *out_index = frame_find_table(r, table);
    if (*out_index != UINT32_MAX) return r;
  }
  return NULL;
}

static bool has_figures(const MillResults *r, uint32_t table)
{
  MillFigureResult f = { .size = sizeof f };
  for (uint32_t i = 0; r->figure(r, i, &f); i++)
    if (f.table == table) return true;
  return false;
}

/* As the stage declared it, but not for the screen. */
static Sheet *joint_sheet(Writing *w, const MillTableResult *t, const char *name)
{
  uint32_t n_lead = t->columns.n - t->table->columns.n;
  MillTable *table = results_alloc(w->out, sizeof *table);
  *table = *t->table;
  table->brief_rows = 0;
  table->help = "Rows of all sides, for the figures";
  Sheet *s = sheet_new(table, g_strdup(name));
  sheet_add_lead(s, "side", MILL_TEXT, 0, "Side of the row");
  for (uint32_t c = 0; c < n_lead; c++) {
    const MillColumn *lead = MILL_AT(MillColumn, t->columns, c);
    sheet_add_lead(s, lead->name, lead->type, lead->flags, lead->help);
  }
  sheet_add_declared(s);
  return s;
}

/* Columns by their names, where the type is the same too. */
static void add_rows(Sheet *s, const char *side, const Frame *columns, const MillResults *r,
                     uint32_t table)
{
  Frame *f = frame_of_table(r, table);
  g_autofree uint32_t *from = g_new(uint32_t, columns->n_columns + 1);
  for (uint32_t c = 0; c < columns->n_columns; c++) {
    from[c] = frame_column(f, columns->columns[c]->name);
    if (from[c] != UINT32_MAX && f->columns[from[c]]->type != columns->columns[c]->type)
      from[c] = UINT32_MAX;
  }
  for (uint32_t row = 0; row < f->n_rows; row++) {
    MillValue *cells = sheet_add_cells(s);
    *cells++ = compare_text(side);
    for (uint32_t c = 0; c < columns->n_columns; c++)
      if (from[c] != UINT32_MAX) cells[c] = f->rows[row][from[c]];
  }
  frame_free(f);
}

static void add_figures(Writing *w, const MillResults *r, uint32_t table, const char *joint)
{
  MillFigureResult f = { .size = sizeof f };
  for (uint32_t i = 0; r->figure(r, i, &f); i++) {
    if (f.table != table) continue;
    MillFigure *figure = results_alloc(w->out, sizeof *figure);
    *figure = *f.figure;
    if (!figure->facet)
      figure->facet = "side"; /* else the side tells series apart, as a leading column does */
    results_add_figure(w->out, figure, g_strdup(f.name), joint);
  }
}

/* No table is called so, whatever stages call theirs. */
static char *free_name(Writing *w, const char *name)
{
  char *joint = g_strconcat(name, "-sides", NULL);
  while (frame_find_table(results_view(w->out), joint) != UINT32_MAX) {
    char *longer = g_strconcat(joint, "-sides", NULL);
    g_free(joint);
    joint = longer;
  }
  return joint;
}

void compare_write_figures(Writing *w, const char *name)
{
  uint32_t table, other;
  const MillResults *base = first_with(&w->sides[0], name, &table);
  if (!base || !has_figures(base, table)) return;
  MillTableResult t = { .size = sizeof t };
  base->table(base, table, &t);
  g_autofree char *joint = free_name(w, name);
  Sheet *s = joint_sheet(w, &t, joint);
  Frame *columns = frame_of_table(base, table);
  for (uint32_t i = 0; i < w->n_sides; i++) {
    const MillResults *r = first_with(&w->sides[i], name, &other);
    if (r) add_rows(s, w->sides[i].name, columns, r, other);
  }
  frame_free(columns);
  results_add_sorted(w->out, s);
  add_figures(w, base, table, joint);
}
