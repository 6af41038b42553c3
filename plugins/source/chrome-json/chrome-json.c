/* The chrome-json source: Chrome trace events in JSON, as Kineto, FLEX and Chrome write them. */
/* SPDX-License-Identifier: MIT */
#include "parser.h"

static const MillSourceOps ops = {
  JSN_OPS,
  .probe = jsn_probe,
  .open = jsn_open,
};

static const MillMagic magic[] = {
  { 0, 1, "{" },  { 0, 1, "[" },  { 0, 1, "\n" },           { 0, 1, " " },
  { 0, 1, "\r" }, { 0, 1, "\t" }, { 0, 3, "\xef\xbb\xbf" },
};

static const MillOption options[] = {
  MILL_CHOICE_OPTION(SourceOptions, dialect, "dialect", "auto", "auto|kineto|aiu|generic",
                     "Producer of the trace; auto finds it from keys at both ends of the file"),
  MILL_BOOL_OPTION(SourceOptions, processed, "processed", "false",
                   "Also read traces that the AIU trace analyser has processed already"),
  MILL_CHOICE_OPTION(SourceOptions, time_unit, "time-unit", "us", "us|ns|ms",
                     "Unit of ts and dur in the input; the format requires microseconds, and "
                     "outputs use them"),
};

static const char *const provides[] = { "events", "operators", NULL };
static const char *const may_provide[] = { /* by dialect */
                                           "clock.cycles", "trace.kineto", "device-work",
                                           "launches",     "annotations",  NULL
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .options_size = sizeof(SourceOptions),
  .name = "chrome-json",
  .version = "0.1.0",
  .tag = "JSN",
  .title = "Chrome trace events in JSON (Kineto, PyTorch profiler, FLEX, Chrome)",
  .help = "Reads an object with traceEvents, or a bare list of events, of any size and in bounded "
          "memory. Times become integer nanoseconds, exactly. Attributes are decoded only if a "
          "stage asks for them; everything else keeps its bytes. Errors with only one sensible "
          "reading are repaired and counted; with --strict they end the run.",
  .provides = provides,
  .may_provide = may_provide,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(jsn_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
