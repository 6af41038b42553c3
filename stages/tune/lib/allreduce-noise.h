/* What of the differences between all-reduce strategies is noise, by the repeats of each: Welch's test on logarithms. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_NOISE_H
#define TUNE_LIB_ALLREDUCE_NOISE_H

#include "tune/lib/allreduce-points.h"

/* How probable it may be that the interval of a gain misses it, and what part of the decided cells may be wrong. */
#define AR_DOUBT 0.05

/* How much longer one point takes than another, by geometric means of rows. */
typedef struct ArGain {
  double percent, low,
      high;      /* NaN: a point has fewer than two rows, or all rows of both are equal, as in a copy of a file: nothing
                    is known of the noise */
  double chance; /* of such a difference, to either side, where there is none; NaN: as above */
} ArGain;

/* doubt: how probable it may be that low and high miss the true one. */
ArGain ar_gain(const ArPoint *point, const ArPoint *longer, double doubt);

/* Holm: chances of n comparisons as they are when all are looked at, in place. */
void ar_holm(double *io_chances, size_t n);
/* Benjamini and Hochberg: the largest chance that counts as decided, if a part of AR_DOUBT of what is decided may be
 * wrong.  Below 0: none.  NaN takes no part.  The chances are sorted. */
double ar_decidable(double *io_chances, size_t n);

typedef enum { AR_DECIDED, AR_NOISE, AR_ONE_CANDIDATE, AR_NO_REPEATS } ArDecision;
#define AR_DECISIONS "yes", "noise", "one candidate", "no repeats"

/* Of a shape: what its rows say of `winner` against all but itself and `except`. */
typedef struct ArVerdict {
  size_t n_rivals;
  double
      chance; /* of all that it seems to gain, where it gains nothing over some rival; NaN: not known */
  double
      gain_chance; /* the same of what it gains over `fallback`; NaN: not known, or that was not measured */
  ArGain margin; /* of the second, as wide as for all rivals at once */
} ArVerdict;

/* Of more than AR_MOST_STRATEGIES points the first count. */
ArVerdict ar_judge(const ArSpan *shape, const ArBest *best, MillSym except, MillSym fallback);
ArDecision ar_decision(const ArVerdict *verdict, double decidable);

#endif
