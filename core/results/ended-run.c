/* A run whose lanes have ended; see ended-run.h. */
/* SPDX-License-Identifier: MIT */
#include "results/ended-run.h"

EndedRun *ended_run_new(const Plan *plan, const Inputs *inputs, const LaneInfo *merged)
{
  EndedRun *e = g_new0(EndedRun, 1);
  e->plan = plan;
  e->inputs = inputs;
  e->merged = merged;
  e->classes = g_new0(const PlanClass *, inputs->lanes->len + 1);
  e->stages = g_new0(EndedStage, plan->n_stages + 1);
  for (uint32_t s = 0; s < plan->n_stages; s++) {
    e->stages[s].planned = &plan->stages[s];
    e->stages[s].lanes = g_new0(const Reported *, inputs->lanes->len + 1);
    e->stages[s].groups = g_array_new(FALSE, FALSE, sizeof(EndedGroup));
  }
  return e;
}

void ended_run_free(EndedRun *e)
{
  if (!e) return;
  results_free(e->results);
  for (uint32_t s = 0; s < e->plan->n_stages; s++) {
    g_free(e->stages[s].lanes);
    g_array_unref(e->stages[s].groups);
  }
  if (e->input_hashes) g_ptr_array_unref(e->input_hashes);
  g_free(e->classes);
  g_free(e->stages);
  g_free(e);
}
