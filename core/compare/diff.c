/* The differences between the rows of two sides; see diff.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/diff.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- columns */

static bool is_number(const MillColumn *c) { return c->type == MILL_INT || c->type == MILL_REAL; }

/* Keys that name where a row comes from, which is another place on each side. */
static bool names_origin(const MillColumn *c)
{
  static const char *const names[] = { "input", "file", "card", NULL };
  for (const char *const *name = names; *name; name++)
    if (!strcmp(*name, c->name)) return true;
  return false;
}

static const char *unit_of(const MillColumn *c) { return c->unit ? c->unit : ""; }

static bool fits(const MillColumn *a, const MillColumn *b)
{
  if ((a->flags ^ b->flags) & MILL_COLUMN_KEY) return false;
  if (a->flags & MILL_COLUMN_KEY) return true;
  bool same_type = is_number(a) ? is_number(b) : a->type == b->type;
  return same_type && !strcmp(unit_of(a), unit_of(b));
}

/* The column in each frame; how many have it. */
static uint32_t find_everywhere(const Diff *d, const MillColumn *c, uint32_t *out_at)
{
  uint32_t n = 0;
  for (uint32_t f = 0; f < d->n_frames; f++) {
    out_at[f] = frame_column(d->frames[f], c->name);
    if (out_at[f] != DIFF_NONE && !fits(c, d->frames[f]->columns[out_at[f]])) out_at[f] = DIFF_NONE;
    n += out_at[f] != DIFF_NONE;
  }
  return n;
}

static bool on_both_sides(const Diff *d, const uint32_t *at)
{
  bool base = false, changed = false;
  for (uint32_t f = 0; f < d->n_frames; f++) {
    bool here = at[f] != DIFF_NONE;
    base = base || (here && f < d->n_base);
    changed = changed || (here && f >= d->n_base);
  }
  return base && changed;
}

static void add_column(DiffColumn *list, uint32_t *io_n, const MillColumn *c, const uint32_t *at,
                       uint32_t n_frames)
{
  list[(*io_n)++] = (DiffColumn){ c, g_memdup2(at, n_frames * sizeof *at) };
}

/* A tag, say, that has one value on each side: either all rows have it, or it only tells the sides apart, and by
 * it no rows would belong together. */
static bool tells_no_rows_apart(const Diff *d, const uint32_t *at)
{
  for (uint32_t f = 0; f < d->n_frames; f++) {
    const Frame *frame = d->frames[f];
    for (uint32_t row = 1; row < frame->n_rows; row++)
      if (!match_equal(&frame->rows[0][at[f]], &frame->rows[row][at[f]])) return false;
  }
  return true;
}

static void add_keys(Diff *d, bool of_origin, uint32_t *at)
{
  const Frame *first = d->frames[0];
  uint32_t n = d->n_keys + d->n_more_keys;
  for (uint32_t c = 0; c < first->n_columns; c++) {
    const MillColumn *column = first->columns[c];
    if (!(column->flags & MILL_COLUMN_KEY) || names_origin(column) != of_origin) continue;
    if (find_everywhere(d, column, at) != d->n_frames) continue;
    if (c >= first->n_lead || !tells_no_rows_apart(d, at))
      add_column(d->keys, &n, column, at, d->n_frames);
  }
  if (of_origin)
    d->n_more_keys = n - d->n_keys;
  else
    d->n_keys = n;
}

static bool is_hidden(const Diff *d, uint32_t column)
{
  return d->of_metrics && column >= FRAME_BETTER;
}

