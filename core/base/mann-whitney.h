/* Whether the values of one side are lower, or higher, than those of the other by more than chance: the Mann-Whitney
 * test, one-sided each way, and Holm's correction of several such tests.  No random numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_MANN_WHITNEY_H
#define BASE_MANN_WHITNEY_H

#include <stddef.h>

typedef struct MannWhitney {
  double p;     /* how probable such an order, or a clearer one, is by chance */
  double least; /* the smallest p that as many values, with such ties, can give */
} MannWhitney;

/* That the new values are lower, and that they are higher.  Ascending; either side may be empty.  Exact, also with
 * ties, up to 20 values a side, by the normal distribution above. */
void mann_whitney(const double *base, size_t n_base, const double *changed, size_t n_changed,
                  MannWhitney *out_lower, MannWhitney *out_higher);

/* The p of each test corrected for the number of them (Holm): what is up to `chance` is found, with this chance that
 * any is found where there is nothing.  Tests whose least p is too large for that number are no part of it: theirs is
 * NaN (Tarone). */
void mann_whitney_correct(const MannWhitney *tests, size_t n, double chance, double *out_p);

/* So many values a side can tell n such tests from chance. */
size_t mann_whitney_needed(size_t n, double chance);

#endif
