/* Making a run from its inputs, and freeing it. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_NEW_RUN_H
#define SCHED_NEW_RUN_H

#include "sched/run.h"

/* Opens the inputs and finds their formats, ranks, dialects and facts. Takes the specs
 * (InputSpec *) out of the array. */
Error *run_new(Modules *modules, GPtrArray *specs, const RunOptions *options, Run **out);
void run_free(Run *run); /* NULL is fine */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Run, run_free)

#endif
