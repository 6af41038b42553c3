/* What a run was made of: the hash of its plan, those of its inputs, and the words for it. */
#ifndef SCHED_PROVENANCE_H
#define SCHED_PROVENANCE_H

#include "sched/run.h"

/* "sha256:...", for the caller to free.  The same for the same program, profile and options, on any machine and for
 * any inputs. */
char *run_plan_hash(const Run *run);
/* As in run.json; NULL: it has none.  For the caller to free. */
char *run_input_hash(const Run *run, guint index);
/* "plan" and "provenance" of the run's results, made when a sink asks for it. */
void run_offer_provenance(Run *run);

#endif
