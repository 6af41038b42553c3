/* How much is open over time; see level.h. */
/* SPDX-License-Identifier: MIT */
#include "compute/lib/level.h"

#include "base/heap.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"

static bool ends_before(const LevelEnd *a, const LevelEnd *b) { return a->end_ns < b->end_ns; }

HEAP(ends, LevelEnd, ends_before)

static void close_first(Level *l)
{
  l->sum -= l->open[0].weight;
  l->open[0] = l->open[--l->n];
  ends_sink(l->open, l->n, 0);
}

/* The next time at which the level steps. */
static bool next_step(const Level *l, int64_t *out_ns)
{
  if (!l->begun && l->n == 0) return false;
  *out_ns = l->begun ? l->begin_ns : l->open[0].end_ns;
  if (l->n > 0 && l->open[0].end_ns < *out_ns) *out_ns = l->open[0].end_ns;
  return true;
}

static MillValue value_of(const Level *l)
{
  if (l->per > 0) {
    double value = (double)l->sum / l->per;
    return mill_real(l->most > 0 && value > l->most ? l->beyond : value);
  }
  return mill_int(l->sum > INT64_MAX ? INT64_MAX : (int64_t)l->sum);
}

static int make_sample(Level *l, MillBatch *batch, uint32_t after, int64_t ts_ns)
{
  const MillEvent sample = { .ts_ns = ts_ns,
                             .dur_ns = -1,
                             .name = l->name,
                             .cat = l->cat,
                             .track = l->track,
                             .kind = MILL_COUNTER };
  while (l->n > 0 && l->open[0].end_ns == ts_ns) close_first(l);
  if (l->begun && l->begin_ns == ts_ns) l->begun = false;
  uint32_t index = l->host->emit(l->host, batch, after, &sample);
  if (index == MILL_FAILED) return -MILL_LIMIT;
  return l->host->set(l->host, batch, index, l->key, value_of(l));
}

int level_reach_time(Level *l, MillBatch *batch, uint32_t after, int64_t until_ns)
{
  int64_t step_ns;
  int status = 0;
  while (status >= 0 && next_step(l, &step_ns) && step_ns < until_ns)
    status = make_sample(l, batch, after, step_ns);
  return status;
}

int level_reach(Level *l, MillBatch *batch, uint32_t index)
{
  return level_reach_time(l, batch, index > 0 ? index - 1 : MILL_AT_START,
                          batch->events[index].ts_ns);
}

int level_finish(Level *l, MillBatch *batch)
{
  int64_t step_ns;
  int status = 0;
  while (status >= 0 && next_step(l, &step_ns))
    status = make_sample(l, batch, MILL_AT_END, step_ns);
  return status;
}

static bool find_track(Level *l, const MillEvent *e)
{
  MillTrack track = { .size = sizeof track };
  l->host->common->track_info(l->host->common, e->track, &track);
  l->track = l->host->track(l->host, track.process, mill_none());
  l->has_track = l->track != MILL_FAILED;
  return l->has_track;
}

int level_open(Level *l, const MillEvent *e, int64_t weight)
{
  if (!l->has_track && !find_track(l, e)) return -MILL_LIMIT;
  if (!array_reserve(l->host->common, &l->open, &l->capacity, l->n + 1, sizeof *l->open))
    return -MILL_LIMIT;
  l->open[l->n] = (LevelEnd){ interval_end(e->ts_ns, e->dur_ns), weight };
  ends_rise(l->open, l->n++);
  l->sum += weight;
  l->begun = true;
  l->begin_ns = e->ts_ns;
  return 0;
}
