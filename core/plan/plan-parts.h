/* What the three forms of a printed plan share. */
#ifndef PLAN_PLAN_PARTS_H
#define PLAN_PLAN_PARTS_H

#include "plan/plan.h"

const char *plan_scope_name(uint32_t scope);
const char *plan_pass_name(PassKind kind);
const char *plan_end_name(SegmentEnd end);
const char *plan_barrier_name(Barrier barrier);
/* The id by which people know the stage, behind "observe" in a first pass. */
char *plan_pass_text(const Plan *plan, const Pass *pass);
/* Names of the files that a run of this plan writes: char *. */
GPtrArray *plan_files(const Plan *plan);

#endif
