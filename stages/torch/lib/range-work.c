/* Device work by the ranges in which it was launched; see range-work.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/range-work.h"

#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"

void range_work_open(RangeWork *w, const MillHost *common)
{
  *w = (RangeWork){ .common = common };
  pairmap_open(&w->by_correlation, common);
}

/* The innermost range on the track that goes on at that time. */
static uint32_t open_at(const RangeWork *w, uint32_t inner, int64_t at_ns)
{
  while (inner && w->nodes[inner - 1].end_ns <= at_ns) inner = w->nodes[inner - 1].outer;
  return inner;
}

bool range_work_range(RangeWork *w, const MillEvent *e, uint32_t name)
{
  if (!array_reserve_at(w->common, &w->tops, &w->tops_capacity, e->track, sizeof *w->tops) ||
      !array_reserve(w->common, &w->nodes, &w->nodes_capacity, w->n_nodes + 1, sizeof *w->nodes))
    return false;
  uint32_t *top = &w->tops[e->track];
  w->nodes[w->n_nodes++] = (RangeNode){ .name = name,
                                        .outer = open_at(w, *top, e->ts_ns),
                                        .end_ns = interval_end(e->ts_ns, e->dur_ns),
                                        .first_ns = INT64_MAX,
                                        .last_ns = INT64_MIN };
  *top = (uint32_t)w->n_nodes;
  return true;
}

bool range_work_call(RangeWork *w, const MillEvent *e, int64_t correlation)
{
  uint32_t inner = e->track < w->tops_capacity ? open_at(w, w->tops[e->track], e->ts_ns) : 0;
  if (!inner) return true;
  if (!array_reserve(w->common, &w->calls, &w->calls_capacity, w->n_calls + 1, sizeof *w->calls))
    return false;
  uint64_t *known = pairmap_at(&w->by_correlation, 0, (uint64_t)correlation);
  if (!known) return false;
  w->calls[w->n_calls++] = (RangeCall){ inner, e->ts_ns };
  *known = w->n_calls;
  return true;
}

static void add_work(RangeNode *n, const MillEvent *e, bool innermost)
{
  n->device_ns = add_clipped(n->device_ns, e->dur_ns);
  if (innermost) n->exclusive_ns = add_clipped(n->exclusive_ns, e->dur_ns);
  if (e->ts_ns < n->first_ns) n->first_ns = e->ts_ns;
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  if (end_ns > n->last_ns) n->last_ns = end_ns;
}

void range_work_device(RangeWork *w, const MillEvent *e, int64_t correlation)
{
  uint64_t found = pairmap_get(&w->by_correlation, 0, (uint64_t)correlation);
  if (!found) return;
  const RangeCall *call = &w->calls[found - 1];
  bool innermost = true;
  for (uint32_t i = open_at(w, call->inner, call->start_ns); i;
       i = open_at(w, w->nodes[i - 1].outer, call->start_ns)) {
    add_work(&w->nodes[i - 1], e, innermost);
    innermost = false;
  }
}
