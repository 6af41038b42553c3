/* Runs against each other: what changed, by how much, and whether that is real, as results that every sink takes. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare/meter.h"
#include "compare/side.h"

#define COMPARE_PROFILE "compare"

/* The first side is what each other one is compared with.  The sides live as long as the results.
 * counts: metrics, and rows of tables, by their verdicts. */
Results *compare_sides(const CompareSide *sides, uint32_t n_sides, const CompareOptions *options,
                       uint64_t out_counts[COMPARE_N_VERDICTS]);

#endif
