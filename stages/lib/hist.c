/* Distributions for percentiles; see hist.h. */
#include "lib/hist.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

void hist_init(Hist *h, const MillHost *common, uint64_t bound, uint32_t bins)
{
  *h = (Hist){ .common = common, .bound = bound, .log2_bins = (uint32_t)__builtin_ctz(bins) };
}

/* Pages for values from 0 on: one for those below the first octave, one for every octave. */
static uint32_t pages_up(const Hist *h) { return 64 - h->log2_bins; }
/* With those for values below 0, which are mirrored at -1. */
static uint32_t n_pages(const Hist *h) { return 2 * pages_up(h); }
static uint32_t page_bins(const Hist *h) { return 1u << h->log2_bins; }

void hist_clear(Hist *h)
{
  array_free(h->common, h->values);
  for (uint32_t i = 0; h->pages && i < n_pages(h); i++) array_free(h->common, h->pages[i]);
  array_free(h->common, h->pages);
  hist_init(h, h->common, h->bound, page_bins(h));
}

/* ---- bins */

static inline uint32_t bin_of(const Hist *h, int64_t value)
{
  if (value >= 0) return hist_bin(h->log2_bins, (uint64_t)value);
  return (pages_up(h) << h->log2_bins) + hist_bin(h->log2_bins, ~(uint64_t)value);
}

static double middle_of(const Hist *h, uint32_t bin)
{
  uint32_t half = pages_up(h) << h->log2_bins;
  if (bin >= half) return -1.0 - middle_of(h, bin - half);
  uint32_t octave = bin >> h->log2_bins, shift = octave ? octave - 1 : 0;
  return (double)hist_bin_start(h->log2_bins, bin) + ((double)((uint64_t)1 << shift) - 1) / 2;
}

static inline bool count_in(Hist *h, uint32_t bin, uint64_t n)
{
  uint64_t **page = &h->pages[bin >> h->log2_bins];
  if (!*page) *page = mill_new(h->common, page_bins(h) * sizeof(uint64_t));
  if (!*page) return false;
  (*page)[bin & (page_bins(h) - 1)] += n;
  return true;
}

static void widen(Hist *h, int64_t min, int64_t max)
{
  if (min < h->min) h->min = min;
  if (max > h->max) h->max = max;
}

static bool count_values(Hist *h, const int64_t *values, uint64_t n)
{
  const Hist fixed = *h; /* a copy that no store can change */
  int64_t min = h->min, max = h->max;
  for (uint64_t i = 0; i < n; i++) {
    uint32_t bin = bin_of(&fixed, values[i]);
    uint64_t *page = fixed.pages[bin >> fixed.log2_bins];
    min = values[i] < min ? values[i] : min;
    max = values[i] > max ? values[i] : max;
    if (page)
      page[bin & (page_bins(&fixed) - 1)]++;
    else if (!count_in(h, bin, 1))
      return false;
  }
  widen(h, min, max);
  return true;
}

/* From values to bins. */
static bool change_over(Hist *h)
{
  h->pages = mill_new(h->common, n_pages(h) * sizeof *h->pages);
  if (!h->pages) return false;
  h->min = INT64_MAX;
  h->max = INT64_MIN;
  if (!count_values(h, h->values, h->n)) return false;
  array_free(h->common, h->values);
  h->values = NULL;
  h->capacity = h->n_sorted = 0;
  return true;
}

/* ---- adding */

/* Doubling, but never beyond the bound. */
static bool reserve(Hist *h, uint64_t n)
{
  if (n <= h->capacity) return true;
  uint64_t capacity = h->capacity ? h->capacity * 2 : 8;
  if (capacity < n) capacity = n;
  if (capacity > h->bound) capacity = h->bound;
  int64_t *values = h->common->resize(h->common, h->values, capacity * sizeof *values);
  if (!values) return false;
  h->values = values;
  h->capacity = capacity;
  return true;
}

bool hist_add_many(Hist *h, const int64_t *values, uint64_t n)
{
  if (n == 0) return true;
  if (!h->pages && n <= h->bound && h->n <= h->bound - n) {
    if (!reserve(h, h->n + n)) return false;
    memcpy(h->values + h->n, values, n * sizeof *values);
    h->n += n;
    return true;
  }
  if (!h->pages && !change_over(h)) return false;
  h->n += n;
  return count_values(h, values, n);
}