static void add_values(Diff *d, uint32_t *at)
{
  const Frame *first = d->frames[0], *last = d->frames[d->n_frames - 1];
  for (uint32_t c = 0; c < first->n_columns; c++) {
    const MillColumn *column = first->columns[c];
    if (column->flags & (MILL_COLUMN_KEY | MILL_COLUMN_FINDING) || is_hidden(d, c)) continue;
    find_everywhere(d, column, at);
    if (on_both_sides(d, at))
      add_column(d->values, &d->n_values, column, at, d->n_frames);
    else
      g_ptr_array_add(d->apart, (gpointer)column->name);
  }
  for (uint32_t c = 0; c < last->n_columns; c++) {
    const MillColumn *column = last->columns[c];
    if (column->flags & (MILL_COLUMN_KEY | MILL_COLUMN_FINDING)) continue;
    if (frame_column(first, column->name) == DIFF_NONE)
      g_ptr_array_add(d->apart, (gpointer)column->name);
  }
}

static uint32_t number_named(const Diff *d, const char *name, size_t len)
{
  for (uint32_t v = 0; v < d->n_values; v++) {
    const MillColumn *c = d->values[v].column;
    if (is_number(c) && strlen(c->name) == len && !strncmp(c->name, name, len)) return v;
  }
  return DIFF_NONE;
}

/* The first ordered column that is a number, else the first number. */
static uint32_t find_main(const Diff *d)
{
  for (const char *p = d->frames[0]->order; p && *p; p += *p == ',') {
    p += *p == '-';
    size_t len = strcspn(p, ",");
    uint32_t v = number_named(d, p, len);
    if (v != DIFF_NONE) return v;
    p += len;
  }
  for (uint32_t v = 0; v < d->n_values; v++)
    if (is_number(d->values[v].column)) return v;
  return DIFF_NONE;
}

static Match *match_frames(const Diff *d)
{
  uint32_t n_keys = d->n_keys + d->n_more_keys;
  g_autofree MatchTable *tables = g_new(MatchTable, d->n_frames);
  g_autofree uint32_t *keys = g_new(uint32_t, (gsize)d->n_frames * n_keys + 1);
  for (uint32_t f = 0; f < d->n_frames; f++) {
    uint32_t *own = keys + (size_t)f * n_keys;
    for (uint32_t k = 0; k < n_keys; k++) own[k] = d->keys[k].at[f];
    tables[f] = (MatchTable){ d->frames[f]->rows, d->frames[f]->n_rows, own };
  }
  return match_rows(tables, d->n_frames, d->n_keys, d->n_more_keys);
}

Diff *diff_new(const Frame *const *frames, uint32_t n_frames, uint32_t n_base, bool of_metrics)
{
  Diff *d = g_new0(Diff, 1);
  g_autofree uint32_t *at = g_new(uint32_t, n_frames);
  d->frames = frames;
  d->n_frames = n_frames;
  d->n_base = n_base;
  d->of_metrics = of_metrics;
  d->keys = g_new(DiffColumn, frames[0]->n_columns + 1);
  d->values = g_new(DiffColumn, frames[0]->n_columns + 1);
  d->apart = g_ptr_array_new();
  d->rows = g_array_new(FALSE, FALSE, sizeof(DiffRow));
  d->cells = g_array_new(FALSE, FALSE, sizeof(DiffCell));
  add_keys(d, false, at);
  add_keys(d, true, at);
  add_values(d, at);
  d->main_value = find_main(d);
  d->match = match_frames(d);
  return d;
}

static void free_columns(DiffColumn *columns, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) g_free(columns[i].at);
  g_free(columns);
}

void diff_free(Diff *d)
{
  free_columns(d->keys, d->n_keys + d->n_more_keys);
  free_columns(d->values, d->n_values);
  match_free(d->match);
  g_array_unref(d->rows);
  g_array_unref(d->cells);
  g_ptr_array_unref(d->apart);
  g_free(d);
}

/* ------------------------------------------------------------------- cells */

static const MillValue *cell_at(const Diff *d, uint32_t group, const DiffColumn *column,
                                uint32_t frame)
{
  uint32_t row = match_row(d->match, group, frame), at = column->at[frame];
  return row == MATCH_NONE || at == DIFF_NONE ? NULL : &d->frames[frame]->rows[row][at];
}

