/* The outcome of a lane; see outcome.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/outcome.h"

LaneOutcome *outcome_new(uint32_t n_stages)
{
  LaneOutcome *o = g_malloc0(sizeof *o + n_stages * sizeof *o->stages);
  o->n_stages = n_stages;
  return o;
}

void outcome_free(LaneOutcome *o)
{
  for (uint32_t s = 0; o && s < o->n_stages; s++) {
    StageOutcome *stage = &o->stages[s];
    summary_clear(&stage->result);
    reported_free(stage->reported);
    if (stage->opened) notices_clear(&stage->notices);
  }
  g_free(o);
}

void outcome_take(StageOutcome *o, Instance *i)
{
  o->opened = true;
  o->reported = g_steal_pointer(&i->reported);
  reported_trim(o->reported);
  o->notices = i->notices;
  i->notices = (Notices){ .descriptor = i->descriptor };
  o->counters = i->counters;
}
