/* Distributions for percentiles; see hist.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/hist.h"

#include <math.h>
#include <string.h>

#include "kit/state/grow.h"
#include "kit/state/sort.h"

/* ---- all of them */

void hists_note(const Hists *all, uint32_t number)
{
  if (all->binned) mill_note(all->common, number);
}

void hists_init(Hists *all, const MillHost *common, uint64_t bound)
{
  *all = (Hists){ .common = common, .bound = bound };
}

void hist_init(Hist *h, Hists *of) { *h = (Hist){ .of = of }; }

static void clear(Hist *h)
{
  const MillHost *common = h->of->common;
  array_free(common, h->values);
  for (uint32_t i = 0; h->pages && i < HIST_PAGES; i++) array_free(common, h->pages[i]);
  array_free(common, h->pages);
  hist_init(h, h->of);
}

void hists_clear(Hists *all)
{
  for (Hist *h = all->first, *next; h; h = next) {
    next = h->next;
    clear(h);
  }
  hists_init(all, all->common, all->bound);
}

const char *hist_method(const Hists *all) { return all->binned ? "histogram" : "exact"; }

bool hists_bin(Hists *all)
{
  if (all->binned) return true;
  all->binned = true;
  for (Hist *h = all->first; h; h = h->next)
    if (h->n > HIST_FEW && !hist_change_over(h)) return false;
  return true;
}

/* ---- bins */

static inline uint32_t bin_of(int64_t value)
{
  if (value >= 0) return hist_bin(HIST_LOG2_BINS, (uint64_t)value);
  return HIST_HALF + hist_bin(HIST_LOG2_BINS, ~(uint64_t)value);
}

static double middle_of(uint32_t bin)
{
  if (bin >= HIST_HALF) return -1.0 - middle_of(bin - HIST_HALF);
  uint32_t octave = bin >> HIST_LOG2_BINS, shift = octave ? octave - 1 : 0;
  return (double)hist_bin_start(HIST_LOG2_BINS, bin) + ((double)((uint64_t)1 << shift) - 1) / 2;
}

bool hist_count_in(Hist *h, uint32_t bin, uint64_t n)
{
  uint64_t **page = &h->pages[bin >> HIST_LOG2_BINS];
  if (!*page) *page = mill_new(h->of->common, HIST_PAGE_BINS * sizeof(uint64_t));
  if (!*page) return false;
  (*page)[bin & (HIST_PAGE_BINS - 1)] += n;
  return true;
}

void hist_widen(Hist *h, int64_t min, int64_t max)
{
  if (min < h->min) h->min = min;
  if (max > h->max) h->max = max;
}

static bool count_values(Hist *h, const int64_t *values, uint64_t n)
{
  uint64_t *const *pages = h->pages;
  int64_t min = h->min, max = h->max;
  for (uint64_t i = 0; i < n; i++) {
    uint32_t bin = bin_of(values[i]);
    uint64_t *page = pages[bin >> HIST_LOG2_BINS];
    min = values[i] < min ? values[i] : min;
    max = values[i] > max ? values[i] : max;
    if (page)
      page[bin & (HIST_PAGE_BINS - 1)]++;
    else if (!hist_count_in(h, bin, 1))
      return false;
  }
  hist_widen(h, min, max);
  return true;
}

/* As the first of those that hold memory. */
static void join(Hist *h)
{
  if (h->listed) return;
  h->listed = true;
  h->next = h->of->first;
  h->of->first = h;
}

bool hist_change_over(Hist *h)
{
  if (h->pages) return true;
  join(h);
  h->pages = mill_new(h->of->common, HIST_PAGES * sizeof *h->pages);
  if (!h->pages) return false;
  h->min = INT64_MAX;
  h->max = INT64_MIN;
  if (!count_values(h, h->values, h->n)) return false;
  array_free(h->of->common, h->values);
  h->values = NULL;
  h->capacity = h->n_sorted = 0;
  return true;
}

/* ---- adding */

/* By half, few by doubling, but not beyond the most that it may hold. */
static bool reserve(Hist *h, uint64_t n, uint64_t most)
{
  if (n <= h->capacity) return true;
  uint64_t capacity = h->capacity < HIST_FEW ? h->capacity * 2 : h->capacity + h->capacity / 2;
  if (capacity < 8) capacity = 8;
  if (capacity < n) capacity = n;
  if (capacity > most && n <= most) capacity = most;
  int64_t *values = h->of->common->resize(h->of->common, h->values, capacity * sizeof *values);
  if (!values) return false;
  h->values = values;
  h->capacity = capacity;
  return true;
}

