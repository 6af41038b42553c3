/* What the coll-bench source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "coll-bench.h"

const MillNotice coll_bench_notices[CB_N_NOTICES] = {
  MILL_ERROR(CB_NO_ROWS, "the log has no results", "give the output of all_reduce_perf or its like",
             "No line of the log is a row of results. The program was ended before its first size, "
             "or could not begin: its own messages, and NCCL's, say why."),
  MILL_ERROR(
      CB_NO_FOOTER, "the log is cut off", "--recover keeps its rows",
      "A log ends with the number of values that are out of bounds and the average bandwidth. "
      "Without them, the program was stopped, and its last times may be those of a failure."),
  MILL_ERROR(CB_WRONG, "the results are wrong", "--set coll-bench.wrong=count keeps the times",
             "The program checks the results of each collective. Times of collectives with wrong "
             "results mean nothing: find the cause first."),
  MILL_ERROR(CB_BAD_TEXT, "the results cannot be read", NULL,
             "The input is JSON or CSV of a benchmark of collectives, and breaks the rules of its "
             "format."),
  MILL_ERROR(CB_TOO_LONG, "the log is too long", NULL,
             "Logs have some hundred rows. Inputs beyond 64 MiB are something else."),
  MILL_WARNING(CB_KEPT, "{lane} is cut off", "its rows were kept", NULL,
               "With --recover the rows of a log without its end are used."),
  MILL_WARNING(CB_COUNTED, "{count} row[|s] of {lane} [has|have] wrong results",
               "the times were kept", NULL,
               "With wrong=count, rows with wrong results are kept. Judge yourself whether their "
               "times mean anything."),
  MILL_INFO(CB_SHORT_HEADER, "the header of {lane} lacks the column nodes",
            "none: rows were read right", NULL,
            "Builds of rccl-tests with MPI wrote the number of nodes into rows, and not into the "
            "header."),
  MILL_LEFT_OUT(
      CB_BROKEN, "{count} row[|s] of {lane} [is|are] broken by other messages",
      "[it is|they are] left out", "NCCL_DEBUG_FILE sends the messages of NCCL elsewhere",
      "A row begins before its measurement and ends after it. If NCCL writes a message in between, "
      "it is in the middle of the line, and the rest of the row is on another line."),
  MILL_WARNING(
      CB_RANKS,
      "{count} run[|s] of {lane} [names|name] {ranks} ranks, but the bandwidths fit {fit}",
      "the number in the log is used", "for rules, give the right number: ranks=16:log.txt",
      "busbw / algbw is 2 (n - 1) / n for an all-reduce and (n - 1) / n for an all-gather, a "
      "reduce-scatter and an all-to-all of n ranks. Here n differs from the number in the log: the "
      "log was put together from several, or one process has several devices."),
  MILL_WARNING(CB_AVERAGE,
               "{count} run[|s] of {lane} [says|say] an average bus bandwidth that is not that of "
               "the rows (first: {said}, rows: {mean} GB/s)",
               "the average is that of the log", "check whether rows were added or taken out",
               "The average of a log is the mean of busbw over its rows, out of place and in "
               "place. If they differ, rows are missing or there twice."),
};
