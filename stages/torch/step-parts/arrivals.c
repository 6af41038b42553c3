/* Rows of collectives: who came late, and where steps wait for them. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"
#include "rows.h"

static int report_collective(const Waits *w, const Collective *c)
{
  const Facts *f = w->facts;
  int64_t longest_ns = 0, last = -1;
  int status = 0;
  for (size_t i = 0; i < c->n; i++) {
    const Call *call = &c->calls[i];
    if (call->dur_ns > longest_ns) longest_ns = call->dur_ns;
    if (last < 0 && call->dur_ns == c->latency_ns) last = call->rank;
  }
  for (size_t i = 0; i < c->n && status == 0; i++) {
    const Call *call = &c->calls[i];
    const LaneStep *step = w->steps[call->index];
    const ArrivalRow row = { .group = call->group,
                             .ranks = call->ranks,
                             .number = call->number,
                             .name = call->name,
                             .step = step ? step->number : MILL_NO_INT,
                             .is_warmup = step ? step->is_warmup : -1,
                             .rank = call->rank,
                             .late_ns = longest_ns - call->dur_ns,
                             .last = last };
    status = mill_row(f->host, TABLE_ARRIVALS, &row);
  }
  return status;
}

static int report_sums(const Waits *w)
{
  const Facts *f = w->facts;
  const KeyedEntry *const *entries = keyed_sorted(w->sums);
  int status = entries ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(w->sums); i++) {
    const CollectiveSum *sum = entries[i]->state;
    const LaneFacts *lane = &f->lanes[sum->lane];
    const LaneStep *step = &w->lane_steps[sum->lane][sum->step];
    const StepCollectiveRow row = { .rank = lane->rank,
                                    .step = step->number,
                                    .is_warmup = step->is_warmup,
                                    .collective = sum->name,
                                    .wait_ns = sum->wait_ns / lane->devices,
                                    .transfer_ns = sum->transfer_ns / lane->devices,
                                    .unsplit_ns = sum->unsplit_ns / lane->devices };
    status = mill_row(f->host, TABLE_COLLECTIVES, &row);
  }
  return status;
}

int arrivals_report(StepParts *p)
{
  Waits w = { .facts = &p->facts, .see = report_collective };
  const int status = waits_divide(&w);
  return status ? status : report_sums(&w);
}
