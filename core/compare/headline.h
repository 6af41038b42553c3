/* Whether runs became worse by what matters: a test of each headline metric, corrected for the number of them. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_HEADLINE_H
#define COMPARE_HEADLINE_H

#include "base/mann-whitney.h"
#include "compare/meter.h"
#include "compare/side.h"

typedef enum HeadlineVerdict {
  HEADLINE_WORSE,
  HEADLINE_BETTER,
  HEADLINE_EQUAL, /* what differs is within --min-change, or chance explains it */
  HEADLINE_NOT_JUDGED,
  HEADLINE_N_VERDICTS
} HeadlineVerdict;
const char *headline_verdict_name(HeadlineVerdict verdict);

typedef struct HeadlineTest { /* of one statistic of a lane or group */
  uint32_t side, group;       /* whose it is, for the caller */
  uint32_t better;            /* MILL_LOWER or MILL_HIGHER */
  Measure measure;
  MannWhitney worse, improved;
  double p, corrected; /* of the way that it went; NaN: there is none */
  HeadlineVerdict verdict;
  char *reason; /* why it is not judged, or NULL */
} HeadlineTest;

/* Of what the meter was given since the last time. */
HeadlineTest headline_test(Meter *meter, uint32_t better);
/* Fills p, corrected, verdict and reason of all tests that are to be true at once: the chance that any is worse where
 * nothing changed is half of what is beyond the confidence. */
void headline_judge(HeadlineTest *io_tests, size_t n, const CompareOptions *options);

#endif
