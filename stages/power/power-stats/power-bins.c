/* Bins of power; see power-bins.h. */
/* SPDX-License-Identifier: MIT */
#include "power-bins.h"

#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/state/grow.h"

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static void add_bin(PowerBin *to, const PowerBin *from)
{
  to->energy += from->energy;
  to->known_ns = add_clipped(to->known_ns, from->known_ns);
  if (from->max_nw > to->max_nw) to->max_nw = from->max_nw;
}

static void double_width(PowerBins *b)
{
  int64_t first = floor_div(b->first, 2);
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    const PowerBin bin = b->bins[i];
    uint32_t at = (uint32_t)(floor_div(b->first + i, 2) - first);
    if (at >= n) b->bins[n++] = (PowerBin){ 0 };
    add_bin(&b->bins[at], &bin);
  }
  if (b->n > n) memset(b->bins + n, 0, (b->n - n) * sizeof *b->bins);
  b->first = first;
  b->width_ns *= 2;
  b->n = n;
}

static bool reserve(const MillHost *common, PowerBins *b, size_t n)
{
  return array_reserve(common, &b->bins, &b->capacity, n, sizeof *b->bins);
}

/* So many bins from the first of both to the last. */
static int64_t bins_of_both(const PowerBins *b, int64_t first, int64_t last)
{
  int64_t own_last = b->first + b->n - 1;
  return (last > own_last ? last : own_last) - (first < b->first ? first : b->first) + 1;
}

/* Bins before the first are added in front of it. */
static bool reach_back(const MillHost *common, PowerBins *b, int64_t first)
{
  if (first >= b->first) return true;
  int64_t by = b->first - first;
  if (!reserve(common, b, (size_t)by + b->n)) return false;
  memmove(b->bins + by, b->bins, b->n * sizeof *b->bins);
  memset(b->bins, 0, (size_t)by * sizeof *b->bins);
  b->first = first;
  b->n += (uint32_t)by;
  return true;
}

/* In all bins from that of the first time to that of the last there is space. */
static bool reach(const MillHost *common, PowerBins *b, int64_t first_ns, int64_t last_ns)
{
  if (!b->width_ns) {
    b->width_ns = POWER_BIN_FIRST_NS;
    b->first = floor_div(first_ns, b->width_ns);
  }
  int64_t first = floor_div(first_ns, b->width_ns), last = floor_div(last_ns, b->width_ns);
  while (bins_of_both(b, first, last) > POWER_BINS_MAX) {
    double_width(b);
    first = floor_div(first, 2);
    last = floor_div(last, 2);
  }
  if (!reach_back(common, b, first)) return false;
  size_t n = (size_t)(last - b->first) + 1;
  if (!reserve(common, b, n)) return false;
  if (n > b->n) b->n = (uint32_t)n;
  return true;
}

bool power_bins_add(const MillHost *common, PowerBins *b, int64_t from_ns, int64_t to_ns,
                    int64_t nw)
{
  if (from_ns >= to_ns) return true;
  if (!reach(common, b, from_ns, to_ns - 1)) return false;
  while (from_ns < to_ns) {
    int64_t at = floor_div(from_ns, b->width_ns), end_ns;
    if (__builtin_mul_overflow(at + 1, b->width_ns, &end_ns) || end_ns > to_ns) end_ns = to_ns;
    int64_t dur_ns = end_ns - from_ns;
    const PowerBin part = { (__int128)nw * dur_ns, dur_ns, nw };
    add_bin(&b->bins[at - b->first], &part);
    from_ns = end_ns;
  }
  return true;
}

int64_t power_bin_start(const PowerBins *b, uint32_t bin)
{
  int64_t start_ns;
  bool is_far = __builtin_mul_overflow(b->first + bin, b->width_ns, &start_ns);
  return is_far ? INT64_MIN : start_ns; /* only the first may begin before all times */
}
