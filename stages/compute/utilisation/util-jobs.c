/* Telling jobs apart, and counting their kernels; see util-jobs.h. */
#include "util-jobs.h"

#include "kit/state/grow.h"
#include "kit/trace/transfer.h"

typedef struct UtilGroup {
  uint32_t next; /* its number, plus 1 */
} UtilGroup;

bool util_jobs_open(UtilJobs *jobs, const MillHost *common)
{
  *jobs = (UtilJobs){ .common = common, .n_nodes = 1 };
  jobs->launch_key = common->intern(common, "correlation", 11);
  pairmap_open(&jobs->launches, common);
  pairmap_open(&jobs->children, common);
  pairmap_open(&jobs->calls, common);
  return jobs_open(&jobs->groups, common, sizeof(UtilGroup)) &&
         array_reserve(common, &jobs->nodes, &jobs->max_nodes, 1, sizeof *jobs->nodes);
}

static uint32_t group_number(UtilJobs *jobs, UtilGroup *group)
{
  if (!group->next) group->next = ++jobs->n_groups;
  return group->next - 1;
}

/* ------------------------------------------------------------------- finding */

static UtilJob *append(UtilJobs *jobs, const UtilJob *job)
{
  uint64_t *place = pairmap_at(&jobs->launches, job->group, (uint64_t)job->launch);
  if (!place || !array_reserve_at(jobs->common, &jobs->jobs, &jobs->max_jobs, jobs->n_jobs,
                                  sizeof *jobs->jobs))
    return NULL;
  jobs->jobs[jobs->n_jobs] = *job;
  *place = ++jobs->n_jobs;
  return &jobs->jobs[jobs->n_jobs - 1];
}

static int64_t launch_of(const UtilJobs *jobs, const MillBatch *batch, const MillEvent *e)
{
  int64_t launch;
  return mill_attr_int(batch, e, jobs->launch_key, &launch) ? launch : 0;
}

UtilJob *util_jobs_of(UtilJobs *jobs, const MillBatch *batch, const MillEvent *e)
{
  UtilGroup *group = jobs_of(&jobs->groups, batch, e);
  if (!group) return NULL;
  const UtilJob fresh = { .group = group_number(jobs, group), .launch = launch_of(jobs, batch, e) };
  uint64_t known = pairmap_get(&jobs->launches, fresh.group, (uint64_t)fresh.launch);
  return known ? &jobs->jobs[known - 1] : append(jobs, &fresh);
}

/* ------------------------------------------------------------------- kernels */

static bool step(UtilJobs *jobs, UtilJob *job, uint32_t kernel)
{
  uint64_t *child = pairmap_at(&jobs->children, job->node, kernel);
  if (!child) return false;
  if (!*child) {
    if (!array_reserve_at(jobs->common, &jobs->nodes, &jobs->max_nodes, jobs->n_nodes,
                          sizeof *jobs->nodes))
      return false;
    jobs->nodes[jobs->n_nodes] = (UtilNode){ job->node, kernel };
    *child = jobs->n_nodes++ + (uint64_t)1;
  }
  job->node = (uint32_t)(*child - 1);
  return true;
}

bool util_jobs_add_kernel(UtilJobs *jobs, const UtilJob *job, uint32_t kernel)
{
  uint32_t number = util_jobs_number(jobs, job);
  if (job->launch) return step(jobs, &jobs->jobs[number], kernel);
  uint64_t *calls = pairmap_at(&jobs->calls, number, kernel);
  if (calls) ++*calls;
  return calls != NULL;
}

void util_jobs_forget_kernels(UtilJobs *jobs)
{
  pairmap_clear(&jobs->children);
  pairmap_clear(&jobs->calls);
  array_free(jobs->common, jobs->nodes);
  jobs->nodes = NULL;
  jobs->max_nodes = jobs->n_nodes = 0;
}

/* ----------------------------------------------------------------- summaries */

void util_job_save(const UtilJob *job, const MillStageHost *host)
{
  const int64_t values[] = { job->group,    job->launch,  job->calls, job->time_ns,
                             job->first_ns, job->last_ns, job->node,  job->table };
  for (uint32_t i = 0; i < MILL_COUNT(values); i++) host->put_int(host, values[i]);
}

UtilJob util_job_load(const MillStageHost *host)
{
  int64_t v[8];
  for (uint32_t i = 0; i < MILL_COUNT(v); i++) v[i] = host->get_int(host);
  return (UtilJob){ .group = (uint32_t)v[0],
                    .launch = v[1],
                    .calls = v[2],
                    .time_ns = v[3],
                    .first_ns = v[4],
                    .last_ns = v[5],
                    .node = (uint32_t)v[6],
                    .table = (uint32_t)v[7] };
}

/* In the order of their numbers. */
void util_groups_save(const UtilJobs *jobs, const MillStageHost *host)
{
  uint32_t n = keyed_count(jobs->groups.states);
  const KeyedEntry *const *sorted = keyed_sorted(jobs->groups.states);
  host->put_int(host, sorted ? n : 0);
  for (uint32_t i = 0; sorted && i < n; i++) {
    host->put_text(host, sorted[i]->key, sorted[i]->len);
    host->put_int(host, ((const UtilGroup *)sorted[i]->state)->next);
  }
}

bool util_groups_load(UtilJobs *jobs, const MillStageHost *host)
{
  jobs->n_jobs = jobs->n_groups = 0;
  for (uint64_t n = host->get_count(host, 5); n > 0; n--) {
    size_t len;
    const char *name = host->get_text(host, &len);
    UtilGroup *group = keyed_get(jobs->groups.states, name, len);
    if (!group) return false;
    group->next = (uint32_t)host->get_int(host);
    jobs->n_groups++;
  }
  return true;
}

bool util_jobs_put(UtilJobs *jobs, const UtilJob *job) { return append(jobs, job) != NULL; }
