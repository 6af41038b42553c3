/* What the rocprof-json source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "rocprof-json.h"

const MillNotice roc_notices[ROC_N_NOTICES] = {
  MILL_ERROR(ROC_NOT_JSON, "the trace is not valid JSON",
             "correct the file at that place, or repeat the recording",
             "The text breaks the rules of JSON in a way that allows more than one reading. The "
             "message gives line and column in the uncompressed text. Usual causes are a file that "
             "was edited by hand and two programs that wrote to one file at once."),
  MILL_ERROR(
      ROC_CUT, "the trace ends too early", "add --recover to use its complete records",
      "The text stops before the last bracket: the program was killed while rocprofv3 wrote, the "
      "disk was full, or a copy was cut short. Records that are complete can be used."),
  MILL_ERROR(ROC_HUGE, "one value is larger than 64 MiB", NULL,
             "Lists of any length are read piece by piece, but one record must fit in 64 MiB of "
             "memory. rocprofv3 writes no such records; the file is probably damaged: a quote or a "
             "bracket is missing."),
  MILL_ERROR(
      ROC_NO_TOOL, "the document has no list rocprofiler-sdk-tool",
      "record with rocprofv3 --output-format json",
      "rocprofv3 writes an object whose member rocprofiler-sdk-tool is a list with an object for "
      "each process. This document has no such member, or it is no list."),
  MILL_ERROR(ROC_CHANGED, "the file changed while it was read",
             "wait until nothing writes to it any more",
             "Names stood after the records that need them, so the file was read twice. The second "
             "time it was gone, or shorter."),
  MILL_WARNING(
      ROC_RECOVERED, "{lane} ends too early, in line {line}", "the records before that are used",
      NULL,
      "With --recover the complete records of a truncated trace are used. Later lists are missing: "
      "rocprofv3 writes one list after the other, so all calls of one kind may be missing."),
  MILL_LEFT_OUT(
      ROC_BAD_RECORD, "{count} record[|s] of {lane} [has|have] no times",
      "[it is|they are] left out", NULL,
      "A record needs start_timestamp and end_timestamp, whole numbers of nanoseconds, the first "
      "of them above 0. rocprofv3 writes 0 for work that was still running when the program "
      "ended."),
  MILL_WARNING(ROC_NEGATIVE,
               "{count} record[|s] of {lane} [ends|end] before [it begins|they begin]",
               "[its|their] duration is taken as 0", NULL,
               "The end is earlier than the start. Times of devices are converted to the clock of "
               "the host; if the conversion changes during a short kernel, its end can come before "
               "its start. A negative duration would make sums too small."),
  MILL_WARNING(ROC_NAMES, "{count} record[|s] of {lane} [has a number|have numbers] for a name",
               "[it names|they name] kernels and operations",
               "give the trace as a file if it comes through a pipe",
               "Records name kernels and operations by numbers, which kernel_symbols and strings "
               "translate. They lack this number, or come after the records in an input that can "
               "be read only once, such as a pipe."),
  MILL_WARNING(
      ROC_TEXT,
      "{count} value[|s] of {lane} [is|are] not quite JSON: raw control characters, bad UTF-8, bad "
      "escapes, NaN",
      "[it was|they were] read anyway", NULL,
      "Strings in JSON must be valid UTF-8 and must escape control characters, and there is no "
      "NaN. Names of kernels and messages of markers sometimes break this. The meaning of the rest "
      "is clear, so reading goes on; NaN is not a time."),
  MILL_INFO(
      ROC_NO_OPERATORS, "{count} trace[|s] of rocprofv3 [has|have] no operators of PyTorch",
      "stages that need them are left out",
      "trace with PyTorch's profiler to see operators, shapes and rates",
      "rocprofv3 records device work and the calls of HIP, HSA and RCCL that launched it, but not "
      "the operators around the calls. Tables by operator, shapes of matrices and rates need a "
      "trace of PyTorch's profiler. The other tables are complete: kernels, copies, calls, "
      "timelines, launches and idle streams."),
  MILL_INFO(ROC_OTHER,
            "{count} list[|s] of {lane} [holds|hold] records of other kinds (first: {list})",
            "[it is|they are] not read", NULL,
            "Besides kernels, copies and calls rocprofv3 can record allocations, page faults, "
            "decoders, samples of program counters and more. None of these become events."),
  MILL_WARNING(
      ROC_ODD,
      "{count} part[|s] of {lane} [is|are] not what rocprofv3 writes there (first: {member})",
      "[it is|they are] left out", NULL,
      "A process is an object, its tables and records are lists. Here is something else: the file "
      "was edited, or is of an unknown version."),
};

const WindowNotices roc_window_notices = { .rows = roc_notices,
                                           .not_json = ROC_NOT_JSON,
                                           .truncated = ROC_CUT,
                                           .huge = ROC_HUGE,
                                           .bad_value = ROC_NOT_JSON,
                                           .text = ROC_TEXT,
                                           .nan = ROC_TEXT };
