/* Which barriers of a plan can be crossed by reading the input again instead of holding its events. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_REREAD_H
#define PLAN_REREAD_H

#include "plan/plan.h"

/* Whether a two-phase stage can go on in a fresh instance that loads what the first one decided. */
bool reread_replays(const Descriptor *stage);
/* Those of the first segments: PlanClass.n_reread and hold_why. */
void reread_find(const Plan *plan, PlanClass *c);

#endif
