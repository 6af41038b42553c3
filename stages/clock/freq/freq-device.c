/* Counts of a device, by line and job; see freq-device.h. */
/* SPDX-License-Identifier: MIT */
#include "freq-device.h"

#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"
#include "kit/trace/stamps.h"

enum { KERNELS_ENOUGH = 3 };

typedef struct FreqJob {
  ClockJob clock;
  FreqMark first;
} FreqJob;

bool freq_device_begin(FreqDevice *d, const MillHost *common, int64_t hz)
{
  if (d->lines) return true;
  d->lines = mill_new(common, sizeof *d->lines);
  if (!d->lines) return false;
  d->lines->common = common;
  d->lines->hz = hz;
  return jobs_open(&d->jobs, common, sizeof(FreqJob));
}

static RateWide distance_of(const FreqDevice *d, const FreqMark *mark)
{
  return rate_cycles(d->lines->hz, mark->ts_ns) - mark->count;
}

static bool see_reference(FreqDevice *d, const FreqMark *mark)
{
  if (!array_reserve_at(d->lines->common, &d->references, &d->n_references, mark->line,
                        sizeof *d->references))
    return false;
  FreqMark *reference = &d->references[mark->line];
  if (!reference->known || distance_of(d, mark) < distance_of(d, reference)) *reference = *mark;
  return true;
}

/* All counts until now are on other lines. */
static bool begin_anew(FreqDevice *d)
{
  bool fits = true;
  memset(d->references, 0, d->n_references * sizeof *d->references);
  for (uint32_t i = 0; i < d->lines->n_marks && fits; i++) {
    const ClockMark *at = &d->lines->marks[i];
    const FreqMark mark = { at->ts_ns, at->count, at->line, true };
    FreqJob *job = (FreqJob *)at->job; /* of which it is the first member */
    if (job->first.ts_ns == mark.ts_ns && job->first.count == mark.count) job->first = mark;
    fits = see_reference(d, &mark);
  }
  d->kernel.line = d->lines->latest;
  return fits;
}

bool freq_device_see(FreqDevice *d, const MillBatch *batch, const MillEvent *e, int64_t count)
{
  FreqJob *job = jobs_of(&d->jobs, batch, e);
  if (!job) return false;
  FreqMark mark = { .ts_ns = e->ts_ns, .count = count, .known = true };
  bool was_anew = d->lines->is_anew;
  mark.line = clock_lines_see(d->lines, &job->clock, e->ts_ns, count);
  if (mark.line == UINT32_MAX) return false;
  if (!job->first.known) job->first = mark;
  if (!see_reference(d, &mark)) return false;
  return !d->lines->is_anew || was_anew || begin_anew(d);
}

void freq_device_see_kernel(FreqDevice *d, int64_t cycles, int64_t dur_ns)
{
  if (dur_ns <= 0 || cycles <= 0) return;
  double ratio = (double)d->lines->hz * (double)dur_ns / 1e9 / (double)cycles;
  d->n_kernels++;
  d->n_long += ratio > 800 && ratio < 1250;
  d->n_short += ratio > 0.0008 && ratio < 0.00125;
}

double freq_device_unit(const FreqDevice *d)
{
  if (d->n_kernels < KERNELS_ENOUGH) return 1;
  if (2 * d->n_long > d->n_kernels) return 0.001;
  return 2 * d->n_short > d->n_kernels ? 1000 : 1;
}

/* From the reference of its line to a job's first event. */
static void add_job(FreqDevice *d, int64_t hz, const FreqMark *job)
{
  FreqBasis one = { 0 };
  const FreqMark *reference = &d->references[job->line];
  int64_t span_ns, by = job->count - reference->count;
  if (!job->known || __builtin_sub_overflow(job->ts_ns, reference->ts_ns, &span_ns)) return;
  if (span_ns > -RATE_PAIR_MIN_NS && span_ns < RATE_PAIR_MIN_NS) return;
  if (!basis_add_span(&one, hz, by, span_ns)) return;
  basis_add(&d->bases[FREQ_BY_DRIFT], one.sum);
  RateWide cycles = rate_nearest(by, rate_cycles(hz, span_ns));
  if (cycles > INT64_MAX || cycles < INT64_MIN) return;
  RateWide drift_ns = (RateWide)span_ns - stamps_span_ns(d->lines->hz, (int64_t)cycles);
  if (drift_ns > INT64_MAX || drift_ns < -INT64_MAX) return;
  if (llabs((int64_t)drift_ns) > llabs(d->drift_ns)) d->drift_ns = (int64_t)drift_ns;
}

bool freq_device_end(FreqDevice *d, int64_t hz, uint64_t *out_left)
{
  d->estimate = rate_estimate(&d->lines->rate);
  if (rate_is_sure(&d->estimate)) hz = d->estimate.hz;
  for (size_t i = 0; i < d->gaps.n; i++)
    *out_left += !basis_add_span(&d->bases[FREQ_BY_INTERVAL], hz, d->gaps.items[i].cycles,
                                 d->gaps.items[i].span_ns);
  const KeyedEntry *const *jobs = keyed_sorted(d->jobs.states);
  for (uint32_t i = 0; jobs && i < keyed_count(d->jobs.states); i++)
    add_job(d, hz, &((const FreqJob *)jobs[i]->state)->first);
  return jobs != NULL;
}