bool hist_merge(Hist *into, const Hist *from)
{
  if (!from->pages) return hist_add_many(into, from->values, from->n);
  if (!into->pages && !change_over(into)) return false;
  widen(into, from->min, from->max);
  into->n += from->n;
  for (uint32_t bin = 0; bin < n_pages(from) << from->log2_bins; bin++) {
    const uint64_t *page = from->pages[bin >> from->log2_bins];
    uint64_t n = page ? page[bin & (page_bins(from) - 1)] : 0;
    if (n && !count_in(into, bin, n)) return false;
  }
  return true;
}

/* ---- order */

enum { BYTES = 8, DIGITS = 256, FEW = 32 };

static int compare_values(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Each goes down to its place; for a few this is the fastest. */
static void sort_by_steps(int64_t *values, uint64_t n)
{
  for (uint64_t i = 1; i < n; i++) {
    int64_t value = values[i];
    uint64_t at = i;
    for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
    values[at] = value;
  }
}

/* A byte of a value such that less means less, also below 0. */
static inline unsigned digit(int64_t value, unsigned byte)
{
  return ((uint64_t)value ^ (uint64_t)1 << 63) >> 8 * byte & (DIGITS - 1);
}

/* From `from` to `to` by one byte, keeping the order of equal ones; `at` are counts. */
static void distribute(const int64_t *from, int64_t *to, uint64_t n, unsigned byte, uint64_t *at)
{
  for (uint64_t d = 0, sum = 0; d < DIGITS; d++) {
    uint64_t count = at[d];
    at[d] = sum;
    sum += count;
  }
  for (uint64_t i = 0; i < n; i++) to[at[digit(from[i], byte)]++] = from[i];
}

/* Byte by byte from the smallest; a byte that all have in common takes no pass. */
static void sort_by_bytes(int64_t *values, int64_t *spare, uint64_t n)
{
  int64_t *from = values, *to = spare;
  uint64_t differ = 0;
  for (uint64_t i = 1; i < n; i++) differ |= (uint64_t)(values[i] ^ values[0]);
  for (unsigned byte = 0; byte < BYTES; byte++) {
    if (!(differ >> 8 * byte & (DIGITS - 1))) continue;
    uint64_t counts[DIGITS] = { 0 };
    for (uint64_t i = 0; i < n; i++) counts[digit(from[i], byte)]++;
    distribute(from, to, n, byte, counts);
    int64_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != values) memcpy(values, from, n * sizeof *values);
}

void hist_sort(Hist *h)
{
  if (h->pages || h->n_sorted == h->n) return;
  h->n_sorted = h->n;
  if (h->n <= FEW) {
    sort_by_steps(h->values, h->n);
    return;
  }
  int64_t *spare = malloc(h->n * sizeof *spare);
  if (spare)
    sort_by_bytes(h->values, spare, h->n);
  else
    qsort(h->values, h->n, sizeof *h->values, compare_values);
  free(spare);
}

/* ---- percentiles */

/* The k-th bin from below: the negative half is mirrored and comes after the other. */
static uint32_t bin_by_size(const Hist *h, uint32_t k)
{
  uint32_t half = pages_up(h) << h->log2_bins;
  return k < half ? 2 * half - 1 - k : k - half;
}

static uint64_t count_of(const Hist *h, uint32_t bin)
{
  const uint64_t *page = h->pages[bin >> h->log2_bins];
  return page ? page[bin & (page_bins(h) - 1)] : 0;
}

/* The value of rank `rank` (0 is the smallest), within the error of its bin; the ends are exact. */
static double ranked(const Hist *h, uint64_t rank)
{
  if (!h->pages) return (double)h->values[rank];
  if (rank == 0) return (double)h->min;
  if (rank == h->n - 1) return (double)h->max;
  uint64_t below = 0;
  for (uint32_t k = 0; k < n_pages(h) << h->log2_bins; k++) {
    uint32_t bin = bin_by_size(h, k);
    below += count_of(h, bin);
    if (below > rank) return fmin(fmax(middle_of(h, bin), (double)h->min), (double)h->max);
  }
  return (double)h->max;
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
  uint64_t below = 0;
  uint32_t end = bin_of(h, limit);
  for (uint32_t k = 0; bin_by_size(h, k) != end; k++) below += count_of(h, bin_by_size(h, k));
  return below;
}

/* ---- summaries: how many values, whether there are bins, then texts of packed numbers.  Values
 * are little-endian, of 4 bytes where all in the text fit, else of 8. */

enum { PACK = 4096, PACK_BYTES = PACK * 8 };

static void put_4(char *to, uint64_t v)
{
  uint32_t bytes = htole32((uint32_t)v);
  memcpy(to, &bytes, sizeof bytes);
}

static void put_8(char *to, uint64_t v)
{
  v = htole64(v);
  memcpy(to, &v, sizeof v);
}

static uint32_t get_4(const char *from)
{
  uint32_t bytes;
  memcpy(&bytes, from, sizeof bytes);
  return le32toh(bytes);
}

static uint64_t get_8(const char *from)
{
  uint64_t bytes;
  memcpy(&bytes, from, sizeof bytes);
  return le64toh(bytes);
}

static void put_values(const MillStageHost *host, const int64_t *values, uint64_t n)
{
  char bytes[PACK_BYTES];
  uint64_t all = 0;
  for (uint64_t i = 0; i < n; i++) all |= (uint64_t)values[i];
  if (all >> 32)
    for (uint64_t i = 0; i < n; i++) put_8(bytes + 8 * i, (uint64_t)values[i]);
  else
    for (uint64_t i = 0; i < n; i++) put_4(bytes + 4 * i, (uint64_t)values[i]);
  host->put_text(host, bytes, n * (all >> 32 ? 8 : 4));
}

/* Packs of up to PACK values; a text of another length is not ours. */
static bool get_values(Hist *h, const MillStageHost *host, uint64_t n)
{
  int64_t values[PACK];
  size_t len;
  const char *bytes = host->get_text(host, &len);
  if (len == n * 8)
    for (uint64_t i = 0; i < n; i++) values[i] = (int64_t)get_8(bytes + 8 * i);
  else if (len == n * 4)
    for (uint64_t i = 0; i < n; i++) values[i] = get_4(bytes + 4 * i);
  else
    return true;
  return hist_add_many(h, values, n);
}

static uint64_t at_most(uint64_t n, uint64_t most) { return n < most ? n : most; }

/* Pairs of bin and count, 4 and 8 bytes. */
enum { PAIR_BYTES = 12, MAX_PAIRS = PACK_BYTES / PAIR_BYTES };

static void put_bins(const Hist *h, const MillStageHost *host)
{
  char bytes[PACK_BYTES];
  size_t len = 0;
  for (uint32_t bin = 0; bin < n_pages(h) << h->log2_bins; bin++) {
    uint64_t n = count_of(h, bin);
    if (n == 0) continue;
    put_4(bytes + len, bin);
    put_8(bytes + len + 4, n);
    len += PAIR_BYTES;
    if (len < MAX_PAIRS * PAIR_BYTES) continue;
    host->put_text(host, bytes, len);
    len = 0;
  }
  host->put_text(host, bytes, len);
}

/* The last text is one that is not full. */
static bool get_bins(Hist *h, const MillStageHost *host)
{
  size_t len;
  do {
    const char *bytes = host->get_text(host, &len);
    for (size_t i = 0; i + PAIR_BYTES <= len; i += PAIR_BYTES) {
      uint32_t bin = get_4(bytes + i);
      if (bin >> h->log2_bins >= n_pages(h)) return true;
      if (!count_in(h, bin, get_8(bytes + i + 4))) return false;
    }
  } while (len == MAX_PAIRS * PAIR_BYTES);
  return true;
}

void hist_save(const Hist *h, const MillStageHost *host)
{
  host->put_int(host, (int64_t)h->n);
  host->put_int(host, h->pages != NULL);
  if (!h->pages) {
    for (uint64_t i = 0; i < h->n; i += PACK)
      put_values(host, h->values + i, at_most(h->n - i, PACK));
    return;
  }
  host->put_int(host, h->min);
  host->put_int(host, h->max);
  put_bins(h, host);
}

bool hist_load(Hist *h, const MillStageHost *host)
{
  uint64_t n = (uint64_t)host->get_int(host);
  if (!host->get_int(host)) {
    for (uint64_t i = 0; i < n && host->get_more(host); i += PACK)
      if (!get_values(h, host, at_most(n - i, PACK))) return false;
    return true;
  }
  if (!h->pages && !change_over(h)) return false;
  int64_t min = host->get_int(host);
  widen(h, min, host->get_int(host));
  h->n += n;
  return get_bins(h, host);
}
