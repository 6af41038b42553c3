/* The tables of a comparison; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "compare/parts.h"

#define BRIEF MILL_COLUMN_BRIEF
/* Names that say percent themselves have no unit: headers of CSV add it to the name. */
const MillColumn compare_columns[OUT_N_COLUMNS] = {
  [OUT_COLUMN] = { "column", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF, "Compared column" },
  [OUT_UNIT] = { "unit", NULL, MILL_TEXT, BRIEF, "Unit of base, new and change" },
  [OUT_BASE] = { "base", NULL, MILL_REAL, BRIEF, "Value of the base: the median of its runs" },
  [OUT_NEW] = { "new", NULL, MILL_REAL, BRIEF, "Value of the other side: the median of its runs" },
  [OUT_CHANGE] = { "change", NULL, MILL_REAL, 0, "new - base" },
  [OUT_PERCENT] = { "change_percent", NULL, MILL_REAL, BRIEF, "The change relative to the base" },
  [OUT_LOW] = { "low_percent", NULL, MILL_REAL, 0, "Lower end of the interval of the change" },
  [OUT_HIGH] = { "high_percent", NULL, MILL_REAL, 0, "Upper end of the interval of the change" },
  [OUT_N] = { "n", "count", MILL_INT, 0,
              "Number of runs with a value, on the side that has fewer" },
  [OUT_BETTER] = { "better", NULL, MILL_TEXT, 0, "lower or higher, if one is better" },
  [OUT_VERDICT] = { "verdict", NULL, MILL_TEXT, BRIEF,
                    "same, changed, appeared or vanished; for repeated runs improved, regression "
                    "or neutral" },
  [OUT_BASE_TEXT] = { "base_text", NULL, MILL_TEXT, BRIEF,
                      "Value of the base, if it is not a number" },
  [OUT_NEW_TEXT] = { "new_text", NULL, MILL_TEXT, BRIEF, "New value, if it is not a number" },
  [OUT_REASON] = { "reason", NULL, MILL_TEXT, 0, "Why a side has no value" },
};
const MillColumn compare_side_column = { "side", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF,
                                         "Side that is compared with the base" };

typedef struct Layout {
  const GPtrArray *list; /* Compared * */
  GPtrArray *keys;       /* char *: names of key columns, as they are compared */
  bool has[OUT_N_COLUMNS];
  bool has_side;
} Layout;

Sheet *compare_sheet(Results *out, const char *name, const char *help, uint32_t brief_rows,
                     const GArray *columns)
{
  MillTable *table = results_alloc(out, sizeof *table);
  MillColumn *own = results_alloc(out, columns->len * sizeof *own);
  memcpy(own, columns->data, columns->len * sizeof *own);
  *table = (MillTable){ .per = MILL_PER_RUN,
                        .brief_rows = brief_rows,
                        .name = results_text(out, name, strlen(name)),
                        .help = help,
                        .columns = { own, columns->len, sizeof *own } };
  Sheet *s = sheet_new(table, g_strdup(name));
  sheet_add_declared(s);
  return s;
}

/* ------------------------------------------------------------------- layout */

static const DiffColumn *key_named(const Diff *d, const char *name)
{
  uint32_t n = d->n_keys + (d->match->needs_more ? d->n_more_keys : 0);
  for (uint32_t k = 0; k < n; k++)
    if (!strcmp(d->keys[k].column->name, name)) return &d->keys[k];
  return NULL;
}

/* A metric's unit has a column of its own, and what no metric has needs none. */
static bool is_shown(const Diff *d, const DiffColumn *key)
{
  if (!d->of_metrics) return true;
  if (key->column == d->frames[0]->columns[FRAME_UNIT]) return false;
  for (guint i = 0; i < d->rows->len; i++) {
    uint32_t group = g_array_index(d->rows, DiffRow, i).group;
    if (diff_cell(d, group, key, true) || diff_cell(d, group, key, false)) return true;
  }
  return key->column == d->frames[0]->columns[FRAME_METRIC];
}

static void add_keys(Layout *l, const Diff *d)
{
  uint32_t n = d->n_keys + (d->match->needs_more ? d->n_more_keys : 0);
  for (uint32_t k = 0; k < n; k++) {
    const char *name = d->keys[k].column->name;
    if (g_ptr_array_find_with_equal_func(l->keys, name, g_str_equal, NULL)) continue;
    if (is_shown(d, &d->keys[k])) g_ptr_array_add(l->keys, (gpointer)name);
  }
}

