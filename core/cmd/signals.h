/* Signals from outside, and the time limit. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

#include "sched/run.h"

void signals_install(void);
void signals_limit(int64_t seconds); /* from now on, also while inputs are opened; 0: none */
/* The run that signals and the time limit end in good order; NULL: it is over. */
void signals_watch(Run *run);
void signals_end(int status); /* main returns it: exit is the program's own from here on */

#endif
