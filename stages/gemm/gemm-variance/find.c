/* The rows of a lane: GEMMs whose calls differ most, when the shortest and the longest ran, and beside which collectives. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "kit/numbers/interval.h"
#include "gemm/lib/tag-number.h"
#include "kit/text/symbol.h"
#include "variance.h"

/* ---- when */

/* Calls of a row are in order of start: the first of the shortest, the last of the longest. */
static void find_calls(const GemmRows *g, const GemmRow *row, const GemmCall **out_min,
                       const GemmCall **out_max)
{
  const GemmCall *min = gemm_rows_call(g, row, 0), *max = min;
  for (size_t i = 1; i < row->n; i++) {
    const GemmCall *call = gemm_rows_call(g, row, i);
    if (call->time_ns < min->time_ns) min = call;
    if (call->time_ns >= max->time_ns) max = call;
  }
  *out_min = min;
  *out_max = max;
}

static bool find_exact(Variance *v, const GemmRow *row, VarianceRow *out, IntervalSet *busy)
{
  const GemmCall *min, *max;
  bool fits = true;
  find_calls(&v->gemms, row, &min, &max);
  out->is_found = min->n_parts > 0 && max->n_parts > 0;
  out->min_at_ns = min->start_ns;
  out->max_at_ns = max->start_ns;
  out->min_found_ns = min->time_ns;
  out->max_found_ns = max->time_ns;
  for (uint32_t i = 0; i < max->n_parts && fits; i++) {
    const GemmPart *p = &v->calls.parts[max->first_part + i];
    fits = interval_add(busy, p->start_ns, p->end_ns);
  }
  return fits;
}

static bool is_elsewhere(const Variance *v, int64_t found_ns, int64_t expected_ns)
{
  double off = (double)found_ns - (double)expected_ns;
  if (off < 0) off = -off;
  return off > (double)expected_ns * v->options.tolerance_percent / 100;
}

static bool find_prefix(Variance *v, VarianceRow *out, IntervalSet *busy)
{
  KernelEnd min, max;
  out->is_found = ends_find(&v->ends, out->kernel, &min, &max);
  if (!out->is_found) {
    mill_note(v->common, NO_KERNEL);
    return true;
  }
  out->min_at_ns = min.ts_ns;
  out->max_at_ns = max.ts_ns;
  out->min_found_ns = min.dur_ns;
  out->max_found_ns = max.dur_ns;
  if (is_elsewhere(v, min.dur_ns, out->min_ns) || is_elsewhere(v, max.dur_ns, out->max_ns))
    mill_note(v->common, ELSEWHERE);
  return interval_add(busy, max.ts_ns, interval_end(max.ts_ns, max.dur_ns));
}

/* ---- beside what */

static bool clip(const IntervalSet *busy, const Call *c, IntervalSet *out)
{
  int64_t end_ns = interval_end(c->ts_ns, c->dur_ns);
  bool fits = true;
  for (size_t i = 0; i < busy->n && fits; i++) {
    const Interval *b = &busy->items[i];
    int64_t from = c->ts_ns > b->start_ns ? c->ts_ns : b->start_ns;
    int64_t to = end_ns < b->end_ns ? end_ns : b->end_ns;
    if (from < to) fits = interval_add(out, from, to);
  }
  interval_normalise(out);
  return fits;
}

static bool add_all(const IntervalSet *from, IntervalSet *to)
{
  bool fits = true;
  for (size_t i = 0; i < from->n && fits; i++)
    fits = interval_add(to, from->items[i].start_ns, from->items[i].end_ns);
  return fits;
}

static bool add_collective(Variance *v, VarianceRow *row, const IntervalSet *busy, const Call *c,
                           IntervalSet *covered)
{
  IntervalSet beside = { .common = v->common };
  bool fits = clip(busy, c, &beside);
  int64_t ns = interval_length(&beside);
  if (fits && ns > 0) {
    MillSym name = symbol_of(v->common, c->name);
    fits = row_add_overlap(v->common, row, name, ns) && add_all(&beside, covered);
  }
  interval_clear(&beside);
  return fits;
}

/* Collectives are in order of start: from the first that begins after the call on, none is beside it. */
static bool find_overlaps(Variance *v, VarianceRow *row, IntervalSet *busy)
{
  IntervalSet covered = { .common = v->common };
  bool fits = true;
  interval_normalise(busy);
  row->busy_ns = interval_length(busy);
  if (busy->n == 0) return true;
  const int64_t end_ns = busy->items[busy->n - 1].end_ns;
  for (size_t i = 0; i < v->collectives.n && fits; i++) {
    const Call *c = &v->collectives.items[i];
    if (c->ts_ns >= end_ns) break;
    if (interval_end(c->ts_ns, c->dur_ns) > busy->items[0].start_ns)
      fits = add_collective(v, row, busy, c, &covered);
  }
  interval_normalise(&covered);
  row->overlap_ns = interval_length(&covered);
  interval_clear(&covered);
  return fits;
}

/* ---- rows */

static bool add_row(Variance *v, const GemmRow *row, const MillLane *lane, size_t position)
{
  IntervalSet busy = { .common = v->common };
  VarianceRow *out = rows_add(&v->rows);
  if (!out) return false;
  out->threads = tag_number(v->common, "threads");
  out->channels = tag_number(v->common, "channels");
  out->rank = lane->rank;
  out->position = (int64_t)position;
  out->lane = lane->index;
  out->input = symbol_of(v->common, lane->name);
  out->key = v->common->intern(v->common, row->key, row->key_len);
  out->kernel = row->kernel;
  out->calls = (int64_t)row->n;
  out->min_ns = row->rates.time.moments.min;
  out->max_ns = row->rates.time.moments.max;
  bool fits =
      v->options.match == MATCH_EXACT ? find_exact(v, row, out, &busy) : find_prefix(v, out, &busy);
  fits = fits && find_overlaps(v, out, &busy);
  interval_clear(&busy);
  return fits;
}

static int by_time(const void *p, const void *q)
{
  const Call *a = p, *b = q;
  if (a->ts_ns != b->ts_ns) return a->ts_ns < b->ts_ns ? -1 : 1;
  if (a->dur_ns != b->dur_ns) return a->dur_ns > b->dur_ns ? -1 : 1;
  return strcmp(a->name, b->name);
}

bool variance_find(Variance *v)
{
  MillLane lane = { .size = sizeof lane };
  size_t n = 0;
  if (!gemm_calls_close(&v->calls) || !gemm_rows_make(&v->gemms)) return false;
  if (v->collectives.n)
    qsort(v->collectives.items, v->collectives.n, sizeof *v->collectives.items, by_time);
  const GemmRow **picks = gemm_rows_pick(&v->gemms, v->options.top_k, &n);
  v->common->lane(v->common, MILL_NO_LANE, &lane);
  if (!picks) return false;
  for (size_t i = 0; i < n; i++)
    if (!add_row(v, picks[i], &lane, i)) return false;
  return true;
}
