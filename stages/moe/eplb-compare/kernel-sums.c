/* Rows merged: totals, counts and extremes as they are, mean = total / count, and the standard
 * deviation of all calls, std^2 = sum(n (s^2 + m^2)) / N - mean^2 with n, m and s of each row.
 * The last is added up as distances from the mean (Chan, Golub and LeVeque, 1979), which is the
 * same number without the difference of two large ones. */
/* SPDX-License-Identifier: MIT */
#include "kernel-sums.h"

#include <math.h>

#include "kit/numbers/clip.h"

bool kernel_sums_mean(const KernelSums *sums, double *out_ns)
{
  if (sums->count <= 0) return false;
  *out_ns = (double)sums->total_ns / (double)sums->count;
  return true;
}

bool kernel_sums_std(const KernelSums *sums, double *out_ns)
{
  if (sums->count <= 0 || sums->no_std) return false;
  *out_ns = sums->rows == 1 ? sums->std_ns : sqrt(sums->scatter_ns2 / (double)sums->count);
  return isfinite(*out_ns);
}

static void merge_extremes(KernelSums *into, const KernelSums *from)
{
  if (from->has_min && (!into->has_min || from->min_ns < into->min_ns)) into->min_ns = from->min_ns;
  if (from->has_max && (!into->has_max || from->max_ns > into->max_ns)) into->max_ns = from->max_ns;
  into->has_min |= from->has_min;
  into->has_max |= from->has_max;
}

/* mean_b of b, if it has one. */
static double scatter_between(const KernelSums *a, const KernelSums *b, double mean_b)
{
  double mean_a;
  if (b->count <= 0 || !kernel_sums_mean(a, &mean_a)) return 0;
  double n_a = (double)a->count, n_b = (double)b->count, apart = mean_b - mean_a;
  return apart * apart * n_a * n_b / (n_a + n_b);
}

static inline void merge(KernelSums *into, const KernelSums *from, double mean_of_from)
{
  into->scatter_ns2 += from->scatter_ns2 + scatter_between(into, from, mean_of_from);
  into->rows += from->rows;
  into->count = add_clipped(into->count, from->count);
  into->total_ns = add_clipped(into->total_ns, from->total_ns);
  merge_extremes(into, from);
  into->med_ns = from->med_ns;
  into->std_ns = from->std_ns;
  into->pct += from->pct;
  into->avg_ns += from->avg_ns;
  into->has_med = from->has_med && into->rows == 1;
  into->no_std |= from->no_std;
  into->no_pct |= from->no_pct;
}

void kernel_sums_merge(KernelSums *into, const KernelSums *from)
{
  double mean = 0;
  if (from->rows == 0) return;
  kernel_sums_mean(from, &mean);
  merge(into, from, mean);
}

static KernelSums sums_of_row(const KernelRow *row)
{
  return (KernelSums){
    .rows = 1,
    .count = row->count,
    .total_ns = row->total_ns,
    .min_ns = row->min_ns,
    .max_ns = row->max_ns,
    .scatter_ns2 = (double)row->count * row->std_ns * row->std_ns,
    .med_ns = row->med_ns,
    .std_ns = row->std_ns,
    .pct = row->pct,
    .avg_ns = row->avg_ns,
    .has_min = row->min_ns >= 0,
    .has_max = row->max_ns >= 0,
    .has_med = row->has_med,
    .no_std = !row->has_std,
    .no_pct = !row->has_pct,
  };
}

void kernel_sums_add(KernelSums *sums, uint32_t which, const KernelRow *row)
{
  const KernelSums one = sums_of_row(row);
  double mean = 0;
  kernel_sums_mean(&one, &mean);
  for (; which; which &= which - 1) merge(&sums[__builtin_ctz(which)], &one, mean);
}

/* ---- saved state */

static const StateField row_fields[] = {
  STATE_FIRST(KernelRow, total_ns), STATE_FIRST(KernelRow, count),
  STATE_FIRST(KernelRow, min_ns),   STATE_FIRST(KernelRow, max_ns),
  STATE_FIRST(KernelRow, avg_ns),   STATE_FIRST(KernelRow, med_ns),
  STATE_FIRST(KernelRow, std_ns),   STATE_FIRST(KernelRow, pct),
  STATE_FIRST(KernelRow, has_med),  STATE_FIRST(KernelRow, has_std),
  STATE_FIRST(KernelRow, has_pct),
};
const StateType kernel_row_state = STATE_TYPE(KernelRow, row_fields);

static const StateField sums_fields[] = {
  STATE_FIRST(KernelSums, rows),     STATE_FIRST(KernelSums, count),
  STATE_FIRST(KernelSums, total_ns), STATE_FIRST(KernelSums, min_ns),
  STATE_FIRST(KernelSums, max_ns),   STATE_FIRST(KernelSums, scatter_ns2),
  STATE_FIRST(KernelSums, med_ns),   STATE_FIRST(KernelSums, std_ns),
  STATE_FIRST(KernelSums, pct),      STATE_FIRST(KernelSums, avg_ns),
  STATE_FIRST(KernelSums, has_min),  STATE_FIRST(KernelSums, has_max),
  STATE_FIRST(KernelSums, has_med),  STATE_FIRST(KernelSums, no_std),
  STATE_FIRST(KernelSums, no_pct),
};
const StateType kernel_sums_state = STATE_TYPE(KernelSums, sums_fields);
