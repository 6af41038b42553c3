/* Lookup tables of all-reduce strategies; see allreduce-table.h. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce-table.h"

#include <stdlib.h>
#include <string.h>

#include "tune/lib/allreduce-points.h"
#include "kit/state/grow.h"
#include "kit/text/symbol.h"

/* -------------------------------------------------------------------- axes */

static size_t place_of(const ArAxis *axis, int64_t value)
{
  size_t low = 0, high = axis->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (axis->at[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool ar_axis_has(const ArAxis *axis, int64_t value)
{
  size_t i = place_of(axis, value);
  return i < axis->n && axis->at[i] == value;
}

bool ar_axis_add(const MillHost *common, ArAxis *axis, int64_t value)
{
  size_t i = place_of(axis, value);
  if (i < axis->n && axis->at[i] == value) return true;
  if (!array_reserve(common, &axis->at, &axis->capacity, axis->n + 1, sizeof *axis->at))
    return false;
  memmove(axis->at + i + 1, axis->at + i, (axis->n - i) * sizeof *axis->at);
  axis->at[i] = value;
  axis->n++;
  return true;
}

int64_t ar_axis_floor(const ArAxis *axis, int64_t v)
{
  if (axis->n == 0 || v < 1 || v > INT64_MAX / 2) return 0;
  int64_t first = axis->at[0], last = axis->at[axis->n - 1];
  if (v * 2 <= first || v / 2 >= last) return 0;
  size_t i = place_of(axis, v);
  if (i < axis->n && axis->at[i] == v) return v;
  return i ? axis->at[i - 1] : first;
}

/* ------------------------------------------------------------------- cells */

bool ar_table_add(ArTable *t, const ArCell *cell)
{
  if (!array_reserve(t->common, &t->at, &t->capacity, t->n + 1, sizeof *t->at)) return false;
  t->at[t->n] = *cell;
  t->at[t->n].place = t->n;
  t->n++;
  return ar_axis_add(t->common, &t->tp, cell->tp) &&
         ar_axis_add(t->common, &t->hidden, cell->hidden) &&
         ar_axis_add(t->common, &t->tokens, cell->tokens);
}

bool ar_table_join(ArTable *t, const ArTable *more)
{
  for (size_t i = 0; i < more->n; i++)
    if (!ar_table_add(t, &more->at[i])) return false;
  return true;
}

static const StateField cell_fields[] = {
  STATE_FIRST(ArCell, tp),     STATE_FIRST(ArCell, hidden), STATE_FIRST(ArCell, tokens),
  STATE_FIRST(ArCell, number), STATE_SYM(ArCell, fusion),   STATE_SYM(ArCell, strategy),
  STATE_SYM(ArCell, source),   STATE_FIRST(ArCell, time),   STATE_FIRST(ArCell, margin),
};
static const StateType cell_state = STATE_TYPE(ArCell, cell_fields);

static const StateField table_fields[] = { STATE_LIST(ArTable, at, n, capacity, cell_state) };
const StateType ar_table_state = STATE_TYPE(ArTable, table_fields);

static int compare(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

int ar_cells_compare(const MillHost *common, const ArCell *a, const ArCell *b)
{
  int order = compare(a->tp, b->tp);
  if (!order && a->fusion != b->fusion)
    order = strcmp(ar_text(common, a->fusion), ar_text(common, b->fusion));
  if (!order) order = compare(a->hidden, b->hidden);
  return order ? order : compare(a->tokens, b->tokens);
}

static int compare_in_order(const void *a, const void *b, void *common)
{
  const ArCell *x = a, *y = b;
  int order = ar_cells_compare(common, x, y);
  return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

bool ar_cells_agree(const ArCell *a, const ArCell *b)
{
  return a->number >= 0 && b->number >= 0 ? a->number == b->number : a->strategy == b->strategy;
}

const ArCell *ar_table_sort(ArTable *t)
{
  size_t kept = 0;
  const ArCell *disputed = NULL;
  if (t->n) qsort_r(t->at, t->n, sizeof *t->at, compare_in_order, (void *)t->common);
  for (size_t i = 0; i < t->n; i++) {
    ArCell *last = kept ? &t->at[kept - 1] : NULL;
    if (last && ar_cells_compare(t->common, last, &t->at[i]) == 0) {
      if (!ar_cells_agree(last, &t->at[i])) disputed = last;
    } else
      t->at[kept++] = t->at[i];
  }
  t->n = kept;
  return disputed;
}

const ArCell *ar_table_cell(const ArTable *t, int64_t tp, MillSym fusion, int64_t hidden,
                            int64_t tokens)
{
  const ArCell key = { .tp = tp, .hidden = hidden, .tokens = tokens, .fusion = fusion };
  size_t low = 0, high = t->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = ar_cells_compare(t->common, &t->at[middle], &key);
    if (order == 0) return &t->at[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

const ArCell *ar_table_lookup(const ArTable *t, int64_t tp, MillSym fusion, int64_t hidden,
                              int64_t tokens)
{
  int64_t at_tp = ar_axis_floor(&t->tp, tp), at_hidden = ar_axis_floor(&t->hidden, hidden);
  int64_t at_tokens = ar_axis_floor(&t->tokens, tokens);
  if (!at_tp || !at_hidden || !at_tokens) return NULL;
  return ar_table_cell(t, at_tp, ar_fusion_of_table(t->common, fusion), at_hidden, at_tokens);
}

MillSym ar_fusion_of_table(const MillHost *common, MillSym fusion)
{
  static const char *const pairs[][2] = {
    { "RESIDUAL_RMS_NORM_OUT_QUANT_FP8", "RESIDUAL_RMS_NORM_QUANT_FP8" },
    { "RESIDUAL_RMS_NORM_OUT_QUANT_NVFP4", "RESIDUAL_RMS_NORM_QUANT_NVFP4" },
  };
  for (size_t i = 0; i < MILL_COUNT(pairs); i++)
    if (!strcmp(ar_text(common, fusion), pairs[i][0])) return symbol_of(common, pairs[i][1]);
  return fusion;
}
