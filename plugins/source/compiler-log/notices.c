/* What the compiler-log source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "compiler-log.h"

const MillNotice clog_notices[CLOG_N_NOTICES] = {
  MILL_ERROR(CLOG_TOO_MANY, "a table of a compiler's log has too many rows",
             "give the log of one compilation",
             "A table has a row for each kernel of a program, at most 1,048,576. Perhaps several "
             "logs were joined so that a table never ends."),
  MILL_WARNING(
      CLOG_NO_TABLE, "{count} log[|s] without a table of ideal cycles (first: {lane})",
      "[it gives|they give] no ideal times",
      "check whether the compiler was told to print its performance summary",
      "A table begins after a line with Ideal/Total Cycles and ends with Perf Summary End. The log "
      "has no complete table: it is another file, the compiler did not print a table, or it "
      "stopped before the end."),
  MILL_WARNING(CLOG_CUT, "{count} table[|s] of {lane} [has|have] no end",
               "[it is|they are] left out", "add --recover to use the rows of the last table",
               "A table ends with Perf Summary End. Another one began before, or the log ends: the "
               "compiler was stopped, or the file is not complete. Half a table would match the "
               "wrong job."),
  MILL_WARNING(CLOG_CYCLES,
               "{count} row[|s] of {lane} [gives|give] a kernel other ideal cycles than a row "
               "before (first: {what})",
               "the first number that is not 0 counts",
               "give each job its own log: rank=N:log=PATH",
               "A table names a kernel several times, with different cycles. Which of them belongs "
               "to which call is not known."),
  MILL_WARNING(CLOG_CATEGORY,
               "{count} row[|s] of {lane} [gives|give] a kernel another category than a row before "
               "(first: {what})",
               "the first one counts", "give each job its own log: rank=N:log=PATH",
               "A table names a kernel several times, with different words after -opCat."),
  MILL_WARNING(CLOG_SCALING, "{count} line[|s] of {lane} [mentions|mention] ideal clock scaling",
               "[it is|they are] not applied: cycles are not converted",
               "give the clock of the cores to the profile",
               "Older compilers scaled ideal cycles by a factor that they printed. Newer compilers "
               "do not, and neither does stagemill."),
  MILL_INFO(
      CLOG_NAME,
      "{count} row[|s] of {lane} [has|have] a name that no kernel can have (first: {what})",
      "[it is|they are] left out", NULL,
      "Without -opCat and -NA, a name of letters, digits, _, - and . counts as a kernel. A log may "
      "hold other lines of this form, with a number at the end, by chance."),
  MILL_WARNING(CLOG_LONG, "{count} line[|s] of {lane} [is|are] longer than 64 KiB",
               "[its|their] first 64 KiB were looked at",
               "check whether the file is a compiler's log",
               "Lines of a table are short. A long one is something else in the log, or the file "
               "is no log."),
  MILL_WARNING(CLOG_LARGE,
               "{count} row[|s] of {lane} [has|have] more cycles than 63 bits hold (first: {what})",
               "[it is|they are] left out", "check whether the log is damaged",
               "A number of cycles above 9,223,372,036,854,775,807 cannot be right."),
  MILL_WARNING(
      CLOG_FILE, "{count} file[|s] of ideal cycles in {lane} [is|are] left out (first: {what})",
      "[its kernel has|their kernels have] no ideal time",
      "check whether it is JSON with ideal_cycles and op_category, and may be read",
      "inductor-spyre/KERNEL/perf/ideal_cycles.json is a list of objects with ideal_cycles and "
      "op_category. The file cannot be read, is larger than 16 MiB, or holds something else."),
  MILL_WARNING(
      CLOG_ROW, "{count} row[|s] of {lane} cannot be read (first: {what})",
      "[its kernel has|their kernels have] no ideal time, so utilisation is too low",
      "correct the line, or let the compiler write the log once more",
      "A row is the name of a kernel, blanks, and its cycles: digits, 24576 or 24,576. This one "
      "has a kernel's mark, -opCat or -NA, or is that of the total, and its cycles are missing, "
      "damaged or not alone: two lines were written into one, or the log was edited."),
  MILL_WARNING(
      CLOG_EMPTY, "{count} table[|s] of {lane} [has|have] no row that can be read (first: {what})",
      "[it gives|they give] no ideal times",
      "look at the lines after that one: a row is NAME-opCatCATEGORY, blanks, CYCLES",
      "A table begins after Ideal/Total Cycles and ends with Perf Summary End. Between them is no "
      "line with the name of a kernel and its cycles: the compiler writes them in another form, or "
      "something removed them."),
};
