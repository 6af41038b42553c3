/* Extra rows of a track; see overlap-rows.h. */
/* SPDX-License-Identifier: MIT */
#include "overlap-rows.h"

#define OPEN_END INT64_MAX /* of a row on which nothing is open: everything fits */

/* Leaves without a row: nothing fits there, and nothing ends. */
static const RowRange no_row = { OPEN_END, INT64_MIN };

static RowRange both(RowRange a, RowRange b)
{
  return (RowRange){ a.first_ns < b.first_ns ? a.first_ns : b.first_ns,
                     a.last_ns > b.last_ns ? a.last_ns : b.last_ns };
}

static void update(Rows *r, uint32_t row)
{
  const Ends *ends = &r->rows[row].ends;
  int64_t next_ns = ends->n ? ends->at_ns[0] : OPEN_END;
  uint32_t at = r->n_leaves + row;
  r->tree[at] = (RowRange){ next_ns, next_ns };
  while (at /= 2) r->tree[at] = both(r->tree[2 * at], r->tree[2 * at + 1]);
}

void rows_forget(Rows *r, int64_t ts_ns)
{
  if (ts_ns == OPEN_END) ts_ns--; /* what ends there is no shorter than anything that begins */
  while (r->n && r->tree[1].first_ns <= ts_ns) {
    uint32_t at = 1;
    while (at < r->n_leaves) at = 2 * at + (r->tree[2 * at].first_ns > ts_ns);
    ends_forget(&r->rows[at - r->n_leaves].ends, ts_ns);
    update(r, at - r->n_leaves);
  }
}

Row *rows_fitting(const Rows *r, int64_t end_ns)
{
  uint32_t at = 1;
  if (r->n == 0 || r->tree[1].last_ns < end_ns) return NULL;
  while (at < r->n_leaves) at = 2 * at + (r->tree[2 * at].last_ns < end_ns);
  return &r->rows[at - r->n_leaves];
}

static bool grow(const MillHost *common, Rows *r)
{
  uint32_t n = r->n_leaves ? 2 * r->n_leaves : 4;
  RowRange *tree = common->resize(common, r->tree, 2 * (size_t)n * sizeof *tree);
  if (!tree) return false;
  r->tree = tree;
  r->n_leaves = n;
  for (uint32_t i = 0; i < n; i++) tree[n + i] = no_row;
  for (uint32_t i = n - 1; i > 0; i--) tree[i] = no_row;
  for (uint32_t i = 0; i < r->n; i++) update(r, i);
  return true;
}

Row *rows_add(const MillHost *common, Rows *r, uint32_t track)
{
  if (!array_reserve(common, &r->rows, &r->capacity, (size_t)r->n + 1, sizeof *r->rows) ||
      (r->n == r->n_leaves && !grow(common, r)))
    return NULL;
  r->rows[r->n] = (Row){ .track = track };
  update(r, r->n);
  return &r->rows[r->n++];
}

bool rows_push(const MillHost *common, Rows *r, Row *row, int64_t end_ns)
{
  if (!ends_push(common, &row->ends, end_ns)) return false;
  update(r, (uint32_t)(row - r->rows));
  return true;
}
