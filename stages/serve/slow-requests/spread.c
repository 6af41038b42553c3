/* How slow requests spread over lengths of prompts, starts and requests in flight; see slow-requests.h. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "slow-requests.h"

enum { BINS = 20 };

static const char *const by_names[N_BY] = { "input_tokens", "start", "concurrency" };

/* ---- requests in flight */

static int by_time(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Times in order up to this one, or before it. */
static size_t count_until(const int64_t *times, size_t n, int64_t at)
{
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (times[middle] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A request that ends when another starts does not meet it. */
static void count_in_flight(Tail *t, const int64_t *starts, const int64_t *ends, size_t n)
{
  for (size_t i = 0; i < t->n; i++) {
    Asked *a = &t->items[i];
    if (a->start_ns == BENCH_NONE || a->e2e_ns == BENCH_NONE) continue;
    const size_t begun = count_until(starts, n, a->start_ns);
    a->by[BY_CONCURRENCY] = (int64_t)(begun - count_until(ends, n, a->start_ns));
  }
}

bool tail_relate(Tail *t)
{
  int64_t *starts = t->common->scratch(t->common, (t->n + 1) * sizeof *starts);
  int64_t *ends = t->common->scratch(t->common, (t->n + 1) * sizeof *ends);
  size_t n = 0;
  if (!starts || !ends) return false;
  for (size_t i = 0; i < t->n; i++) {
    const Asked *a = &t->items[i];
    if (a->start_ns == BENCH_NONE || a->e2e_ns == BENCH_NONE) continue;
    starts[n] = a->start_ns;
    ends[n++] = add_clipped(a->start_ns, a->e2e_ns);
  }
  qsort(starts, n, sizeof *starts, by_time);
  qsort(ends, n, sizeof *ends, by_time);
  count_in_flight(t, starts, ends, n);
  for (size_t i = 0; i < t->n && n > 0; i++)
    if (t->items[i].start_ns != BENCH_NONE)
      t->items[i].by[BY_START] = interval_span(starts[0], t->items[i].start_ns);
  return true;
}

/* ---- bins */

typedef struct Placed { /* a request by a property */
  int64_t value;
  bool slow;
} Placed;

static int by_value(const void *a, const void *b)
{
  const Placed *x = a, *y = b;
  return (x->value > y->value) - (x->value < y->value);
}

static size_t place(const Tail *t, uint32_t latency, uint32_t by, double limit_ns, Placed *out)
{
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++) {
    const Asked *a = &t->items[i];
    const int64_t ns = a->latency_ns[latency];
    if (ns == BENCH_NONE || a->by[by] == BENCH_NONE) continue;
    out[n++] = (Placed){ a->by[by], (double)ns > limit_ns };
  }
  qsort(out, n, sizeof *out, by_value);
  return n;
}

/* The end of the bin that begins there: equal values are not parted. */
static size_t bin_end(const Placed *placed, size_t n, size_t from)
{
  size_t end = (from * BINS / n + 1) * n / BINS;
  if (end <= from) end = from + 1;
  while (end < n && placed[end].value == placed[end - 1].value) end++;
  return end;
}

int tail_report_spread(const Tail *t, uint32_t latency, uint32_t by, double limit_ns)
{
  Placed *placed = t->common->scratch(t->common, (t->n + 1) * sizeof *placed);
  if (!placed) return -MILL_LIMIT;
  const size_t n = place(t, latency, by, limit_ns, placed);
  BinRow row = { .result = t->result, .metric = tail_latencies[latency], .by = by_names[by] };
  int status = 0;
  for (size_t from = 0, end; from < n && status == 0; from = end) {
    end = bin_end(placed, n, from);
    row.bin++;
    row.from = placed[from].value;
    row.to = placed[end - 1].value;
    row.requests = (int64_t)(end - from);
    row.slow = 0;
    for (size_t i = from; i < end; i++) row.slow += placed[i].slow;
    status = mill_row(t->host, TABLE_BINS, &row);
  }
  return status;
}