static void lay_out(Layout *l, const GPtrArray *list)
{
  *l = (Layout){ .list = list, .keys = g_ptr_array_new() };
  for (uint32_t c = 0; c <= OUT_VERDICT; c++) l->has[c] = true;
  for (guint i = 0; i < list->len; i++) {
    const Compared *c = list->pdata[i];
    add_keys(l, c->diff);
    l->has_side = l->has_side || c->side;
    if (c->diff->of_metrics) l->has[OUT_COLUMN] = false;
    if (c->diff->of_metrics) l->has[OUT_REASON] = true;
    if (c->diff->has_texts) l->has[OUT_BASE_TEXT] = l->has[OUT_NEW_TEXT] = true;
  }
}

static bool is_ours(const char *name)
{
  for (uint32_t c = 0; c < OUT_N_COLUMNS; c++)
    if (!g_ascii_strcasecmp(compare_columns[c].name, name)) return true;
  return !g_ascii_strcasecmp(name, compare_side_column.name);
}

static const MillColumn *key_column(const Layout *l, const char *name)
{
  const DiffColumn *key = NULL;
  for (guint i = 0; i < l->list->len && !key; i++)
    key = key_named(((const Compared *)l->list->pdata[i])->diff, name);
  return key->column;
}

/* Keys keep what they are; only a name that the comparison uses itself is another one. */
static GArray *make_columns(const Writing *w, const Layout *l)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  if (l->has_side) g_array_append_val(columns, compare_side_column);
  for (guint k = 0; k < l->keys->len; k++) {
    MillColumn c = *key_column(l, l->keys->pdata[k]);
    g_autofree char *other = g_strconcat("key_", c.name, NULL);
    if (is_ours(c.name)) c.name = results_text(w->out, other, strlen(other));
    c.flags = MILL_COLUMN_KEY | BRIEF;
    g_array_append_val(columns, c);
  }
  for (uint32_t i = 0; i < OUT_N_COLUMNS; i++) {
    MillColumn c = compare_columns[i];
    if (w->repeated && (i == OUT_LOW || i == OUT_HIGH)) c.flags |= BRIEF;
    if (l->has[i]) g_array_append_val(columns, c);
  }
  return columns;
}

/* --------------------------------------------------------------------- rows */

MillValue compare_number(double v) { return isfinite(v) ? mill_real(v) : mill_none(); }

/* Truth values as words: a column has one type. */
static MillValue text_of(const MillValue *v)
{
  if (v->type == MILL_BOOL) return compare_text(v->u.i ? "true" : "false");
  return v->type == MILL_TEXT ? *v : mill_none();
}

MillValue compare_either(const Diff *d, uint32_t group, const DiffColumn *column)
{
  const MillValue *cell = diff_either(d, group, column);
  return cell ? *cell : mill_none();
}

static MillValue unit_of(const Diff *d, const DiffRow *row, const DiffCell *cell)
{
  if (d->of_metrics) return compare_either(d, row->group, &d->keys[FRAME_UNIT]);
  return cell->column == DIFF_NONE ? mill_none()
                                   : compare_text(d->values[cell->column].column->unit);
}

MillValue compare_better(uint32_t better)
{
  static const char *const words[] = { NULL, "lower", "higher" };
  return compare_text(better <= MILL_HIGHER ? words[better] : NULL);
}

static MillValue better_of(const Diff *d, const DiffRow *row, const DiffCell *cell)
{
  if (cell->column == DIFF_NONE) return mill_none();
  return compare_better(diff_better(d, row->group, &d->values[cell->column]));
}

/* Why one side of a metric has no value. */
static MillValue reason_of(const Diff *d, const DiffRow *row)
{
  for (uint32_t f = 0; d->of_metrics && f < d->n_frames; f++) {
    uint32_t at = match_row(d->match, row->group, f);
    if (at != MATCH_NONE && d->frames[f]->rows[at][FRAME_REASON].type == MILL_TEXT)
      return d->frames[f]->rows[at][FRAME_REASON];
  }
  return mill_none();
}

static uint32_t runs_of(const Measure *m)
{
  return m->n_base && m->n_changed ? MIN(m->n_base, m->n_changed) : MAX(m->n_base, m->n_changed);
}

void compare_fill_measure(const Measure *m, MillValue *all)
{
  all[OUT_BASE] = compare_number(m->base);
  all[OUT_NEW] = compare_number(m->changed);
  all[OUT_CHANGE] = compare_number(m->change);
  all[OUT_PERCENT] = compare_number(m->percent);
  all[OUT_LOW] = compare_number(m->low_percent);
  all[OUT_HIGH] = compare_number(m->high_percent);
  all[OUT_N] = mill_int(runs_of(m));
}

