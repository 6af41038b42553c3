/* Distributions for percentiles; see hist.h. */
#include "lib/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BINS = 64, PAGES_UP = HIST_PAGES / 2 };

void hist_init(Hist *h, uint64_t bound) { *h = (Hist){ .bound = bound }; }

void hist_clear(Hist *h)
{
  free(h->values);
  for (int i = 0; h->pages && i < HIST_PAGES; i++) free(h->pages[i]);
  free(h->pages);
  hist_init(h, h->bound);
}

/* ---- bins: 0..63 are themselves, then 64 equal ones to every octave; below zero mirrored at -1 */

static unsigned bin_of_magnitude(uint64_t v)
{
  if (v < PAGE_BINS) return (unsigned)v;
  unsigned octave = 63u - (unsigned)__builtin_clzll(v); /* 6..62 */
  return (octave - 5) * PAGE_BINS + (unsigned)(v >> (octave - 6) & (PAGE_BINS - 1));
}

static unsigned bin_of(int64_t value)
{
  if (value >= 0) return bin_of_magnitude((uint64_t)value);
  return PAGES_UP * PAGE_BINS + bin_of_magnitude(~(uint64_t)value);
}

/* The middle of a bin. */
static double middle_of(unsigned bin)
{
  if (bin >= PAGES_UP * PAGE_BINS) return -1.0 - middle_of(bin - PAGES_UP * PAGE_BINS);
  if (bin < 2 * PAGE_BINS) return bin;
  unsigned shift = bin / PAGE_BINS - 1;
  double low = (double)((uint64_t)(PAGE_BINS + bin % PAGE_BINS) << shift);
  return low + ((double)((uint64_t)1 << shift) - 1) / 2;
}

static bool count_in(Hist *h, unsigned bin, uint64_t n)
{
  uint64_t **page = &h->pages[bin / PAGE_BINS];
  if (!*page) *page = calloc(PAGE_BINS, sizeof(uint64_t));
  if (!*page) return false;
  (*page)[bin % PAGE_BINS] += n;
  return true;
}

/* From values to bins. */
static bool change_over(Hist *h)
{
  h->pages = calloc(HIST_PAGES, sizeof *h->pages);
  if (!h->pages) return false;
  for (uint64_t i = 0; i < h->n_values; i++)
    if (!count_in(h, bin_of(h->values[i]), 1)) return false;
  free(h->values);
  h->values = NULL;
  h->n_values = h->max_values = 0;
  return true;
}

static bool add_value(Hist *h, int64_t value)
{
  if (h->n_values == h->max_values) {
    uint64_t max = h->max_values ? h->max_values * 2 : 8;
    int64_t *values = realloc(h->values, max * sizeof *values);
    if (!values) return false;
    h->values = values;
    h->max_values = max;
  }
  h->values[h->n_values++] = value;
  return true;
}

static void widen(Hist *h, int64_t min, int64_t max)
{
  if (h->n == 0 || min < h->min) h->min = min;
  if (h->n == 0 || max > h->max) h->max = max;
}

bool hist_add(Hist *h, int64_t value)
{
  widen(h, value, value);
  h->n++;
  if (!h->pages && h->n <= h->bound) return add_value(h, value);
  if (!h->pages && !change_over(h)) return false;
  return count_in(h, bin_of(value), 1);
}

bool hist_merge(Hist *into, const Hist *from)
{
  if (from->n == 0) return true;
  if (!from->pages) {
    for (uint64_t i = 0; i < from->n_values; i++)
      if (!hist_add(into, from->values[i])) return false;
    return true;
  }
  if (!into->pages && !change_over(into)) return false;
  widen(into, from->min, from->max);
  into->n += from->n;
  for (unsigned bin = 0; bin < HIST_PAGES * PAGE_BINS; bin++) {
    const uint64_t *page = from->pages[bin / PAGE_BINS];
    if (page && page[bin % PAGE_BINS] && !count_in(into, bin, page[bin % PAGE_BINS])) return false;
  }
  return true;
}

/* ---- percentiles */

static int compare_values(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The k-th bin from below: the negative half stands mirrored behind the other. */
static unsigned bin_by_size(unsigned k)
{
  unsigned half = PAGES_UP * PAGE_BINS;
  return k < half ? HIST_PAGES * PAGE_BINS - 1 - k : k - half;
}

/* The value of rank `rank` (0 is the least), within the error of its bin; the ends are exact. */
static double ranked(const Hist *h, uint64_t rank)
{
  if (!h->pages) return (double)h->values[rank];
  if (rank == 0) return (double)h->min;
  if (rank == h->n - 1) return (double)h->max;
  uint64_t below = 0;
  for (unsigned k = 0; k < HIST_PAGES * PAGE_BINS; k++) {
    unsigned bin = bin_by_size(k);
    const uint64_t *page = h->pages[bin / PAGE_BINS];
    if (page) below += page[bin % PAGE_BINS];
    if (below > rank) return fmin(fmax(middle_of(bin), (double)h->min), (double)h->max);
  }
  return (double)h->max;
}

bool hist_percentile(Hist *h, double p, double *out)
{
  if (h->n == 0) return false;
  if (!h->pages) qsort(h->values, h->n_values, sizeof *h->values, compare_values);
  double rank = (double)(h->n - 1) * (p / 100);
  uint64_t lower = rank <= 0 ? 0 : (uint64_t)rank;
  if (lower >= h->n - 1) {
    *out = (double)h->max;
    return true;
  }
  double a = ranked(h, lower), part = rank - (double)lower;
  *out = part > 0 ? a + (ranked(h, lower + 1) - a) * part : a;
  return true;
}

/* ---- summaries: how many values, then themselves in order; or least, greatest, and pairs of
 * bin and count */

void hist_save(Hist *h, const MillHost *host)
{
  host->put_int(host, (int64_t)h->n);
  host->put_int(host, h->pages != NULL);
  if (!h->pages) {
    if (h->n_values) qsort(h->values, h->n_values, sizeof *h->values, compare_values);
    for (uint64_t i = 0; i < h->n_values; i++) host->put_int(host, h->values[i]);
    return;
  }
  host->put_int(host, h->min);
  host->put_int(host, h->max);
  for (unsigned bin = 0; bin < HIST_PAGES * PAGE_BINS; bin++) {
    const uint64_t *page = h->pages[bin / PAGE_BINS];
    if (!page || !page[bin % PAGE_BINS]) continue;
    host->put_int(host, bin);
    host->put_int(host, (int64_t)page[bin % PAGE_BINS]);
  }
  host->put_int(host, -1);
}

bool hist_load(Hist *h, const MillHost *host)
{
  uint64_t n = (uint64_t)host->get_int(host);
  if (!host->get_int(host)) {
    for (uint64_t i = 0; i < n && host->get_more(host); i++)
      if (!hist_add(h, host->get_int(host))) return false;
    return true;
  }
  if (!h->pages && !change_over(h)) return false;
  int64_t min = host->get_int(host);
  widen(h, min, host->get_int(host));
  h->n += n;
  while (host->get_more(host)) {
    int64_t bin = host->get_int(host);
    if (bin < 0 || bin >= HIST_PAGES * PAGE_BINS) return true;
    if (!count_in(h, (unsigned)bin, (uint64_t)host->get_int(host))) return false;
  }
  return true;
}
