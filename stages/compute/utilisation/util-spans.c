/* The counter of jobs as they follow each other; see util-spans.h. */
/* SPDX-License-Identifier: MIT */
#include "util-spans.h"

#include <stdlib.h>

enum { MOST = 100, BEYOND = 101 };

double util_share(int64_t cycles, int64_t core_hz, int64_t time_ns)
{
  if (time_ns <= 0) return 0;
  return (double)cycles * 1e9 / (double)core_hz / (double)time_ns;
}

bool util_is_over(int64_t cycles, int64_t core_hz, int64_t time_ns)
{
  return time_ns > 0 && (double)cycles * 1e9 / (double)core_hz > (double)time_ns + 1;
}

double util_percent(int64_t cycles, int64_t core_hz, int64_t time_ns)
{
  double percent = util_share(cycles, core_hz, time_ns) * 100;
  if (util_is_over(cycles, core_hz, time_ns)) return BEYOND;
  return percent < MOST ? percent : MOST;
}

static int64_t elapsed(const UtilJob *job)
{
  int64_t ns;
  return __builtin_sub_overflow(job->last_ns, job->first_ns, &ns) ? INT64_MAX : ns;
}

int64_t util_job_time(const UtilJob *job)
{
  int64_t ns = elapsed(job);
  return job->time_ns < ns ? job->time_ns : ns;
}

static int by_start(const void *a, const void *b)
{
  const UtilJob *x = *(const UtilJob *const *)a, *y = *(const UtilJob *const *)b;
  if (x->first_ns != y->first_ns) return x->first_ns < y->first_ns ? -1 : 1;
  return x < y ? -1 : x > y; /* both in one array */
}

static void add(UtilSpans *s, int64_t ts_ns, double percent)
{
  s->samples[s->n++] = (UtilSample){ ts_ns, percent };
}

/* Spans become disjoint: one that begins within another goes on from its end. */
static void make_samples(UtilSpans *s, const UtilJob *const *jobs, size_t n, const UtilDecision *d,
                         int64_t core_hz)
{
  int64_t end_ns = 0;
  for (size_t i = 0; i < n; i++) {
    const UtilJob *job = jobs[i];
    bool within = s->n > 0 && job->first_ns <= end_ns;
    if (within && job->last_ns <= end_ns) {
      s->hidden++;
      continue;
    }
    if (s->n > 0 && !within) add(s, end_ns, 0);
    add(s, within ? end_ns : job->first_ns,
        util_percent(d->tables[job->table - 1].cycles, core_hz, util_job_time(job)));
    end_ns = job->last_ns;
  }
  if (s->n > 0) add(s, end_ns, 0);
}

bool util_spans_make(UtilSpans *s, const MillHost *common, const UtilJobs *jobs,
                     const UtilDecision *d, int64_t core_hz)
{
  const UtilJob **spans = mill_new(common, (jobs->n_jobs + (size_t)1) * sizeof *spans);
  size_t n = 0;
  *s = (UtilSpans){ .n = 0 };
  if (!spans) return false;
  for (uint32_t i = 0; i < jobs->n_jobs; i++) {
    const UtilJob *job = &jobs->jobs[i];
    if (job->table && d->tables[job->table - 1].autopilot && util_job_time(job) > 0)
      spans[n++] = job;
  }
  qsort(spans, n, sizeof *spans, by_start);
  s->samples = mill_new(common, (2 * n + 1) * sizeof *s->samples);
  if (s->samples) make_samples(s, spans, n, d, core_hz);
  common->resize(common, spans, 0);
  return s->samples != NULL;
}
