/* Distributions for percentiles: every value, or a log-linear histogram of them.
 *
 * The distributions of a stage are exact together: as long as there are at most so many values in
 * all of them. Beyond, all are histograms of 512 bins an octave, and one bin each for smaller
 * values than that: a percentile is off by at most half a bin, 0.1 %. Which of the two depends on
 * the number of values only, and both are the same whatever the grouping in which values came:
 * results do not depend on how work was divided. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_HIST_H
#define KIT_HIST_H

#include <stagemill/stage.h>

#define HIST_EXACT_VALUES "2000000" /* the usual bound, as the default of an option */
#define HIST_NO_BOUND UINT64_MAX    /* percentiles are exact; memory grows with the values */
#define HIST_LOG2_BINS 9u           /* of an octave */

struct Hist;
typedef struct Hists { /* of one instance */
  const MillHost *common;
  uint64_t n, bound;  /* values in all of them; most for exact percentiles */
  uint64_t *n_of_groups; /* on the run level: those of all groups, else NULL */
  bool binned;        /* there were more */
  struct Hist *first; /* those that hold memory */
} Hists;

typedef struct Hist {
  Hists *of;
  struct Hist *next;
  bool listed; /* in `of` */
  uint64_t n;
  uint64_t capacity; /* of values; 0 when there are bins */
  uint64_t n_sorted; /* this many of the first values are in order */
  int64_t *values;   /* all n; with bins none */
  uint64_t **pages;  /* one octave of bins each, made when first used */
  int64_t min, max;  /* with bins only */
} Hist;

/* That they are histograms; of a stage with the option exact-up-to. */
#define HIST_NOTICE(number)                                                                    \
  MILL_INFO(                                                                                   \
      number, "there are more values than exact-up-to", "medians are within 0.1 %, not exact", \
      "raise exact-up-to: 8 bytes for each value",                                             \
      "Up to exact-up-to values are kept as they are. With more of them they are counted in "  \
      "bins whose width is 0.2 % of the value.")

void hists_note(const Hists *all, uint32_t number); /* if they are */
void hists_init(Hists *all, const MillHost *common, uint64_t bound);
void hists_clear(Hists *all);       /* all are empty again, their memory given back */
void hist_init(Hist *h, Hists *of); /* must stay where it is once it has values */

/* Each is false when memory is refused (see MillHost.resize). */
bool hists_bin(Hists *all);            /* from now on they are histograms */
bool hist_expect(Hist *h, uint64_t n); /* so many values come: space for no more than these */
bool hist_add_many(Hist *h, const int64_t *values, uint64_t n);
bool hist_merge(Hist *into, const Hist *from);
static inline bool hist_add(Hist *h, int64_t value)
{
  if (h->n >= h->capacity) return hist_add_many(h, &value, 1);
  h->values[h->n++] = value;
  return ++h->of->n <= h->of->bound || hists_bin(h->of);
}

/* p in 0..100, by linear interpolation between the two nearest of the sorted values (rank (n -
 * 1) * p / 100). False when there are no values. */
bool hist_percentile(Hist *h, double p, double *out);
/* "exact" or "histogram" */
const char *hist_method(const Hists *all);
/* How many values are less than limit; in histograms, right where a bin begins at limit. */
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

/* Summaries: first of all of them, then of each.  Loading adds to what is there.  On the run level,
 * values of all groups count together; hists_settle, once all is merged, sees what came after. */
void hists_save(const Hists *all, const MillStageHost *host);
bool hists_load(Hists *all, const MillStageHost *host);
bool hists_settle(Hists *all);
/* In order of size: what is saved does not depend on the order in which values came. */
void hist_save(Hist *h, const MillStageHost *host);
bool hist_load(Hist *h, const MillStageHost *host);

/* ---- for hist-save.c */

/* A histogram of so few keeps them: bins would take as much. */
enum { HIST_FEW = 1024 };

/* Pages for values from 0 on: one for those below the first octave, one for every octave; then
 * those for values below 0, which are mirrored at -1. */
enum {
  HIST_PAGES_UP = 64 - HIST_LOG2_BINS,
  HIST_PAGES = 2 * HIST_PAGES_UP,
  HIST_PAGE_BINS = 1 << HIST_LOG2_BINS,
  HIST_HALF = HIST_PAGES_UP << HIST_LOG2_BINS /* where the bins of those below 0 begin */
};

static inline uint64_t hist_count_of(const Hist *h, uint32_t bin)
{
  const uint64_t *page = h->pages[bin >> HIST_LOG2_BINS];
  return page ? page[bin & (HIST_PAGE_BINS - 1)] : 0;
}

/* False when memory is refused. */
bool hist_insert(Hist *h, const int64_t *values, uint64_t n); /* without counting them in h->of */
bool hist_change_over(Hist *h);                               /* from values to bins */
bool hist_count_in(Hist *h, uint32_t bin, uint64_t n);
void hist_widen(Hist *h, int64_t min, int64_t max);
void hist_sort(Hist *h);

#endif
