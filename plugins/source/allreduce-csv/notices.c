/* What the allreduce-csv source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "allreduce-csv.h"

#define MAKE                                                                                    \
  "the benchmark writes one with --save_csv; it has world_size, fusion, strategy, num_tokens, " \
  "hidden_size and time (us)"

const MillNotice allreduce_csv_notices[ARC_N_NOTICES] = {
  MILL_ERROR(ARC_EMPTY, "the input is empty", MAKE,
             "The input has no text. A benchmark that has run wrote at least its header, so the "
             "command that should have written the file failed, or the disk was full."),
  MILL_ERROR(ARC_NO_ROWS, "the table has no rows", MAKE,
             "The benchmark wrote its header and was ended before the first measurement, or it "
             "left every case out."),
  MILL_ERROR(ARC_NO_COLUMN, "the table lacks a column", MAKE,
             "A time belongs to a number of GPUs, a fusion, a strategy and a shape. The columns "
             "may be in any order: world_size, fusion (or fusion_op), strategy, num_tokens and "
             "hidden_size (or shape, as 128x1024), and the time as time (us), time_us or time_ms."),
  MILL_ERROR(ARC_TWICE, "the table has two columns for the same thing", "remove one of the columns",
             "Two columns of the header mean the same, for example time (us) and time_ms. Which of "
             "them counts is unknown, so neither is used."),
  MILL_ERROR(ARC_RAGGED, "a row has more or fewer cells than the header",
             "the last row of a benchmark that was ended may be cut off: remove it",
             "Each row must have one cell for each column. The message gives line and column of "
             "the first extra cell, or of the last one."),
  MILL_ERROR(
      ARC_BAD_CELL, "a cell does not hold a number or a name",
      "sizes are whole numbers from 1; an empty time means that nothing was measured",
      "Sizes, tokens and the number of GPUs are whole numbers, times are decimal numbers. A word "
      "in their place means that columns were shifted, or that the table was edited by hand."),
  MILL_ERROR(ARC_BAD_TEXT, "the text is not a table", "quotes within quotes are written twice",
             "The rules of RFC 4180 are broken: a quote is not closed, text follows a closing "
             "quote, or a cell is longer than any name can be."),
  MILL_INFO(ARC_NO_TIME, "{count} row[|s] of {lane} [has|have] no time",
            "[it is|they are] no measurement", NULL,
            "A time that is empty, not finite, or not above zero means that the benchmark skipped "
            "the case: some versions write 0.0 for it. Such a row never wins."),
  MILL_WARNING(ARC_REPLACED, "{count} character[|s] of {lane} cannot be read",
               "[it|they] became U+FFFD, in names", "write the table in UTF-8",
               "The text has bytes that are no characters. Names that differed only there become "
               "equal."),
  MILL_WARNING(ARC_OTHER_SIZE,
               "{count} row[|s] of {lane} [has|have] a size that is not tokens times hidden size "
               "times the bytes of the type",
               "bandwidths and crossovers are by the size in the table",
               "check whether columns were shifted, or dtype is another one",
               "The size of a message is the number of its elements times their bytes. The rule "
               "holds for op allreduce and a type whose size is known."),
};
