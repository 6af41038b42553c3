/* Answers about a run, and ending it early; see run.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/run.h"

void run_cancel(Run *run, int status) { atomic_store(&run->control.cancelled, status); }

const MillResults *run_results(const Run *run)
{
  return run->ended && run->ended->results ? results_view(run->ended->results) : NULL;
}