bool diff_has(const Diff *d, uint32_t group, bool is_base)
{
  uint32_t from = is_base ? 0 : d->n_base, to = is_base ? d->n_base : d->n_frames;
  for (uint32_t f = from; f < to; f++)
    if (match_row(d->match, group, f) != MATCH_NONE) return true;
  return false;
}

const MillValue *diff_cell(const Diff *d, uint32_t group, const DiffColumn *column, bool is_base)
{
  uint32_t from = is_base ? 0 : d->n_base, to = is_base ? d->n_base : d->n_frames;
  for (uint32_t f = from; f < to; f++) {
    const MillValue *cell = cell_at(d, group, column, f);
    if (cell && cell->type != MILL_NONE) return cell;
  }
  return NULL;
}

const MillValue *diff_either(const Diff *d, uint32_t group, const DiffColumn *column)
{
  const MillValue *cell = diff_cell(d, group, column, true);
  return cell ? cell : diff_cell(d, group, column, false);
}

char *diff_place(const Diff *d, uint32_t group)
{
  static const uint32_t keys[] = { FRAME_RANK, FRAME_LABEL, FRAME_GROUP };
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    const MillValue *cell = diff_either(d, group, &d->keys[keys[i]]);
    if (!cell) continue;
    if (text->len) g_string_append(text, ", ");
    if (cell->type == MILL_TEXT)
      g_string_append_len(text, cell->u.text, cell->len);
    else
      g_string_append_printf(text, "rank %" G_GINT64_FORMAT, cell->u.i);
  }
  return g_string_free(text, FALSE);
}

/* A hidden cell of the metrics: of the first frame that has the row. */
static int64_t metric_cell(const Diff *d, uint32_t group, uint32_t column)
{
  for (uint32_t f = 0; f < d->n_frames; f++) {
    uint32_t row = match_row(d->match, group, f);
    if (row != MATCH_NONE) return d->frames[f]->rows[row][column].u.i;
  }
  return 0;
}

bool diff_is_headline(const Diff *d, uint32_t group)
{
  return d->of_metrics && metric_cell(d, group, FRAME_HEADLINE);
}

void diff_gather(const Diff *d, uint32_t group, const DiffColumn *column, Meter *meter)
{
  for (uint32_t f = 0; f < d->n_frames; f++) {
    const MillValue *cell = cell_at(d, group, column, f);
    if (cell && cell->type == MILL_INT) meter_add(meter, f < d->n_base, (double)cell->u.i);
    if (cell && cell->type == MILL_REAL) meter_add(meter, f < d->n_base, cell->u.r);
  }
}

uint32_t diff_better(const Diff *d, uint32_t group, const DiffColumn *column)
{
  uint32_t flags = column->column->flags;
  if (d->of_metrics) return (uint32_t)metric_cell(d, group, FRAME_BETTER);
  if (flags & MILL_COLUMN_LOWER) return MILL_LOWER;
  return flags & MILL_COLUMN_HIGHER ? MILL_HIGHER : MILL_NEITHER;
}

/* --------------------------------------------------------------- measuring */

/* Nothing has to be measured: one run a side, and not a bit has changed. */
static bool is_untouched(const Diff *d, uint32_t group, const DiffColumn *column)
{
  if (d->n_frames != 2) return false;
  const MillValue *a = cell_at(d, group, column, 0), *b = cell_at(d, group, column, 1);
  if (!a || !b || a->type != b->type) return false;
  return a->type == MILL_TEXT ? match_equal(a, b) : a->type == MILL_NONE || a->u.i == b->u.i;
}

static CompareVerdict compare_texts(const MillValue *base, const MillValue *changed)
{
  if (!base || !changed)
    return base == changed ? COMPARE_SAME : base ? COMPARE_VANISHED : COMPARE_APPEARED;
  return match_equal(base, changed) ? COMPARE_SAME : COMPARE_CHANGED;
}

