/* Checks of one row; see verify-row.h. */
/* SPDX-License-Identifier: MIT */
#include "verify-row.h"

#include "kit/numbers/interval.h"

static void go_on(Row *row, int64_t ts_ns, MillSym job)
{
  if (row->job != job) row->earlier = row->now = row->slices_now = 0;
  row->job = job;
  if (ts_ns == row->ts_ns) return;
  if (row->now > row->earlier) row->earlier = row->now;
  row->now = row->slices_now = 0;
  row->ts_ns = ts_ns;
}

/* The events come sorted: where they were sorted in their input, ordinals ascend.  At one time, only slices have an
 * order, the longest first.  What a stage made has no ordinal of its own. */
bool row_is_late(Row *row, const MillEvent *e, MillSym job)
{
  uint64_t ordinal = e->seq + 1;
  if (e->raw_len == 0 || e->dirty & (MILL_DIRTY_KIND | MILL_DIRTY_TS)) return false;
  go_on(row, e->ts_ns, job);
  bool is_slice = e->kind == MILL_SLICE;
  bool late = ordinal < row->earlier || (is_slice && ordinal < row->slices_now);
  if (ordinal > row->now) row->now = ordinal;
  if (is_slice && ordinal > row->slices_now) row->slices_now = ordinal;
  return late;
}

bool row_is_alone(Row *row, const MillEvent *e)
{
  if (e->kind == MILL_OTHER) return true;
  if (e->kind == MILL_BEGIN && row->n_begins++ == 0) row->first_begin = place_of(e);
  if (e->kind != MILL_END) return false;
  if (row->n_begins == 0) return true;
  row->n_begins--;
  return false;
}

bool row_is_crossed(const MillHost *common, Row *row, const MillEvent *e, bool *out_failed)
{
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  ends_forget(&row->ends, e->ts_ns);
  bool crossed = ends_conflict(&row->ends, end_ns);
  *out_failed = !ends_push(common, &row->ends, end_ns);
  return crossed;
}

bool row_is_busy(Row *row, const MillEvent *e)
{
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  bool busy = e->ts_ns < row->busy_to_ns;
  if (end_ns > row->busy_to_ns) row->busy_to_ns = end_ns;
  return busy;
}
