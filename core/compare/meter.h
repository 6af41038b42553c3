/* What became of one value, of which each side has one or several: how much it changed, and whether that is real. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_METER_H
#define COMPARE_METER_H

#include <stagemill/types.h>

#include "base/mann-whitney.h"

/* With fewer runs on a side than this there is no telling noise from change. */
#define COMPARE_REPEATED 4

typedef enum CompareVerdict { /* of rows with several cells: the last one of those that its cells have */
                              COMPARE_SAME,
                              COMPARE_NEUTRAL, /* beyond --min-change, and within the noise of the runs */
                              COMPARE_CHANGED,
                              COMPARE_IMPROVED,
                              COMPARE_REGRESSION,
                              COMPARE_APPEARED, /* only the new side has a value */
                              COMPARE_VANISHED,
                              COMPARE_N_VERDICTS
} CompareVerdict;
const char *compare_verdict_name(CompareVerdict verdict);

typedef struct Measure {
  CompareVerdict verdict;
  uint32_t n_base, n_changed; /* runs with a value */
  double base, changed;       /* medians; NaN, as all of these: there is none */
  double change;              /* in the unit of the value */
  double part;                /* of the base: 0.1 is 10 % more; infinite from 0 */
  double percent, low_percent, high_percent;
  bool beyond_noise; /* there is an interval, and 0 is not in it */
} Measure;

typedef struct Meter Meter;
/* min_change: a part.  Takes up to so many runs on either side. */
Meter *meter_new(double min_change, double confidence, uint32_t most_runs);
void meter_free(Meter *m);
/* The next value of the run of a side; what is not a finite number does not count. */
void meter_add(Meter *m, bool is_base, double value);
/* Whether the new values are lower, and higher, by more than chance; of what was added, which stays. */
void meter_test(Meter *m, MannWhitney *out_lower, MannWhitney *out_higher);
/* Of what was added since the last call.  better: MILL_LOWER, MILL_HIGHER or MILL_NEITHER. */
Measure meter_take(Meter *m, uint32_t better);

#endif
