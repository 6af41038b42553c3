/* Which run the folder of --state is of: program, plan and inputs, as bytes. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_RECORD_JOB_H
#define SCHED_RECORD_JOB_H

#include "input/inputs.h"

/* plan_hash: what results depend on apart from the inputs. */
void shared_job_save(const Inputs *inputs, const char *plan_hash, Summary *out);
/* How another job differs first from ours: "input 17 (a.json): size 812 -> 911". NULL: theirs are no such bytes. */
char *shared_job_difference(Summary *theirs, Summary *ours);

#endif
