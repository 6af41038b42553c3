/* The cells of a row that a stage gives as a struct. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROW_CELLS_H
#define HOST_ROW_CELLS_H

#include <stagemill/stage.h>

/* The columns are those of one table, checked when its module was loaded; out: one for each of them. */
void row_cells(MillColumnRows columns, const void *row, MillValue *out);

#endif
