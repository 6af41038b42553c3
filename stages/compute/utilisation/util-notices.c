/* Texts of notices; see util-notices.h. */
/* SPDX-License-Identifier: MIT */
#include "util-notices.h"

const MillNotice util_notices[UTIL_N_NOTICES] = {
  MILL_WARNING(
      UTIL_UNCERTAIN, "{count} job[|s] of {lane} [fits|fit] no table of the log well",
      "[its|their] ideal times may be those of another program",
      "give each rank its own log, rank=0:log=PATH, and check the frequency: --set core-mhz=MHZ",
      "A job (a file of a rank, or a launch in it) takes the table with the highest score. Half of "
      "the score is the share of the job's calls that the table names; the other half is ideal "
      "time divided by measured time. The score is 0 if ideal time exceeds measured time by 5 %. "
      "Here the best score is below 0.6. Possible reasons: the log is of another compilation, or "
      "lacks the table of this graph; kernels have other names in the trace than in the log; the "
      "device idles within its kernels; core-mhz is too low, so that ideal times are too long."),
  MILL_WARNING(
      UTIL_ALIKE, "{count} job[|s] of {lane} [fits|fit] two tables of the log nearly as well",
      "[it takes|they take] the better one; phase and ideal times may belong to the other",
      "give each rank its own log, rank=0:log=PATH, or a log with only the tables of this run",
      "The scores of the best table and the runner-up differ by at most 0.1. The same graph was "
      "compiled twice, for example for prefill and decoding or for several ranks, and both tables "
      "have the same kernels with similar cycles. If tables are equal, the first is taken."),
  MILL_WARNING(
      UTIL_OVER, "{count} kernel[|s] of {lane} took less time than ideal",
      "the counter PT Active shows 101 at these kernels; their ideal time counts in full",
      "check both frequencies: --set core-mhz=MHZ, --set soc-mhz=MHZ",
      "No kernel can be faster than ideal. Possible reasons: the cores run faster than core-mhz, "
      "so that ideal times are too long; the counter of stamps runs slower than soc-mhz, so that "
      "measured times are too short (the stage freq checks this); or the log is of another "
      "program. With an autopilot log, the notice counts jobs."),
  MILL_INFO(UTIL_UNKNOWN, "{count} kernel[|s] of {lane} [is|are] not in the table of the job",
            "[it counts|they count] as category other, without ideal time", NULL,
            "The log has no ideal cycles for these names: the compiler does not count these "
            "kernels, such as those that prepare data, or another program launched them. Overall "
            "utilisation includes their time, and without_ideal in the table utilisation shows "
            "it."),
  MILL_WARNING(
      UTIL_NO_TABLE, "no log has a table for {lane}", "it has no utilisation",
      "give a log for all ranks, log=PATH, or for this one, rank=N:log=PATH",
      "There are logs, but none for this rank, or those for it have no complete table (CLOG-02, "
      "CLOG-03, CLOG-12). Or the stage comes after one that sees all lanes as one stream, such as "
      "flow, where logs are not visible. The events of this input are not changed."),
  MILL_WARNING(
      UTIL_NO_TIME, "{count} kernel[|s] of {lane} [has|have] no duration",
      "[it counts|they count] as [a call|calls] that took no time, without ideal time",
      "give kernels their times by stamps: cycles before this stage",
      "Utilisation divides ideal by measured time. These slices have a duration of 0, a negative "
      "one, or none, and no usable stamps TS3 and TS4."),
  MILL_WARNING(UTIL_OVERLAPPING,
               "{count} kernel[|s] of {lane} [overlaps|overlap] another one of an autopilot job",
               "the job's time is limited to the time from its first kernel to its last",
               "check whether the files of a rank are of one job each",
               "With autopilot, the log has one ideal time for a whole job. The stage compares it "
               "with the sum of the times of all kernels, which counts time twice if two of them "
               "overlap. A device runs one kernel at a time, so the trace mixes two devices or two "
               "jobs."),
  MILL_WARNING(UTIL_HIDDEN, "{count} autopilot job[|s] of {lane} ended before an earlier one did",
               "the counter PT Active shows the earlier one; tables have both",
               "look at the jobs by themselves",
               "With autopilot, the counter has one value for a whole job, from its first to its "
               "last kernel. Jobs of one device follow each other, but here one job is within "
               "another: kernels of two jobs were mixed, or clocks of jobs differ (see the stage "
               "job-align)."),
  MILL_INFO(UTIL_AUTOPILOT,
            "{count} job[|s] of {lane} [has|have] one utilisation for all of [its|their] kernels",
            NULL, NULL,
            "The log is of autopilot, which has only the ideal time of a whole job. pt_active is "
            "the same for each of its kernels, the counter PT Active has one value from its first "
            "kernel to its last, and the table categories has its time under Total."),
};
