/* The summary of a run as the screen has room for it; the file in the results does not depend on any screen. */
#ifndef CMD_SCREEN_H
#define CMD_SCREEN_H

#include "sched/run.h"

/* Whether it may look otherwise than the file.  rows: as in RunRequest. */
bool screen_differs(int64_t rows);
/* Of a run that has ended. */
Error *screen_summary(const Run *run, int64_t rows, GString *out);

#endif
