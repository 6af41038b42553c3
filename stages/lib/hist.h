/* Distributions for percentiles: every value up to a bound, above it a log-linear histogram.
 *
 * The histogram has some bins per octave, and one bin each for smaller values than that, so that
 * a percentile is off by at most half a bin: 0.8 % with 64 of them, 0.1 % with 512. Which of the
 * two a distribution is depends on the number of its values only, and both are the same whatever
 * the grouping in which values came: results do not depend on how work was divided. */
#ifndef STAGES_HIST_H
#define STAGES_HIST_H

#include <stagemill/stage.h>

#define HIST_EXACT 256u          /* the usual bound */
#define HIST_NO_BOUND UINT64_MAX /* percentiles are exact; memory grows with the values */
#define HIST_BINS 64u            /* the usual number of bins per octave */
#define HIST_FINE_BINS 512u

typedef struct Hist {
  const MillHost *common;
  uint64_t n, bound;
  uint64_t capacity; /* of values; 0 when there are bins */
  uint64_t n_sorted; /* this many of the first values are in order */
  int64_t *values;   /* all n, while n <= bound */
  uint64_t **pages;  /* above: one octave of bins each, made when first used */
  int64_t min, max;  /* with bins only */
  uint32_t log2_bins;
} Hist;

/* bins: a power of two from 1 to 4096. */
void hist_init(Hist *h, const MillHost *common, uint64_t bound, uint32_t bins);
void hist_clear(Hist *h); /* empty again, its memory given back */

/* Each is false when memory is refused (see MillHost.resize). */
bool hist_add_many(Hist *h, const int64_t *values, uint64_t n);
bool hist_merge(Hist *into, const Hist *from); /* same bound and bins */
static inline bool hist_add(Hist *h, int64_t value)
{
  if (h->n >= h->capacity) return hist_add_many(h, &value, 1);
  h->values[h->n++] = value;
  return true;
}

static inline bool hist_is_exact(const Hist *h) { return !h->pages; }
/* p in 0..100, by linear interpolation between the two nearest of the sorted values (rank (n -
 * 1) * p / 100). False when there are no values. */
bool hist_percentile(Hist *h, double p, double *out);
/* How many values are less than limit; with bins, right where a bin begins at limit. */
uint64_t hist_count_below(Hist *h, int64_t limit);

/* The bins of values from 0 on: those below 2^log2_bins are themselves, then as many equal ones
 * to every octave. */
static inline uint32_t hist_bin(uint32_t log2_bins, uint64_t value)
{
  if (value >> log2_bins == 0) return (uint32_t)value;
  uint32_t shift = 63u - (uint32_t)__builtin_clzll(value) - log2_bins;
  return (shift << log2_bins) + (uint32_t)(value >> shift);
}
static inline uint64_t hist_bin_start(uint32_t log2_bins, uint32_t bin)
{
  uint32_t octave = bin >> log2_bins;
  if (octave < 2) return bin;
  return (uint64_t)(bin - ((octave - 1) << log2_bins)) << (octave - 1);
}

/* Values in order of size: what is saved then does not depend on the order in which they came. */
void hist_sort(Hist *h);
void hist_save(const Hist *h, const MillStageHost *host);
bool hist_load(Hist *h, const MillStageHost *host); /* adds to what is there */

#endif
