/* What ranks ran and what logs say, together; see util-run.h. */
#include "util-run.h"

#include <stdlib.h>

#include "kit/state/grow.h"

bool util_seen_open(UtilSeen *seen, const MillHost *common)
{
  return util_kernels_open(&seen->kernels, common) && util_jobs_open(&seen->jobs, common) &&
         util_tables_open(&seen->tables, common);
}

/* ------------------------------------------------------------ from a lane */

static int by_job(const void *a, const void *b)
{
  const PairSlot *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

static bool save_calls(const UtilJobs *jobs, const MillStageHost *host)
{
  const MillHost *common = host->common;
  const PairMap *calls = &jobs->calls;
  PairSlot *sorted = common->scratch(common, (calls->n + 1) * sizeof *sorted);
  size_t at = 0, n = 0;
  if (!sorted) return false;
  for (const PairSlot *slot; (slot = pairmap_next(calls, &at));) sorted[n++] = *slot;
  qsort(sorted, n, sizeof *sorted, by_job);
  host->put_int(host, (int64_t)n);
  for (size_t i = 0; i < n; i++) {
    host->put_int(host, (int64_t)sorted[i].a);
    host->put_int(host, (int64_t)sorted[i].b);
    host->put_int(host, (int64_t)sorted[i].value);
  }
  return true;
}

static void save_nodes(const UtilJobs *jobs, const MillStageHost *host)
{
  host->put_int(host, jobs->n_nodes);
  for (uint32_t i = 0; i < jobs->n_nodes; i++) {
    host->put_int(host, jobs->nodes[i].parent);
    host->put_int(host, jobs->nodes[i].kernel);
  }
}

static void save_jobs(const UtilJobs *jobs, const MillStageHost *host)
{
  util_groups_save(jobs, host);
  host->put_int(host, jobs->n_jobs);
  for (uint32_t i = 0; i < jobs->n_jobs; i++) util_job_save(&jobs->jobs[i], host);
}

bool util_seen_save(UtilSeen *seen, const MillStageHost *host, const MillLane *lane)
{
  host->put_int(host, lane->index);
  host->put_int(host, lane->rank);
  util_texts_save(&seen->kernels.texts, host);
  save_jobs(&seen->jobs, host);
  save_nodes(&seen->jobs, host);
  if (!save_calls(&seen->jobs, host)) return false;
  util_tables_save(&seen->tables, host);
  return true;
}

/* -------------------------------------------------------------- to the run */

bool util_run_open(UtilRun *run, const MillHost *common)
{
  *run = (UtilRun){ .common = common };
  return util_texts_open(&run->kernels, common) && util_tables_open(&run->tables, common);
}

static bool merge_jobs(UtilLane *lane, const MillStageHost *host)
{
  bool fits = util_groups_load(&lane->jobs, host);
  for (uint64_t n = host->get_count(host, UTIL_JOB_BYTES); n > 0 && fits; n--) {
    UtilJob job = util_job_load(host);
    fits = util_jobs_put(&lane->jobs, &job);
  }
  return fits;
}

static bool merge_nodes(UtilJobs *jobs, const MillStageHost *host)
{
  uint64_t n = host->get_count(host, 4);
  jobs->n_nodes = 0;
  if (!array_reserve(host->common, &jobs->nodes, &jobs->max_nodes, n + 1, sizeof *jobs->nodes))
    return false;
  for (; n > 0; n--) {
    uint32_t parent = (uint32_t)host->get_int(host), kernel = (uint32_t)host->get_int(host);
    jobs->nodes[jobs->n_nodes++] = (UtilNode){ parent, kernel };
  }
  return true;
}

static bool merge_calls(UtilLane *lane, const MillStageHost *host)
{
  uint64_t n = host->get_count(host, 6);
  lane->calls = mill_new(host->common, (n + 1) * sizeof *lane->calls);
  if (!lane->calls) return false;
  for (; n > 0; n--) {
    uint32_t job = (uint32_t)host->get_int(host), kernel = (uint32_t)host->get_int(host);
    lane->calls[lane->n_calls++] = (UtilCall){ job, kernel, host->get_int(host) };
  }
  return true;
}

/* The numbers live as long as the lane does. */
static bool merge_kernels(UtilRun *run, UtilLane *lane, const MillStageHost *host)
{
  const uint32_t *numbers = util_texts_load(&run->kernels, host, &lane->n_kernels);
  size_t bytes = lane->n_kernels * sizeof *lane->kernels;
  if (numbers) lane->kernels = mill_new(run->common, bytes + 1);
  if (!lane->kernels) return false;
  memcpy(lane->kernels, numbers, bytes);
  return true;
}

bool util_run_merge(UtilRun *run, const MillStageHost *host)
{
  if (!array_reserve_at(run->common, &run->lanes, &run->max_lanes, run->n_lanes,
                        sizeof *run->lanes))
    return false;
  UtilLane *lane = &run->lanes[run->n_lanes];
  *lane = (UtilLane){ .index = (uint32_t)host->get_int(host) };
  lane->rank = host->get_int(host);
  if (!util_jobs_open(&lane->jobs, run->common) || !merge_kernels(run, lane, host) ||
      !merge_jobs(lane, host) || !merge_nodes(&lane->jobs, host) || !merge_calls(lane, host))
    return false;
  run->n_lanes++;
  return util_tables_merge(&run->tables, host, lane->kernels, lane->n_kernels);
}

bool util_run_decide(UtilRun *run, int64_t core_hz)
{
  bool fits = true;
  for (uint32_t i = 0; i < run->n_lanes && fits; i++)
    fits = util_choose(&run->lanes[i], &run->tables, core_hz);
  return fits;
}
