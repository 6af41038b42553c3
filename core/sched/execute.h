/* Executing a planned run, up to its output. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_EXECUTE_H
#define SCHED_EXECUTE_H

#include "sched/run.h"

/* Executes the run: commits the output on success, and removes it on failure. After SIGINT
 * (run_cancel) the status of the error is that of the signal. */
Error *run_execute(Run *run);

#endif
