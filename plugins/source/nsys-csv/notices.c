/* What the nsys-csv source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "nsys-csv.h"

#define MAKE "nsys stats --report cuda_gpu_kern_sum --format csv REPORT.nsys-rep makes one"

const MillNotice nsys_notices[NSYS_N_NOTICES] = {
  MILL_ERROR(NSYS_EMPTY, "the input is empty", MAKE,
             "The input has no text. A table without rows still has its header, so this is not a "
             "run without kernels: the command that should have written the file failed, or the "
             "disk was full."),
  MILL_ERROR(NSYS_NO_TABLE, "the input holds no kernel summary", MAKE,
             "No line looks like the header of a kernel summary, which names Total Time, Instances "
             "and Name. Other reports of nsys stats (API calls, memory copies, NVTX ranges) do not "
             "list kernels."),
  MILL_ERROR(NSYS_SKIPPED, "nsys found no kernels to sum up",
             "profile with --trace=cuda, while the GPU works",
             "In place of the table nsys printed a line SKIPPED: the report was asked for, but the "
             "profile has no GPU kernels. Either CUDA was not traced, or the profile covers only a "
             "time or a process in which no kernel ran."),
  MILL_ERROR(NSYS_NO_COLUMN, "the kernel summary lacks a column",
             "export the table with the columns Name, Total Time and Instances",
             "A kernel summary needs the kernels' names, their time and how often they ran. The "
             "columns may be in any order and may be named as in any version of nsys; other "
             "columns are used when they are there."),
  MILL_ERROR(NSYS_TWICE, "the kernel summary has two columns for the same thing",
             "remove one of the columns",
             "Two columns of the header mean the same, for example Avg and Average. Which of them "
             "counts is unknown, so neither is used."),
  MILL_ERROR(NSYS_RAGGED, "a row has more or fewer cells than the header",
             "names that hold the separator must be in quotes",
             "Each row must have one cell for each column. Kernel names contain commas; tools that "
             "rewrite such a table without quotes break it. The message gives line and column of "
             "the first extra cell, or of the last one."),
  MILL_ERROR(
      NSYS_BAD_CELL, "a cell does not hold a number",
      "times are like 1.5, 1,234 or 12.3 ms; an empty cell or - means unknown",
      "Times are decimal numbers with a unit (s, ms, us, \xc2\xb5s or ns) in the cell or in the "
      "header, percentages may have a percent sign. A comma separates thousands, as nsys writes "
      "them; a decimal comma is not read, because 1,234 would mean two things. Total Time and "
      "Instances must not be empty, and nothing may be below zero."),
  MILL_ERROR(
      NSYS_BAD_TEXT, "the text is not a table", "quotes within quotes are written twice",
      "The rules of RFC 4180 are broken: a quote is not closed, text follows a closing quote, or a "
      "cell is longer than any name can be. The message gives the place; for an unclosed quote, it "
      "is the place of the opening quote."),

  MILL_INFO(
      NSYS_OTHER_TABLE, "{count} other table[|s] of {lane} [was|were] skipped",
      "none: only the kernel summary is read", NULL,
      "The output of nsys stats may hold several reports one after the other. Only the kernel "
      "summary is read from it; the other tables are not used."),
  MILL_WARNING(
      NSYS_SECOND, "{count} further kernel summar[y|ies] of {lane} [was|were] skipped",
      "only the first one is in the results", "give each kernel summary a file of its own",
      "The text holds more than one kernel summary, for example because the output of several runs "
      "of nsys stats was appended to one file. Adding them up would mix runs, so the first one "
      "counts."),
  MILL_INFO(NSYS_INEXACT, "{count} row[|s] of {lane} [has|have] times finer than a nanosecond",
            "rounded to the nearest nanosecond", NULL,
            "Total, min and max times are kept as whole nanoseconds, half to even. Averages, "
            "medians and deviations keep their digits."),
  MILL_WARNING(
      NSYS_REPLACED, "{count} character[|s] of {lane} cannot be read",
      "[it|they] became U+FFFD, in names", "write the table in UTF-8",
      "The text is UTF-8 or UTF-16 with bytes in it that are neither. Each became the replacement "
      "character. Names that differed only there become equal."),
  MILL_INFO(
      NSYS_LATIN1, "{lane} was read as Latin-1", "none, if that is right", NULL,
      "The text has bytes beyond ASCII and is not UTF-8. Windows tools write such files, and the "
      "sign of microseconds shows it. Every byte was read as the character of that number."),
  MILL_WARNING(
      NSYS_DISAGREES,
      "in {count} row[|s] of {lane} total, instances, average, minimum and maximum do not agree "
      "(first: {kernel})",
      "the total in the file is used",
      "compare the row with the report: a unit or a separator of thousands may have been lost",
      "The total is the number of instances times their average, and the average lies between "
      "minimum and maximum. A difference of up to 1 % counts as rounding."),
  MILL_WARNING(
      NSYS_SHARES,
      "the longest kernel of {lane} has {share} % of the time of its rows, and {said} % by its "
      "cell",
      "the times of all rows are added",
      "check whether the file has rows twice, or of several runs",
      "The column of percentages says how much of the time of all kernels a row has. If the rows "
      "together took longer than that, some of them are there twice, or tables were put together."),
};
