/* Stages that no lane can feed: which fact is missing, and who could provide it. */
#ifndef PLAN_PLAN_CHECK_H
#define PLAN_PLAN_CHECK_H

#include "plan/plan.h"

/* The fact that every class lacks for this stage, or NULL. */
const char *plan_missing_fact(const Plan *plan, uint32_t index);
/* An error for each enabled stage that runs on no lane. */
Error *plan_check_used(const Plan *plan, Modules *modules);

#endif
