/* Means of means along the axes of a sweep; see sweep-runs.h. */
/* SPDX-License-Identifier: MIT */
#include "sweep-runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"

static const char *copy_of(const MillHost *common, const char *text)
{
  size_t len = strlen(text);
  char *copy = mill_new(common, len + 1);
  return copy ? memcpy(copy, text, len) : NULL;
}

bool sweep_add(SweepRuns *runs, const SweepRun *run)
{
  if (!array_reserve(runs->common, &runs->runs, &runs->capacity, runs->n + 1, sizeof *runs->runs))
    return false;
  SweepRun *to = &runs->runs[runs->n++];
  *to = *run;
  to->folder = copy_of(runs->common, run->folder);
  to->implementation = copy_of(runs->common, run->implementation);
  return to->folder && to->implementation;
}

/* ---- saved state */

static const StateField run_fields[] = {
  STATE_FIRST(SweepRun, folder),
  STATE_FIRST(SweepRun, implementation),
  STATE_FIRSTS(SweepRun, setting),
  STATE_FIRSTS(SweepRun, values),
};
static const StateType run_state = STATE_TYPE(SweepRun, run_fields);

static const StateField runs_fields[] = {
  STATE_LIST(SweepRuns, runs, n, capacity, run_state),
};
const StateType sweep_runs_state = STATE_TYPE(SweepRuns, runs_fields);

/* ---- order */

static int compare_ints(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

/* The two that nearly every sweep has come first, whatever the others are called. */
static int place_of(const char *implementation)
{
  if (strcmp(implementation, "Baseline") == 0) return 0;
  return strcmp(implementation, "DefaultAll2All") == 0 ? 1 : 2;
}

static int compare_runs(const SweepRun *a, const SweepRun *b)
{
  int order = compare_ints(place_of(a->implementation), place_of(b->implementation));
  if (!order) order = strcmp(a->implementation, b->implementation);
  for (uint32_t i = 0; i < SWEEP_AXES && !order; i++)
    order = compare_ints(a->setting[i], b->setting[i]);
  return order ? order : strcmp(a->folder, b->folder);
}

static int compare_for_sort(const void *a, const void *b)
{
  const SweepRun *x = a, *y = b;
  int order = compare_runs(x, y);
  return order ? order : compare_ints(x->added, y->added);
}

/* ---- means */

typedef struct Mean {
  double sum[SWEEP_METRICS];
  uint32_t n[SWEEP_METRICS];
} Mean;

static void mean_add(Mean *mean, const double values[SWEEP_METRICS])
{
  for (uint32_t m = 0; m < SWEEP_METRICS; m++) {
    if (!isfinite(values[m])) continue;
    mean->sum[m] += values[m];
    mean->n[m]++;
  }
}

static void mean_take(const Mean *mean, double out[SWEEP_METRICS])
{
  for (uint32_t m = 0; m < SWEEP_METRICS; m++)
    out[m] = mean->n[m] ? mean->sum[m] / mean->n[m] : (double)NAN;
}

void sweep_average(SweepRuns *runs)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < runs->n; i++) runs->runs[i].added = i;
  if (runs->n) qsort(runs->runs, runs->n, sizeof *runs->runs, compare_for_sort);
  for (uint32_t i = 0, next; i < runs->n; i = next) {
    Mean mean = { 0 };
    for (next = i; next < runs->n && compare_runs(&runs->runs[i], &runs->runs[next]) == 0; next++)
      mean_add(&mean, runs->runs[next].values);
    runs->runs[kept] = runs->runs[i];
    mean_take(&mean, runs->runs[kept++].values);
  }
  runs->n = kept;
}

static uint32_t count_of(const SweepRuns *runs, uint32_t axis, int64_t value)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < runs->n; i++) n += runs->runs[i].setting[axis] == value;
  return n;
}

int64_t sweep_fixed(const SweepRuns *runs, uint32_t axis, int64_t wanted)
{
  int64_t best = wanted;
  uint32_t most = 0;
  if (count_of(runs, axis, wanted) > 0) return wanted;
  for (uint32_t i = 0; i < runs->n; i++) {
    int64_t value = runs->runs[i].setting[axis];
    uint32_t n = count_of(runs, axis, value);
    if (n < most || (n == most && value >= best)) continue;
    most = n;
    best = value;
  }
  return best;
}

static uint32_t series_after(const SweepRuns *runs, uint32_t i, uint32_t series)
{
  bool another = i == 0 || strcmp(runs->runs[i].implementation, runs->runs[i - 1].implementation);
  return series + another;
}

/* Runs are sorted by implementation, then max_num_seqs, then max_num_batched_tokens: those with
 * one of the two fixed have the other in order. */
uint32_t sweep_points(const SweepRuns *runs, uint32_t axis, int64_t fixed, SweepPoint *out)
{
  uint32_t other = axis == SWEEP_SEQS ? SWEEP_TOKENS : SWEEP_SEQS, n = 0, series = 0;
  Mean mean = { 0 };
  for (uint32_t i = 0; i < runs->n; i++) {
    const SweepRun *run = &runs->runs[i];
    series = series_after(runs, i, series);
    if (run->setting[other] != fixed) continue;
    bool goes_on = n > 0 && out[n - 1].series == series && out[n - 1].x == run->setting[axis];
    if (!goes_on) {
      mean = (Mean){ 0 };
      out[n++] = (SweepPoint){ run->implementation, series, run->setting[axis] };
    }
    mean_add(&mean, run->values);
    out[n - 1].folders++;
    mean_take(&mean, out[n - 1].values);
    memcpy(out[n - 1].n, mean.n, sizeof mean.n);
  }
  return n;
}
