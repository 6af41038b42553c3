/* Bins of power; see power-bins.h. */
#include "power-bins.h"

#include <string.h>

#include "lib/clip.h"

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool start(const MillHost *common, PowerBins *b, int64_t from_ns)
{
  b->bins = mill_new(common, POWER_BINS_MAX * sizeof *b->bins);
  b->width_ns = POWER_BIN_FIRST_NS;
  b->first = floor_div(from_ns, b->width_ns);
  return b->bins != NULL;
}

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
  memset(b->bins + n, 0, (b->n - n) * sizeof *b->bins);
  b->first = first;
  b->width_ns *= 2;
  b->n = n;
}

/* In the last bin that these times reach there is space. */
static void widen(PowerBins *b, int64_t last_ns)
{
  while (floor_div(last_ns, b->width_ns) - b->first >= POWER_BINS_MAX) double_width(b);
  uint32_t n = (uint32_t)(floor_div(last_ns, b->width_ns) - b->first) + 1;
  if (n > b->n) b->n = n;
}

bool power_bins_add(const MillHost *common, PowerBins *b, int64_t from_ns, int64_t to_ns,
                    int64_t nw)
{
  if (!b->bins && !start(common, b, from_ns)) return false;
  widen(b, to_ns - 1);
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

/* Bins before the first are added in front of it, as far as there is space. */
static bool reach_back(PowerBins *b, int64_t first)
{
  if (first >= b->first) return true;
  int64_t by = b->first - first;
  if (by + b->n > POWER_BINS_MAX) return false;
  memmove(b->bins + by, b->bins, b->n * sizeof *b->bins);
  memset(b->bins, 0, (size_t)by * sizeof *b->bins);
  b->first = first;
  b->n += (uint32_t)by;
  return true;
}

bool power_bins_merge(const MillHost *common, PowerBins *to, const PowerBins *from)
{
  if (from->n == 0) return true;
  if (!to->bins) {
    to->bins = mill_new(common, POWER_BINS_MAX * sizeof *to->bins);
    if (!to->bins) return false;
    to->width_ns = from->width_ns;
    to->first = from->first;
  }
  int64_t width_ns = from->width_ns, first = from->first, last = from->first + from->n - 1;
  while (to->width_ns < width_ns) double_width(to);
  for (; width_ns < to->width_ns; width_ns *= 2) {
    first = floor_div(first, 2);
    last = floor_div(last, 2);
  }
  while (last - to->first >= POWER_BINS_MAX || !reach_back(to, first)) {
    double_width(to);
    first = floor_div(first, 2);
    last = floor_div(last, 2);
  }
  if (last - to->first + 1 > to->n) to->n = (uint32_t)(last - to->first) + 1;
  int64_t times = to->width_ns / from->width_ns;
  for (uint32_t i = 0; i < from->n; i++)
    add_bin(&to->bins[floor_div(from->first + i, times) - to->first], &from->bins[i]);
  return true;
}

int64_t power_bin_start(const PowerBins *b, uint32_t bin)
{
  int64_t start_ns;
  bool is_far = __builtin_mul_overflow(b->first + bin, b->width_ns, &start_ns);
  return is_far ? INT64_MIN : start_ns; /* only the first may begin before all times */
}
