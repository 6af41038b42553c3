/* Runs against each other: what changed, by how much, and whether that is real, as results that every sink takes. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare/headline.h"
#include "compare/meter.h"
#include "compare/side.h"

#define COMPARE_PROFILE "compare"

typedef struct CompareCounts {
  uint64_t rows[COMPARE_N_VERDICTS]; /* metrics, and rows of tables */
  uint64_t headlines[HEADLINE_N_VERDICTS];
} CompareCounts;

/* The first side is what each other one is compared with.  The sides live as long as the results. */
Results *compare_sides(const CompareSide *sides, uint32_t n_sides, const CompareOptions *options,
                       CompareCounts *out_counts);

#endif
