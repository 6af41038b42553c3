/* Ends a run that was asked to stop, by a signal or by --timeout, and does not: a stage may never return. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_WATCHDOG_H
#define CMD_WATCHDOG_H

#include "sched/run.h"

void watchdog_start(Run *run);
/* It was asked to stop, and the program will end with this status; safe in a signal handler. */
void watchdog_alarm(int status);
void watchdog_stop(void); /* the run has ended */

#endif
