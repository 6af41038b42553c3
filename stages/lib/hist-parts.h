/* What the parts of the distributions share; see hist.h. */
#ifndef STAGES_HIST_PARTS_H
#define STAGES_HIST_PARTS_H

#include "lib/hist.h"

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
