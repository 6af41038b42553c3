/* Counters that a stage makes: one value, on the row of a rank, which has no thread. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_COUNTER_H
#define KIT_COUNTER_H

#include <stagemill/stage.h>

typedef struct Counter {
  int64_t ts_ns;
  MillSym name, cat, key; /* the value is an attribute of that key */
  uint32_t track;
  double value;
} Counter;

/* The row of the lane's rank, else of the event's process; MILL_FAILED: memory was refused. */
static inline uint32_t counter_track(const MillStageHost *host, const MillEvent *e)
{
  MillLane lane = { .size = sizeof lane, .rank = -1 };
  MillTrack track = { .size = sizeof track };
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  if (lane.rank >= 0) return host->track(host, mill_int(lane.rank), mill_none());
  host->common->track_info(host->common, e->track, &track);
  return host->track(host, track.process, mill_none());
}

/* Its index, or MILL_FAILED. */
static inline uint32_t counter_emit(const MillStageHost *host, MillBatch *batch, uint32_t after,
                                    const Counter *c)
{
  const MillEvent e = { .ts_ns = c->ts_ns,
                        .dur_ns = -1,
                        .name = c->name,
                        .cat = c->cat,
                        .track = c->track,
                        .kind = MILL_COUNTER };
  uint32_t index = host->emit(host, batch, after, &e);
  if (index == MILL_FAILED || host->set(host, batch, index, c->key, mill_real(c->value)) < 0)
    return MILL_FAILED;
  return index;
}

#endif
