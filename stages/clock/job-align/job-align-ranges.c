/* Ranges of jobs; see job-align-ranges.h. */
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

JobVerdict job_judge(Job *job)
{
  const JobRange *host = &job->host, *device = &job->device;
  job->offset_ns = 0;
  if (!device->known) return JOB_FITS;
  if (!host->known) return JOB_NO_HOST;
  if (host->from_ns <= device->from_ns && host->to_ns >= device->to_ns) return JOB_FITS;
  if (length_of(host) < length_of(device)) return JOB_WIDER;
  if (__builtin_sub_overflow(host->from_ns, device->from_ns, &job->offset_ns)) {
    job->offset_ns = 0;
    return JOB_WIDER;
  }
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
