/* Moving events by a line, or to where their stamps belong; see rank-sync-move.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-move.h"

static int64_t moved(const SyncMove *move, SyncWide ts_ns)
{
  return sync_clip(ts_ns - sync_offset_at(&move->line, sync_clip(ts_ns + move->base_ns)));
}

/* A clock that runs fast is compressed, which can put two times on one
 * nanosecond; times that differed go on to differ, so the lane's order holds. */
static int64_t moved_start(SyncMove *move, int64_t ts_ns)
{
  int64_t to_ns = moved(move, ts_ns);
  if (move->has_last && ts_ns == move->last_ts_ns) return move->last_moved_ns;
  if (move->has_last && ts_ns > move->last_ts_ns && to_ns <= move->last_moved_ns)
    to_ns = move->last_moved_ns < INT64_MAX ? move->last_moved_ns + 1 : INT64_MAX;
  move->has_last = true;
  move->last_ts_ns = ts_ns;
  move->last_moved_ns = to_ns;
  return to_ns;
}

void sync_move(SyncMove *move, MillEvent *e)
{
  int64_t ts_ns = e->ts_ns;
  int64_t to_ns = moved_start(move, ts_ns);
  mill_set_ts(e, to_ns);
  if (move->line.drift == 0 || e->dur_ns <= 0) return;
  int64_t end_ns = moved(move, (SyncWide)ts_ns + e->dur_ns);
  int64_t dur_ns = end_ns > to_ns ? end_ns - to_ns : 0;
  if (dur_ns != e->dur_ns) mill_set_dur(e, dur_ns);
}

/* When the counter shows these cycles, on the common clock. */
static SyncWide time_of(const SyncMove *move, int64_t cycles)
{
  const SyncPlace *place = &move->place;
  SyncWide span_ns = stamps_span_ns(move->hz, sync_clip((SyncWide)cycles - place->cycles));
  return place->at_ns + span_ns * place->num / place->den;
}

bool sync_move_device(const SyncMove *move, const Stamps *stamps, MillEvent *e)
{
  uint32_t first = stamps_first(stamps->part);
  if (!stamps->has[4] || (move->method == SYNC_TIGHT && !stamps->has[first])) return false;
  SyncWide ts_ns = move->method == SYNC_TIGHT
                       ? time_of(move, stamps->cycles[first])
                       : time_of(move, stamps->cycles[4]) - (e->dur_ns > 0 ? e->dur_ns : 0);
  mill_set_ts(e, sync_clip(ts_ns - move->base_ns));
  return true;
}
