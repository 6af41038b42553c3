/* What the strategy-table source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "strategy-table.h"

const MillNotice strategy_table_notices[ST_N_NOTICES] = {
  MILL_ERROR(ST_NO_TABLE, "the input holds no lookup table",
             "a table is AllReduceBestStrategyTableSM90 with nested braces in C++, or tables/"
             "allreduce-table.csv of a run",
             "A header may use the name of a table that is defined elsewhere. stagemill reads "
             "definitions: the name with the number of the GPUs, then nested braces."),
  MILL_ERROR(ST_RAGGED, "parts of the table have different lengths", "make the table once more",
             "Each block must have as many entries as the first of its kind. A table that is "
             "edited by hand easily loses a number or a row; TensorRT-LLM would then read a wrong "
             "cell, or none. The message gives the place of the first difference."),
  MILL_ERROR(ST_CUT, "the table ends in the middle", "make the table once more",
             "Braces are still open at the end of the input, as in a file that was not written "
             "completely."),
  MILL_ERROR(ST_BAD_CELL, "a cell is not a number", "cells hold numbers of strategies",
             "In C++ a cell is a whole number from 0; in a table of rows, sizes are whole numbers, "
             "too. A name in their place is an error."),
  MILL_ERROR(ST_AXES, "comments and table do not agree",
             "the comments TP:, Fusion:, Hidden: and Tokens: list one value for each entry",
             "Comments give the numbers of GPUs, fusions, hidden sizes and numbers of tokens of "
             "the entries. Without comments, those of the library are used."),
  MILL_ERROR(ST_NO_COLUMN, "the table lacks a column",
             "sm, tp, fusion, hidden_size, num_tokens, strategy and number must be there",
             "A table of rows is one that a run wrote, tables/allreduce-table.csv."),
  MILL_ERROR(ST_TOO_LONG, "the input is too long for a lookup table", NULL,
             "A table has some thousand cells. Inputs beyond 64 MiB are something else."),
};
