/* Progress on standard error. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "sched/run.h"

void progress_start(const Run *run, const char *when); /* --progress WHEN */
void progress_stop(void);
void progress_hide(void); /* until it is drawn again; any thread */

#endif
