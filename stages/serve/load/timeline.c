/* A run over time; see timeline.h. */
/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <stdlib.h>

#include "kit/numbers/clip.h"

/* ---- cells */

static bool cells_open(Cells *c, const MillHost *common, int64_t first_ns, int64_t width_ns,
                       int64_t n)
{
  *c = (Cells){ first_ns, width_ns, n, mill_new(common, (size_t)n * sizeof *c->tokens) };
  return c->tokens != NULL;
}

/* Times before the first cell belong to it: rounding of gaps may lead there. */
static int64_t cell_of(const Cells *c, int64_t at_ns)
{
  if (at_ns <= c->first_ns) return 0;
  int64_t cell = (at_ns - c->first_ns) / c->width_ns;
  return cell < c->n ? cell : c->n - 1;
}

static void cell_add(Cells *c, int64_t cell, int64_t tokens)
{
  c->tokens[cell] = add_clipped(c->tokens[cell], tokens);
}

static void cells_add(Cells *c, int64_t at_ns, int64_t tokens)
{
  if (c->n > 0) cell_add(c, cell_of(c, at_ns), tokens);
}

/* Of tokens at first + floor(k * length / (tokens - 1)), those before first + until: k with
 * k * length < until * (tokens - 1). */
static int64_t spread_before(int64_t until_ns, int64_t length_ns, int64_t tokens)
{
  if (until_ns <= 0) return 0;
  if (until_ns > length_ns) return tokens;
  __int128 scaled = (__int128)until_ns * (tokens - 1);
  __int128 before = (scaled + length_ns - 1) / length_ns;
  return before < tokens ? (int64_t)before : tokens;
}

static void cells_spread(Cells *c, int64_t first_ns, int64_t last_ns, int64_t tokens)
{
  if (c->n == 0) return;
  int64_t end = cell_of(c, last_ns), done = 0;
  for (int64_t cell = cell_of(c, first_ns); cell <= end; cell++) {
    int64_t until_ns = c->first_ns + (cell + 1) * c->width_ns - first_ns;
    int64_t before = cell == end ? tokens : spread_before(until_ns, last_ns - first_ns, tokens);
    cell_add(c, cell, before - done);
    done = before;
  }
}

/* ---- opening */

bool timeline_open(Timeline *t, const MillHost *common, int64_t first_ns, int64_t last_ns,
                   size_t max_requests, int64_t n_buckets)
{
  int64_t length_ns = last_ns - first_ns;
  int64_t width_ns = length_ns / n_buckets + (length_ns % n_buckets != 0);
  if (width_ns == 0) width_ns = 1;
  int64_t n = length_ns / width_ns + (length_ns % width_ns != 0);
  int64_t n_windows = length_ns / TIMELINE_WINDOW_NS + 1;
  *t = (Timeline){ .first_ns = first_ns, .last_ns = last_ns, .max = max_requests };
  if (n == 0) n = 1;
  t->in_bucket = mill_new(common, (size_t)n * sizeof *t->in_bucket);
  t->starts = mill_new(common, max_requests * sizeof *t->starts);
  t->ends = mill_new(common, max_requests * sizeof *t->ends);
  if (!t->in_bucket || !t->starts || !t->ends) return false;
  if (!cells_open(&t->buckets, common, first_ns, width_ns, n)) return false;
  if (n_windows > TIMELINE_MAX_WINDOWS) return true;
  return cells_open(&t->windows, common, first_ns, TIMELINE_WINDOW_NS, n_windows);
}

/* ---- adding */

void timeline_add(Timeline *t, int64_t start_ns, int64_t end_ns)
{
  if (t->n == t->max) return;
  const Cells *c = &t->buckets;
  int64_t from = cell_of(c, start_ns), to = cell_of(c, end_ns);
  int64_t until_ns = c->first_ns + (from + 1) * c->width_ns;
  t->starts[t->n] = start_ns;
  t->ends[t->n++] = end_ns;
  t->in_bucket[from].started++;
  t->in_bucket[to].finished++;
  t->in_bucket[from].partial_ns += (from == to ? end_ns : until_ns) - start_ns;
  if (from == to) return;
  t->in_bucket[to].partial_ns += end_ns - (c->first_ns + to * c->width_ns);
  t->in_bucket[from + 1].full_begin++;
  t->in_bucket[to].full_end++;
}

void timeline_tokens(Timeline *t, int64_t at_ns, int64_t tokens)
{
  cells_add(&t->buckets, at_ns, tokens);
  cells_add(&t->windows, at_ns, tokens);
}

void timeline_spread(Timeline *t, int64_t first_ns, int64_t last_ns, int64_t tokens)
{
  if (tokens < 2 || last_ns <= first_ns) {
    timeline_tokens(t, first_ns, tokens);
    return;
  }
  cells_spread(&t->buckets, first_ns, last_ns, tokens);
  cells_spread(&t->windows, first_ns, last_ns, tokens);
}

/* ---- results */

BucketRow timeline_bucket(const Timeline *t, int64_t bucket, int64_t *io_full)
{
  const Bucket *b = &t->in_bucket[bucket];
  int64_t start_ns = bucket * t->buckets.width_ns, left_ns = t->last_ns - t->first_ns - start_ns;
  int64_t len_ns = left_ns < t->buckets.width_ns ? left_ns : t->buckets.width_ns;
  *io_full += b->full_begin - b->full_end;
  __int128 busy_ns = b->partial_ns + (__int128)*io_full * len_ns;
  double running = len_ns ? (double)busy_ns / (double)len_ns : 0;
  return (
      BucketRow){ start_ns, len_ns, running, b->started, b->finished, t->buckets.tokens[bucket] };
}

static int by_time(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* A request that ends when another starts does not meet it. */
int64_t timeline_most_running(Timeline *t)
{
  size_t ended = 0;
  int64_t most = 0;
  if (t->n == 0) return 0;
  qsort(t->starts, t->n, sizeof *t->starts, by_time);
  qsort(t->ends, t->n, sizeof *t->ends, by_time);
  for (size_t i = 0; i < t->n; i++) {
    while (t->ends[ended] <= t->starts[i] && ended < i) ended++;
    int64_t running = (int64_t)(i + 1 - ended);
    if (running > most) most = running;
  }
  return most;
}

int64_t timeline_peak_tokens(const Timeline *t)
{
  int64_t peak = 0;
  for (int64_t i = 0; i < t->windows.n; i++)
    if (t->windows.tokens[i] > peak) peak = t->windows.tokens[i];
  return peak;
}
