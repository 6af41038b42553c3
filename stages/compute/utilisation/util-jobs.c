/* Telling jobs apart, and counting their kernels; see util-jobs.h. */
/* SPDX-License-Identifier: MIT */
#include "util-jobs.h"

#include "kit/state/grow.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"

typedef struct UtilGroup {
  uint32_t next; /* its number, plus 1 */
} UtilGroup;

bool util_jobs_open(UtilJobs *jobs, const MillHost *common)
{
  *jobs = (UtilJobs){ .common = common, .n_nodes = 1 };
  jobs->launch_key = symbol_of(common, "correlation");
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

static void forget_kernels(UtilJobs *jobs)
{
  pairmap_clear(&jobs->children);
  pairmap_clear(&jobs->calls);
  array_free(jobs->common, jobs->nodes);
  jobs->nodes = NULL;
  jobs->max_nodes = jobs->n_nodes = 0;
}

/* --------------------------------------------------------------- as they are saved */

UtilGroupName *util_groups_list(const UtilJobs *jobs)
{
  uint32_t n = keyed_count(jobs->groups.states);
  const KeyedEntry *const *sorted = keyed_sorted(jobs->groups.states);
  UtilGroupName *list = jobs->common->scratch(jobs->common, (n + (size_t)1) * sizeof *list);
  if (!sorted || !list) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    const UtilGroup *group = sorted[i]->state;
    list[i] = (UtilGroupName){ { sorted[i]->key, sorted[i]->len }, group->next - 1 };
  }
  return list;
}

bool util_jobs_restore(UtilJobs *jobs, const UtilGroupName *groups, uint32_t n_groups,
                       const UtilJob *list, uint32_t n_jobs)
{
  bool fits = true;
  forget_kernels(jobs);
  jobs->n_jobs = 0;
  jobs->n_groups = n_groups;
  for (uint32_t i = 0; i < n_groups; i++) {
    UtilGroup *group = keyed_get(jobs->groups.states, groups[i].name.text, groups[i].name.len);
    if (!group) return false;
    group->next = groups[i].number + 1;
  }
  for (uint32_t i = 0; i < n_jobs && fits; i++) fits = append(jobs, &list[i]) != NULL;
  return fits;
}
