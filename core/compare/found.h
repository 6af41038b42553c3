/* What rules found in the runs of two sides: which findings belong together, and what became of their shares. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_FOUND_H
#define COMPARE_FOUND_H

#include "compare/meter.h"
#include "compare/side.h"

typedef struct FoundChange {
  const char *name, *where; /* "straggler", and where as an object of JSON: both of the results */
  const char *text;         /* of the other side, else of the base */
  Measure measure;          /* of the share, in the runs that have the finding */
} FoundChange;

/* By name and where: those that appeared, vanished or changed most come first (FoundChange). */
GArray *found_compare(const CompareSide *base, const CompareSide *other, Meter *meter);
/* "came", "went", "grew", "shrank" or "same". */
const char *found_word(const Measure *m);
/* "rank 2, step 14", or "".  To be freed. */
char *found_place(const char *where);
/* The finding of this name with the largest share in the run; false: there is none. */
bool found_worst(Results *run, const char *name, MillFindingResult *out);

#endif
