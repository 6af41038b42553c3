/* Distributions for percentiles: every value up to a bound, above it a log-linear histogram.
 *
 * The histogram has 64 bins an octave, values up to 127 one bin each, so that a percentile is
 * off by at most 0.8 %. Which of the two a distribution is depends on the number of its values
 * only, and both are the same whatever the order and grouping in which values came: results do
 * not depend on how work was divided. */
#ifndef STAGES_HIST_H
#define STAGES_HIST_H

#include <stagemill/stage.h>

#define HIST_EXACT 256u          /* the usual bound */
#define HIST_NO_BOUND UINT64_MAX /* percentiles are exact; memory grows with the values */
#define HIST_PAGES 116 /* 58 of 64 bins for values of 0 and above, as many for those below */

typedef struct Hist {
  uint64_t n, bound;
  int64_t *values; /* while n <= bound */
  uint64_t n_values, max_values;
  uint64_t **pages; /* above; pages are made when first used */
  int64_t min, max;
} Hist;

void hist_init(Hist *h, uint64_t bound);
void hist_clear(Hist *h);
/* Each is false when memory is out. */
bool hist_add(Hist *h, int64_t value);
bool hist_merge(Hist *into, const Hist *from); /* same bound */

static inline bool hist_is_exact(const Hist *h) { return !h->pages; }
/* p in 0..100, by linear interpolation between the two nearest of the sorted values (rank (n -
 * 1) * p / 100). False when there are no values. */
bool hist_percentile(Hist *h, double p, double *out);

void hist_save(Hist *h, const MillHost *host);
bool hist_load(Hist *h, const MillHost *host); /* adds to what is there */

#endif