static void fill_values(const Diff *d, const DiffRow *row, const DiffCell *cell, MillValue *all)
{
  bool named = cell->column != DIFF_NONE;
  compare_fill_measure(&cell->measure, all);
  all[OUT_COLUMN] = named ? compare_text(d->values[cell->column].column->name) : mill_none();
  all[OUT_UNIT] = unit_of(d, row, cell);
  all[OUT_BETTER] = better_of(d, row, cell);
  all[OUT_VERDICT] = compare_text(compare_verdict_name(cell->measure.verdict));
  all[OUT_BASE_TEXT] = text_of(&cell->base);
  all[OUT_NEW_TEXT] = text_of(&cell->changed);
  all[OUT_REASON] = reason_of(d, row);
}

static void add_row(Sheet *s, const Layout *l, const Compared *c, const DiffRow *row,
                    const DiffCell *cell)
{
  MillValue all[OUT_N_COLUMNS], *out = sheet_add_cells(s);
  fill_values(c->diff, row, cell, all);
  if (l->has_side) *out++ = compare_text(c->side);
  for (guint k = 0; k < l->keys->len; k++) {
    const DiffColumn *key = key_named(c->diff, l->keys->pdata[k]);
    *out++ = key ? compare_either(c->diff, row->group, key) : mill_none();
  }
  for (uint32_t i = 0; i < OUT_N_COLUMNS; i++)
    if (l->has[i]) *out++ = all[i];
}

static void add_rows(Sheet *s, const Layout *l, const Compared *c)
{
  for (guint i = 0; i < c->diff->rows->len; i++) {
    const DiffRow *row = &g_array_index(c->diff->rows, DiffRow, i);
    for (uint32_t k = 0; k < row->n_cells; k++)
      add_row(s, l, c, row, &g_array_index(c->diff->cells, DiffCell, row->first + k));
  }
}

/* Names that a table of the comparison itself has. */
static char *name_of(const char *table)
{
  static const char *const taken[] = { "metrics",  "tables",          "findings",
                                       "headline", "headline-counts", NULL };
  if (!table) return g_strdup("metrics");
  return g_strv_contains(taken, table) ? g_strconcat("table-", table, NULL) : g_strdup(table);
}

void compare_write_table(Writing *w, const GPtrArray *list)
{
  Layout l;
  const char *table = ((const Compared *)list->pdata[0])->name;
  lay_out(&l, list);
  g_autofree char *name = name_of(table);
  g_autoptr(GArray) columns = make_columns(w, &l);
  Sheet *s = compare_sheet(w->out, name,
                           table ? "Rows of this table that differ, the largest change first"
                                 : "Metrics that differ, the largest change first",
                           table ? 3 : 10, columns);
  for (guint i = 0; i < list->len; i++) add_rows(s, &l, list->pdata[i]);
  results_add_sorted(w->out, s);
  g_ptr_array_unref(l.keys);
}

/* ------------------------------------------------------------------- counts */

static const CompareVerdict counted[] = { COMPARE_SAME,     COMPARE_CHANGED,  COMPARE_APPEARED,
                                          COMPARE_VANISHED, COMPARE_IMPROVED, COMPARE_REGRESSION,
                                          COMPARE_NEUTRAL };
#define N_WITHOUT_NOISE 4

Sheet *compare_counts_sheet(const Writing *w)
{
  static const MillColumn table = { "table", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF,
                                    "Table whose rows are counted" };
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  if (w->n_sides > 2) g_array_append_val(columns, compare_side_column);
  g_array_append_val(columns, table);
  for (size_t i = 0; i < (w->repeated ? G_N_ELEMENTS(counted) : N_WITHOUT_NOISE); i++) {
    MillColumn c = { compare_verdict_name(counted[i]), "count", MILL_INT, BRIEF,
                     "Number of rows with this verdict; the worst cell decides" };
    g_array_append_val(columns, c);
  }
  return compare_sheet(w->out, "tables",
                       "Number of rows of each table that are the same, changed, appeared or "
                       "vanished",
                       10, columns);
}

void compare_count_rows(const Writing *w, Sheet *counts, const Compared *c)
{
  MillValue *out = sheet_add_cells(counts);
  if (w->n_sides > 2) *out++ = compare_text(c->side);
  *out++ = compare_text(c->name);
  for (size_t i = 0; i < (w->repeated ? G_N_ELEMENTS(counted) : N_WITHOUT_NOISE); i++)
    *out++ = mill_int((int64_t)c->diff->counts[counted[i]]);
}
