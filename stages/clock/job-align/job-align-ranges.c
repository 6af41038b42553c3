/* Ranges of jobs; see job-align-ranges.h. */
/* SPDX-License-Identifier: MIT */
#include "job-align-ranges.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 JobWide;

void range_add(JobRange *range, int64_t ts_ns, int64_t dur_ns)
{
  int64_t end_ns = ts_ns;
  if (dur_ns > 0 && __builtin_add_overflow(ts_ns, dur_ns, &end_ns)) end_ns = INT64_MAX;
  if (!range->known || ts_ns < range->from_ns) range->from_ns = ts_ns;
  if (!range->known || end_ns > range->to_ns) range->to_ns = end_ns;
  range->known = true;
}

static JobWide length_of(const JobRange *range) { return (JobWide)range->to_ns - range->from_ns; }

static bool fits(const Job *job)
{
  return job->host.from_ns <= job->device.from_ns && job->host.to_ns >= job->device.to_ns;
}

bool job_slack(const Job *job, int64_t *out_ns)
{
  if (!job->host.known || !job->device.known || !fits(job)) return false;
  return !__builtin_sub_overflow(job->device.from_ns, job->host.from_ns, out_ns);
}

bool job_room(const Job *job, int64_t *out_ns)
{
  if (!job->host.known || !job->device.known) return false;
  JobWide room = length_of(&job->host) - length_of(&job->device);
  *out_ns = (int64_t)room;
  return room >= 0 && room <= INT64_MAX;
}

JobVerdict job_judge(Job *job, int64_t slack_ns)
{
  const JobRange *host = &job->host, *device = &job->device;
  job->offset_ns = 0;
  if (!device->known) return JOB_FITS;
  if (!host->known) return JOB_NO_HOST;
  if (fits(job)) return JOB_FITS;
  JobWide room = length_of(host) - length_of(device);
  if (room < 0) return JOB_WIDER;
  JobWide offset = (JobWide)host->from_ns + (slack_ns < room ? slack_ns : room) - device->from_ns;
  if (offset > INT64_MAX || offset < INT64_MIN) return JOB_WIDER;
  job->offset_ns = (int64_t)offset;
  return JOB_SHIFTED;
}

static int by_begin(const void *a, const void *b)
{
  const KeyedEntry *p = *(const KeyedEntry *const *)a, *q = *(const KeyedEntry *const *)b;
  const Job *x = p->state, *y = q->state;
  if (x->host.from_ns != y->host.from_ns) return x->host.from_ns < y->host.from_ns ? -1 : 1;
  uint32_t len = p->len < q->len ? p->len : q->len; /* keys differ: the order is of one kind */
  int order = memcmp(p->key, q->key, len);
  return order ? order : (p->len > q->len) - (p->len < q->len);
}

/* The ranges of all jobs before, as one. */
typedef struct Before {
  JobRange host;
  JobWide device_to;
  bool has_device;
} Before;

static bool comes_after(const Before *before, const Job *job)
{
  if (before->host.known && before->host.to_ns >= job->host.from_ns) return false;
  if (!before->has_device || !job->device.known) return true;
  return before->device_to < (JobWide)job->device.from_ns + job->offset_ns;
}

static void add_to(Before *before, const Job *job)
{
  JobWide to = (JobWide)job->device.to_ns + job->offset_ns;
  range_add(&before->host, job->host.from_ns, 0);
  range_add(&before->host, job->host.to_ns, 0);
  if (!job->device.known) return;
  if (!before->has_device || to > before->device_to) before->device_to = to;
  before->has_device = true;
}

bool jobs_overlapping(const MillHost *common, const KeyedEntry *const *entries, uint32_t n,
                      uint32_t *out_n, const KeyedEntry **out_first)
{
  const KeyedEntry **sorted = common->scratch(common, (n + 1) * sizeof *sorted);
  Before before = { 0 };
  uint32_t n_sorted = 0;
  *out_n = 0;
  if (!sorted) return false;
  for (uint32_t i = 0; i < n; i++)
    if (((const Job *)entries[i]->state)->host.known) sorted[n_sorted++] = entries[i];
  qsort(sorted, n_sorted, sizeof *sorted, by_begin);
  for (uint32_t i = 0; i < n_sorted; i++) {
    const Job *job = sorted[i]->state;
    if (!comes_after(&before, job) && (*out_n)++ == 0) *out_first = sorted[i];
    add_to(&before, job);
  }
  return true;
}
