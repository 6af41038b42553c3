/* Texts of notices; see util-notices.h. */
#include "util-notices.h"

const MillNotice util_notices[UTIL_N_NOTICES] = {
  MILL_WARNING(
      UTIL_UNCERTAIN, "{count} job[|s] of {lane} [fits|fit] no table of the log well",
      "[its|their] ideal times may be those of another program",
      "give each rank its own log, rank=0:log=PATH, and check the frequency: --set core-mhz=MHZ",
      "A job, which is a file of a rank or a launch in it, takes the table with the highest score: "
      "half the share of its calls that the table names, and half of ideal by measured time; none "
      "where ideal exceeds measured time by 5 %. Here the best is below 0.6. The log is of another "
      "compilation, or lacks the table of this graph; kernels in the trace have other names than "
      "in the log; a device that idles within its kernels lowers the score, too; and with too "
      "low a core-mhz every ideal time is too long."),
  MILL_WARNING(
      UTIL_ALIKE, "{count} job[|s] of {lane} [fits|fit] two tables of the log nearly as well",
      "[it takes|they take] the better one; phase and ideal times may be those of the other",
      "give each rank its own log, rank=0:log=PATH, or a log with only the tables of this run",
      "The scores of the best table and the next differ by at most 0.1. The same graph was "
      "compiled twice, as for prefill and decoding or for several ranks, and both have the same "
      "kernels with much the same cycles. Of equal tables the first is taken."),
  MILL_WARNING(
      UTIL_OVER, "{count} kernel[|s] of {lane} took less time than ideal",
      "the counter PT Active shows 101 there; ideal time counts in full",
      "check both frequencies: --set core-mhz=MHZ, --set soc-mhz=MHZ",
      "Nothing is faster than ideal. The cores run faster than core-mhz, so that ideal cycles are "
      "converted to too long a time; the counter of stamps runs slower than soc-mhz, so that "
      "measured times are too short (the stage freq finds out); or the log is of another program. "
      "With an autopilot log it is jobs that are counted."),
  MILL_INFO(UTIL_UNKNOWN, "{count} kernel[|s] of {lane} [is|are] not in the table of the job",
            "[it counts|they count] as category other, without ideal time", NULL,
            "The log has no ideal cycles for these names: kernels that the compiler does not "
            "count, such as those that prepare data, or that another program launched. Their time "
            "is part of overall utilisation, and in without_ideal of the table utilisation."),
  MILL_WARNING(
      UTIL_NO_TABLE, "no log has a table for {lane}", "it has no utilisation",
      "give a log for all ranks, log=PATH, or for this one, rank=N:log=PATH",
      "Logs were given, but none for this rank, or those for it have no complete table (CLOG-02, "
      "CLOG-03, CLOG-12); or the stage stands behind one that sees all lanes as one stream, such "
      "as flow, which no log gets past. Its events pass unchanged."),
  MILL_WARNING(
      UTIL_NO_TIME, "{count} kernel[|s] of {lane} [has|have] no duration",
      "[it counts|they count] as [a call|calls] that took no time, without ideal time",
      "give kernels their times by stamps: cycles before this stage",
      "Utilisation divides ideal by measured time. These slices have a duration of 0, a negative "
      "one, or none, and their stamps TS3 and TS4 do not say how long they took."),
  MILL_WARNING(UTIL_OVERLAPPING,
               "{count} kernel[|s] of {lane} [overlaps|overlap] another one of an autopilot job",
               "the job's time is taken to be no longer than from its first kernel to its last",
               "check whether the files of a rank are of one job each",
               "With autopilot the log has one ideal time for a whole job. It is compared with the "
               "time of all its kernels together, which counts time twice in which two of them "
               "ran. A device runs one kernel at a time: the trace mixes two devices or two jobs."),
  MILL_WARNING(UTIL_HIDDEN, "{count} autopilot job[|s] of {lane} ended before an earlier one did",
               "the counter PT Active shows the earlier one; tables have both",
               "look at the jobs by themselves",
               "With autopilot the counter has one value for a whole job, from its first to its "
               "last kernel. Jobs of one device follow each other; here one lies within another: "
               "kernels of two jobs were mixed, or clocks of jobs differ (the stage job-align)."),
  MILL_INFO(UTIL_AUTOPILOT,
            "{count} job[|s] of {lane} [has|have] one utilisation for all of [its|their] kernels",
            NULL, NULL,
            "The log is of autopilot, which knows the ideal time of a whole job only. pt_active is "
            "the same for each of its kernels, the counter PT Active has one value from its first "
            "kernel to its last, and the table categories has its time under Total."),
};
