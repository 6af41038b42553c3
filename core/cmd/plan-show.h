/* A plan shown: for people, as a JSON object, and as a graph. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_PLAN_SHOW_H
#define CMD_PLAN_SHOW_H

#include "plan/plan.h"

void plan_format(const Plan *plan, Modules *modules, GString *out);
void plan_format_json(const Plan *plan, Modules *modules, GString *out);
void plan_format_dot(const Plan *plan, GString *out); /* for dot(1) */

/* ---- plan-print.c: what the three forms share */

const char *plan_pass_name(PassKind kind);
const char *plan_end_name(SegmentEnd end);
const char *plan_barrier_name(Barrier barrier);
/* The id by which people know the stage, after "observe" in a first pass. */
char *plan_pass_text(const Plan *plan, const Pass *pass);
/* Names of the files that a run of this plan writes: char *. */
GPtrArray *plan_files(const Plan *plan, Modules *modules);

#endif
