/* The steps of planning and what the three forms of a printed plan share. */
#ifndef PLAN_PLAN_PARTS_H
#define PLAN_PLAN_PARTS_H

#include "plan/plan.h"

/* ---- plan-check.c: stages that no lane can feed */

/* The fact that every class lacks for this stage; NULL when it runs on some. */
const char *plan_missing_fact(const Plan *plan, uint32_t index);
/* An error for each enabled stage that runs on no lane. */
Error *plan_check_used(const Plan *plan, Modules *modules);

/* ---- plan-print.c */

const char *plan_pass_name(PassKind kind);
const char *plan_end_name(SegmentEnd end);
const char *plan_barrier_name(Barrier barrier);
/* The id by which people know the stage, behind "observe" in a first pass. */
char *plan_pass_text(const Plan *plan, const Pass *pass);
/* Names of the files that a run of this plan writes: char *. */
GPtrArray *plan_files(const Plan *plan);

#endif
