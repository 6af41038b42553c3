/* The notices of the allreduce-csv source. */
/* SPDX-License-Identifier: MIT */
#ifndef ALLREDUCE_CSV_H
#define ALLREDUCE_CSV_H

#include <stagemill/source.h>

enum { /* MillNotice.number */
       ARC_EMPTY = 1,
       ARC_NO_ROWS = 2,
       ARC_NO_COLUMN = 3,
       ARC_TWICE = 4,
       ARC_RAGGED = 5,
       ARC_BAD_CELL = 6,
       ARC_BAD_TEXT = 7,
       ARC_NO_TIME = 20,
       ARC_REPLACED = 21,
       ARC_OTHER_SIZE = 22
};
#define ARC_N_NOTICES 10u
extern const MillNotice allreduce_csv_notices[ARC_N_NOTICES];

#endif