bool hist_insert(Hist *h, const int64_t *values, uint64_t n)
{
  if (n == 0) return true;
  if (h->pages || (h->of->binned && h->n + n > HIST_FEW)) {
    if (!hist_change_over(h)) return false;
    h->n += n;
    return count_values(h, values, n);
  }
  join(h);
  if (!reserve(h, h->n + n, h->of->binned ? HIST_FEW : h->of->bound)) return false;
  memcpy(h->values + h->n, values, n * sizeof *values);
  h->n += n;
  return true;
}

bool hist_expect(Hist *h, uint64_t n)
{
  if (h->of->binned || n > h->of->bound || h->pages) return true;
  join(h);
  return reserve(h, n, n);
}

bool hist_add_many(Hist *h, const int64_t *values, uint64_t n)
{
  h->of->n += n;
  return (h->of->n <= h->of->bound || hists_bin(h->of)) && hist_insert(h, values, n);
}

bool hist_merge(Hist *into, const Hist *from)
{
  if (!from->pages) return hist_add_many(into, from->values, from->n);
  if (!hists_bin(into->of) || !hist_change_over(into)) return false;
  hist_widen(into, from->min, from->max);
  into->n += from->n;
  into->of->n += from->n;
  for (uint32_t bin = 0; bin < 2 * HIST_HALF; bin++) {
    uint64_t n = hist_count_of(from, bin);
    if (n && !hist_count_in(into, bin, n)) return false;
  }
  return true;
}

/* ---- percentiles */

void hist_sort(Hist *h)
{
  if (h->pages || h->n_sorted == h->n) return;
  h->n_sorted = h->n;
  sort_rows(h->values, h->n, 1);
}

/* Bins from below: the negative half is mirrored and comes after the other. */
static uint32_t bin_by_size(uint32_t k)
{
  return k < HIST_HALF ? 2 * HIST_HALF - 1 - k : k - HIST_HALF;
}
static uint32_t bin_position(uint32_t bin)
{
  return bin < HIST_HALF ? bin + HIST_HALF : 2 * HIST_HALF - 1 - bin;
}

/* In the first bins up to the k-th, or until there are so many; the last one looked at. */
static uint64_t count_up_to(const Hist *h, uint32_t k_end, uint64_t enough, uint32_t *out_k)
{
  uint64_t below = 0;
  for (uint32_t k = 0; k < k_end; k++) {
    uint32_t bin = bin_by_size(k);
    if (!h->pages[bin >> HIST_LOG2_BINS]) {
      k |= HIST_PAGE_BINS - 1; /* none of the page */
      continue;
    }
    *out_k = k;
    below += hist_count_of(h, bin);
    if (below >= enough) break;
  }
  return below;
}

static uint32_t bin_of_rank(const Hist *h, uint64_t rank)
{
  uint32_t k = 0;
  if (!h->pages) return bin_of(h->values[rank]);
  count_up_to(h, 2 * HIST_HALF, rank + 1, &k);
  return bin_by_size(k);
}

/* The value of rank `rank` (0 is the smallest), within the error of its bin; the ends are exact. */
static double ranked(const Hist *h, uint64_t rank)
{
  if (!h->of->binned) return (double)h->values[rank];
  double min = (double)(h->pages ? h->min : h->values[0]);
  double max = (double)(h->pages ? h->max : h->values[h->n - 1]);
  if (rank == 0) return min;
  if (rank == h->n - 1) return max;
  return fmin(fmax(middle_of(bin_of_rank(h, rank)), min), max);
}

bool hist_percentile(Hist *h, double p, double *out)
{
  if (h->n == 0) return false;
  hist_sort(h);
  double rank = (double)(h->n - 1) * (p / 100);
  uint64_t lower = rank <= 0 ? 0 : (uint64_t)rank;
  if (lower >= h->n - 1) {
    *out = ranked(h, h->n - 1);
    return true;
  }
  double a = ranked(h, lower), part = rank - (double)lower;
  *out = part > 0 ? a + (ranked(h, lower + 1) - a) * part : a;
  return true;
}

static uint64_t values_below(const Hist *h, int64_t limit)
{
  uint64_t low = 0, high = h->n;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (h->values[middle] < limit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint64_t hist_count_below(Hist *h, int64_t limit)
{
  hist_sort(h);
  if (!h->pages) return values_below(h, limit);
  uint32_t last;
  return count_up_to(h, bin_position(bin_of(limit)), UINT64_MAX, &last);
}
