/* What ranks ran and what logs say, together; see util-run.h. */
/* SPDX-License-Identifier: MIT */
#include "util-run.h"

#include <stdlib.h>

bool util_seen_open(UtilSeen *seen, const MillHost *common)
{
  util_kernels_open(&seen->kernels, common);
  util_tables_open(&seen->tables, common);
  return util_jobs_open(&seen->jobs, common);
}

/* ------------------------------------------------------------- what is saved */

static const StateField group_fields[] = {
  STATE_FIRST(UtilGroupName, name),
  STATE_FIRST(UtilGroupName, number),
};
static const StateType group_state = STATE_TYPE(UtilGroupName, group_fields);

static const StateField job_fields[] = {
  STATE_FIRST(UtilJob, group),   STATE_FIRST(UtilJob, launch),   STATE_FIRST(UtilJob, calls),
  STATE_FIRST(UtilJob, time_ns), STATE_FIRST(UtilJob, first_ns), STATE_FIRST(UtilJob, last_ns),
  STATE_FIRST(UtilJob, node),    STATE_FIRST(UtilJob, table),    STATE_FIRST(UtilJob, doubts),
};
static const StateType job_state = STATE_TYPE(UtilJob, job_fields);

static const StateField kernel_fields[] = { STATE_NUMBER(UtilKernel, number, 0) };
static const StateType kernel_state = STATE_TYPE(UtilKernel, kernel_fields);

static const StateField node_fields[] = {
  STATE_FIRST(UtilNode, parent),
  STATE_NUMBER(UtilNode, kernel, 0),
};
static const StateType node_state = STATE_TYPE(UtilNode, node_fields);

static const StateField call_fields[] = {
  STATE_FIRST(UtilCall, job),
  STATE_NUMBER(UtilCall, kernel, 0),
  STATE_FIRST(UtilCall, calls),
};
static const StateType call_state = STATE_TYPE(UtilCall, call_fields);

static const StateField chosen_lane_fields[] = {
  STATE_FIRST(UtilLane, index),
  STATE_FIRST(UtilLane, has_table),
  STATE_EXACT_LIST(UtilLane, groups, n_groups, group_state),
  STATE_EXACT_LIST(UtilLane, jobs, n_jobs, job_state),
};
const StateType util_chosen_lane_state = STATE_TYPE(UtilLane, chosen_lane_fields);

static const StateField lane_fields[] = {
  STATE_FIRST(UtilLane, index),
  STATE_FIRST(UtilLane, rank),
  STATE_EXACT_LIST(UtilLane, groups, n_groups, group_state),
  STATE_EXACT_LIST(UtilLane, jobs, n_jobs, job_state),
  STATE_EXACT_LIST(UtilLane, kernels, n_kernels, kernel_state),
  STATE_EXACT_LIST(UtilLane, nodes, n_nodes, node_state),
  STATE_EXACT_LIST(UtilLane, calls, n_calls, call_state),
};
static const StateType lane_state = STATE_TYPE(UtilLane, lane_fields);

static const StateField run_fields[] = {
  STATE_NAMES(UtilRun, kernels, 0),
  STATE_PART(UtilRun, tables, util_tables_state),
  STATE_LIST(UtilRun, lanes, n_lanes, max_lanes, lane_state),
};
static const StateType run_state = STATE_TYPE(UtilRun, run_fields);

/* ------------------------------------------------------------ from a lane */

static int by_job(const void *a, const void *b)
{
  const UtilCall *x = a, *y = b;
  if (x->job != y->job) return x->job < y->job ? -1 : 1;
  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static bool list_calls(const UtilJobs *jobs, UtilLane *out)
{
  const PairMap *calls = &jobs->calls;
  size_t at = 0;
  out->calls = jobs->common->scratch(jobs->common, (calls->n + 1) * sizeof *out->calls);
  if (!out->calls) return false;
  for (const PairSlot *slot; (slot = pairmap_next(calls, &at));)
    out->calls[out->n_calls++] =
        (UtilCall){ (uint32_t)slot->a, (uint32_t)slot->b, (int64_t)slot->value };
  qsort(out->calls, out->n_calls, sizeof *out->calls, by_job);
  return true;
}

/* A lane without jobs ran none: what it names are kernels of tables. */
static bool list_kernels(const UtilSeen *seen, UtilLane *out)
{
  const MillHost *common = seen->jobs.common;
  uint32_t n = seen->jobs.n_jobs ? (uint32_t)seen->kernels.names.n : 0;
  out->kernels = common->scratch(common, (n + (size_t)1) * sizeof *out->kernels);
  if (!out->kernels) return false;
  for (; out->n_kernels < n; out->n_kernels++) out->kernels[out->n_kernels].number = out->n_kernels;
  return true;
}

bool util_seen_save(const UtilSeen *seen, const MillStageHost *host, const MillLane *lane)
{
  const UtilJobs *jobs = &seen->jobs;
  UtilLane saw = { .index = lane->index,
                   .rank = lane->rank,
                   .groups = util_groups_list(jobs),
                   .n_groups = jobs->n_groups,
                   .jobs = jobs->jobs,
                   .n_jobs = jobs->n_jobs,
                   .nodes = jobs->nodes + 1,
                   .n_nodes = jobs->n_nodes - 1 };
  UtilRun run = {
    .kernels = seen->kernels.names, .tables = seen->tables, .lanes = &saw, .n_lanes = 1
  };
  if (!saw.groups || !list_calls(jobs, &saw) || !list_kernels(seen, &saw)) return false;
  state_save(host, &run_state, &run);
  return true;
}

/* -------------------------------------------------------------- to the run */

void util_run_open(UtilRun *run, const MillHost *common)
{
  *run = (UtilRun){ .common = common, .kernels = { .common = common } };
  util_tables_open(&run->tables, common);
}

bool util_run_merge(UtilRun *run, const MillStageHost *host)
{
  return state_merge(host, &run_state, run);
}

bool util_run_decide(UtilRun *run, int64_t core_hz)
{
  bool fits = util_tables_index(&run->tables, run->kernels.n);
  for (uint32_t i = 0; i < run->n_lanes && fits; i++)
    fits = util_choose(&run->lanes[i], &run->tables, core_hz);
  return fits;
}
