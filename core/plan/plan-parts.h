/* A step of planning: stages that no lane can feed. */
#ifndef PLAN_PLAN_PARTS_H
#define PLAN_PLAN_PARTS_H

#include "plan/plan.h"

/* The fact that every class lacks for this stage; NULL when it runs on some. */
const char *plan_missing_fact(const Plan *plan, uint32_t index);
/* An error for each two stages whose results would go under one name. */
Error *plan_check_names(const Plan *plan);
/* An error for each enabled stage that runs on no lane. */
Error *plan_check_used(const Plan *plan, Modules *modules);

#endif
