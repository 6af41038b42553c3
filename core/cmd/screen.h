/* The summary of a run as the screen has room for it; the file in the results does not depend on any screen. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_SCREEN_H
#define CMD_SCREEN_H

#include "results/results.h"
#include "sched/run.h"

const char *summary_name(bool json);                      /* the file that is printed */
const char *summary_format(Modules *modules, bool json); /* and the format that it is of */
/* An option of the summary, for settings of sinks; g_free. */
char *summary_setting(Modules *modules, const char *option, int64_t value);
/* Setting: the document is printed, or read from memory, so its tables have no files of their own. */
void summary_keep_whole(Modules *modules, GPtrArray *settings);
/* Whether it may look otherwise than the file.  rows: as in RunRequest. */
bool screen_differs(const MillResults *r, int64_t rows);
/* Of a run that has ended. */
Error *screen_summary(const Run *run, int64_t rows, GString *out);
/* Of results without a run; json: as summary.json.  settings: char *, "text.rows=5", of which those of the screen win. */
Error *screen_results(Modules *modules, Results *results, const GPtrArray *settings, int64_t rows,
                      bool json, GString *out);

#endif
