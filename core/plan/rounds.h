/* Whether several processes can share the lanes of a run, and how often each of them is started. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_ROUNDS_H
#define PLAN_ROUNDS_H

#include "plan/plan.h"

/* The barriers at which all lanes meet, and one. */
uint32_t plan_rounds(const Plan *plan);
/* Which of those barriers it is, from 1, where this stage decides. */
uint32_t plan_round_of(const Plan *plan, uint32_t stage);
/* An error: no process may read only some of the lanes. asked: formats, as for plan_formats. */
Error *plan_check_shards(const Plan *plan, Modules *modules, const GPtrArray *asked);

#endif
