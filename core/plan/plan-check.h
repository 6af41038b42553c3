/* What must hold for a plan before it can run. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PLAN_CHECK_H
#define PLAN_PLAN_CHECK_H

#include "plan/plan.h"

/* An error for each enabled stage that runs on no lane: which fact is missing, and who could provide it. */
Error *plan_check_used(const Plan *plan, Modules *modules);
/* An error for each two stages whose results would go under one name. */
Error *plan_check_names(const Plan *plan);

#endif