static DiffCell measure_text(Diff *d, uint32_t group, uint32_t column)
{
  const MillValue *base = diff_cell(d, group, &d->values[column], true);
  const MillValue *changed = diff_cell(d, group, &d->values[column], false);
  DiffCell cell = { .column = column };
  cell.measure.base = cell.measure.changed = cell.measure.change = cell.measure.part = NAN;
  cell.measure.percent = cell.measure.low_percent = cell.measure.high_percent = NAN;
  cell.measure.n_base = base != NULL;
  cell.measure.n_changed = changed != NULL;
  cell.measure.verdict = compare_texts(base, changed);
  if (base) cell.base = *base;
  if (changed) cell.changed = *changed;
  return cell;
}

static DiffCell measure_cell(Diff *d, uint32_t group, uint32_t column, Meter *meter)
{
  const DiffColumn *c = &d->values[column];
  if (!is_number(c->column)) return measure_text(d, group, column);
  diff_gather(d, group, c, meter);
  return (DiffCell){ .column = column, .measure = meter_take(meter, diff_better(d, group, c)) };
}

/* Of its cells the worst; a value that has come or gone changes a row, but is all that a metric is. */
static CompareVerdict worse_of(const Diff *d, CompareVerdict row, CompareVerdict cell)
{
  bool lone = cell == COMPARE_APPEARED || cell == COMPARE_VANISHED;
  return MAX(row, lone && !d->of_metrics ? COMPARE_CHANGED : cell);
}

static double weight_of(const Diff *d, const Measure *m)
{
  double weight = d->of_metrics && isfinite(m->part) ? m->part
                  : m->n_base && m->n_changed        ? m->change
                  : m->n_base                        ? m->base
                                                     : m->changed;
  return isnan(weight) ? 0 : fabs(weight);
}

/* The row has come or gone: its main value says how much that is. */
static void measure_lone_row(Diff *d, DiffRow *row, Meter *meter)
{
  row->verdict = diff_has(d, row->group, true) ? COMPARE_VANISHED : COMPARE_APPEARED;
  uint32_t column = d->main_value == DIFF_NONE && d->n_values ? 0 : d->main_value;
  if (d->of_metrics &&
      !diff_cell(d, row->group, &d->values[column], row->verdict == COMPARE_VANISHED))
    column = d->n_values - 1; /* an object, or nothing */
  DiffCell cell = { .column = DIFF_NONE };
  if (column != DIFF_NONE)
    cell = measure_cell(d, row->group, column, meter);
  else
    cell.measure = meter_take(meter, MILL_NEITHER);
  cell.measure.verdict = row->verdict;
  d->has_texts = d->has_texts || cell.base.type || cell.changed.type;
  row->weight = weight_of(d, &cell.measure);
  g_array_append_val(d->cells, cell);
}

static void measure_row(Diff *d, DiffRow *row, Meter *meter, bool all)
{
  for (uint32_t v = 0; v < d->n_values; v++) {
    if (!all && is_untouched(d, row->group, &d->values[v])) continue;
    DiffCell cell = measure_cell(d, row->group, v, meter);
    bool empty = !cell.measure.n_base && !cell.measure.n_changed;
    row->verdict = worse_of(d, row->verdict, cell.measure.verdict);
    if (v == d->main_value) row->weight = weight_of(d, &cell.measure);
    if (empty || (!all && cell.measure.verdict == COMPARE_SAME)) continue;
    d->has_texts = d->has_texts || cell.base.type || cell.changed.type;
    g_array_append_val(d->cells, cell);
  }
}

static gint compare_weights(gconstpointer a, gconstpointer b)
{
  const DiffRow *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

void diff_measure(Diff *d, Meter *meter, bool all)
{
  for (uint32_t group = 0; group < d->match->n_groups; group++) {
    DiffRow row = { .group = group, .first = d->cells->len };
    if (diff_has(d, group, true) && diff_has(d, group, false))
      measure_row(d, &row, meter, all);
    else
      measure_lone_row(d, &row, meter);
    row.n_cells = d->cells->len - row.first;
    d->counts[row.verdict]++;
    if (row.n_cells) g_array_append_val(d->rows, row);
  }
  g_array_sort(d->rows, compare_weights);
}
