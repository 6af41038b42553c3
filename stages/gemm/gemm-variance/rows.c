/* Keeping rows of the variance table; see rows.h. */
/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stdlib.h>

#include "kit/state/grow.h"

VarianceRow *rows_add(VarianceRows *r)
{
  if (!array_reserve(r->common, &r->items, &r->capacity, r->n + 1, sizeof *r->items)) return NULL;
  VarianceRow *row = &r->items[r->n++];
  *row = (VarianceRow){ 0 };
  return row;
}

bool row_add_overlap(const MillHost *common, VarianceRow *row, MillSym name, int64_t ns)
{
  if (!array_reserve(common, &row->overlaps, &row->overlap_capacity, row->n_overlaps + 1,
                     sizeof *row->overlaps))
    return false;
  row->overlaps[row->n_overlaps++] = (Overlap){ name, ns };
  return true;
}

/* ---- saved state */

static const StateField overlap_fields[] = { STATE_SYM(Overlap, name), STATE_FIRST(Overlap, ns) };
static const StateType overlap_state = STATE_TYPE(Overlap, overlap_fields);

static const StateField row_fields[] = {
  STATE_FIRST(VarianceRow, threads),
  STATE_FIRST(VarianceRow, channels),
  STATE_FIRST(VarianceRow, rank),
  STATE_FIRST(VarianceRow, position),
  STATE_FIRST(VarianceRow, lane),
  STATE_SYM(VarianceRow, input),
  STATE_SYM(VarianceRow, key),
  STATE_SYM(VarianceRow, kernel),
  STATE_FIRST(VarianceRow, calls),
  STATE_FIRST(VarianceRow, min_ns),
  STATE_FIRST(VarianceRow, max_ns),
  STATE_FIRST(VarianceRow, is_found),
  STATE_FIRST(VarianceRow, min_at_ns),
  STATE_FIRST(VarianceRow, max_at_ns),
  STATE_FIRST(VarianceRow, min_found_ns),
  STATE_FIRST(VarianceRow, max_found_ns),
  STATE_FIRST(VarianceRow, busy_ns),
  STATE_FIRST(VarianceRow, overlap_ns),
  STATE_LIST(VarianceRow, overlaps, n_overlaps, overlap_capacity, overlap_state),
};
static const StateType row_state = STATE_TYPE(VarianceRow, row_fields);

static const StateField rows_fields[] = {
  STATE_LIST(VarianceRows, items, n, capacity, row_state),
};
const StateType rows_state = STATE_TYPE(VarianceRows, rows_fields);

/* ---- order */

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_diff(const void *p, const void *q)
{
  const VarianceRow *a = p, *b = q;
  int order = order_of(row_diff(b), row_diff(a));
  if (order == 0) order = order_of(a->threads, b->threads);
  if (order == 0) order = order_of(a->channels, b->channels);
  if (order == 0) order = order_of(a->rank, b->rank);
  if (order == 0) order = order_of(a->lane, b->lane);
  return order ? order : order_of(a->position, b->position);
}

typedef struct Sharing { /* of one configuration and rank */
  int64_t lane;          /* the first, plus 1 */
  bool several;
} Sharing;

static Sharing *sharing_of(Keyed *ranks, const VarianceRow *row)
{
  const int64_t key[] = { row->threads, row->channels, row->rank };
  return keyed_get(ranks, (const char *)key, sizeof key);
}

static bool find_shared_ranks(VarianceRows *r)
{
  Keyed *ranks = keyed_new(r->common, sizeof(Sharing));
  for (size_t i = 0; ranks && i < r->n; i++) {
    Sharing *s = sharing_of(ranks, &r->items[i]);
    if (!s) return false;
    s->several |= s->lane && s->lane != r->items[i].lane + 1;
    s->lane = r->items[i].lane + 1;
  }
  for (size_t i = 0; ranks && i < r->n; i++) {
    const Sharing *s = sharing_of(ranks, &r->items[i]);
    if (!s) return false;
    r->items[i].shares_rank = s->several;
  }
  return ranks != NULL;
}

bool rows_sort(VarianceRows *r)
{
  if (r->n) qsort(r->items, r->n, sizeof *r->items, by_diff);
  return find_shared_ranks(r);
}

/* ---- overlap */

bool row_share(const VarianceRow *row, int64_t ns, double *out)
{
  if (row->busy_ns <= 0) return false;
  *out = 100 * (double)ns / (double)row->busy_ns;
  return true;
}

const Overlap *row_largest(const VarianceRow *row)
{
  const Overlap *largest = NULL;
  for (size_t i = 0; i < row->n_overlaps; i++)
    if (!largest || row->overlaps[i].ns > largest->ns) largest = &row->overlaps[i];
  return largest;
}
