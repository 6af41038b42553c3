/* Executing a run that was planned, up to its output. */
#ifndef SCHED_EXECUTE_H
#define SCHED_EXECUTE_H

#include "sched/run.h"

/* Does it all: output is committed on success and removed on failure.  On SIGINT (run_cancel) the error's
 * status is that of the signal. */
Error *run_execute(Run *run);

#endif
