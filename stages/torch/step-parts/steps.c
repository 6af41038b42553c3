/* Rows of steps; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"
#include "rows.h"

#include "kit/numbers/clip.h"

/* Means of several devices are rounded so that the parts of a step add up to it. */
static int report_step(const Facts *f, const LaneFacts *lane, const LaneStep *step)
{
  __int128 sum_ns = 0;
  int64_t reported_ns = 0;
  int status = 0;
  for (int i = 0; i < N_CAUSES && status == 0; i++) {
    if (step->sums_ns[i] == 0) continue;
    sum_ns += step->sums_ns[i];
    const int64_t until_ns = (int64_t)(sum_ns / lane->devices);
    const PartRow row = { .rank = lane->rank,
                          .step = step->number,
                          .is_warmup = step->is_warmup,
                          .part = part_names[cause_part((Cause)i)],
                          .cause = cause_names[i],
                          .time_ns = until_ns - reported_ns };
    reported_ns = until_ns;
    status = mill_row(f->host, TABLE_PARTS, &row);
  }
  return status;
}

/* NULL: it is judged. */
static const char *why_not_judged(const StepParts *p, const LaneFacts *lane)
{
  if (p->n_groups && *p->n_groups != 1) return "several runs";
  if (lane->has_frames) return "frames of Python slow the host";
  return lane->has_steps && lane->n_steps < STEPS_JUDGED ? "fewer than five steps" : NULL;
}

static int report_span(const StepParts *p, const LaneFacts *lane, const LaneStep *steps)
{
  const char *why_not = why_not_judged(p, lane);
  SpanRow row = { .rank = lane->rank, .is_judged = !why_not, .why_not = why_not };
  for (uint64_t i = 0; i < lane->n_steps; i++) {
    row.steps += !steps[i].is_warmup;
    row.warmup += steps[i].is_warmup;
    if (!steps[i].is_warmup) row.span_ns = add_clipped(row.span_ns, steps[i].span_ns);
  }
  return mill_row(p->host, TABLE_SPANS, &row);
}

static int report_copy(const Facts *f, const LaneFacts *lane, const LaneStep *steps,
                       const CopyTime *copy)
{
  const LaneStep *step = &steps[copy->step];
  const CopyRow row = { .rank = lane->rank,
                        .step = step->number,
                        .is_warmup = step->is_warmup,
                        .copy = copy->name,
                        .exposed_ns = copy->exposed_ns / lane->devices,
                        .sync_ns = copy->sync_ns / lane->devices };
  return mill_row(f->host, TABLE_COPIES, &row);
}

int steps_report(const StepParts *p)
{
  const Facts *f = &p->facts;
  const LaneStep *steps = f->steps;
  const CopyTime *copy = f->copies;
  int status = 0;
  for (size_t i = 0; i < f->n_lanes && status == 0; i++) {
    const LaneFacts *lane = &f->lanes[i];
    for (uint64_t k = 0; k < lane->n_steps && status == 0; k++)
      status = report_step(f, lane, &steps[k]);
    if (status == 0 && lane->n_steps) status = report_span(p, lane, steps);
    for (uint64_t k = 0; k < lane->n_copies && status == 0; k++)
      status = report_copy(f, lane, steps, copy++);
    steps += lane->n_steps;
  }
  return status;
}
