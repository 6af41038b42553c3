/* Why a device was idle: what the thread that launches the next work was doing.  See step-facts.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/step-facts.h"

#include "kit/numbers/interval.h"

/* What explains an instant, the first that holds. */
static const struct {
  MarkKind mark;
  Cause cause;
} explained[] = {
  { MARK_LOADER, CAUSE_LOADER },
  { MARK_ALLOCATION, CAUSE_ALLOCATION },
  { MARK_COLLECTION, CAUSE_COLLECTION },
  { MARK_COMPILE, CAUSE_COMPILE },
};

/* Of the outermost operator or annotation at that time, else the other name. */
static MillSym outer_name(const Facts *f, uint32_t track, int64_t ts_ns, MillSym other)
{
  const Mark *outer = host_marks_at(&f->marks, MARK_OUTER, track, ts_ns);
  return outer && outer->start_ns <= ts_ns ? outer->name : other;
}

static int64_t later(int64_t ts_ns, int64_t by_ns) { return interval_end(ts_ns, by_ns); }
static int64_t earlier(int64_t ts_ns, int64_t by_ns)
{
  return ts_ns < INT64_MIN + by_ns ? INT64_MIN : ts_ns - by_ns;
}

/* The call that waited for the device when the gap began; one that ends a step is passed by: what follows is the cause. */
static const Mark *sync_of(const Facts *f, const WorkInfo *next, int64_t from_ns)
{
  const Mark *sync =
      host_marks_at(&f->marks, MARK_SYNC, next->call_track, earlier(from_ns, f->sync_slack_ns) - 1);
  if (!sync || sync->start_ns > from_ns || next->call_ns < sync->start_ns) return NULL;
  const int64_t after_ns = earlier(sync->end_ns, f->sync_slack_ns);
  const int64_t first_ns = after_ns > sync->start_ns ? after_ns : sync->start_ns;
  return step_windows_begins(&f->windows, later(first_ns, 1), next->call_ns) ? NULL : sync;
}

static bool waits_for_stream(const Facts *f, const WorkInfo *next)
{
  enum { NEAR_NS = 100000 }; /* a call for the next work follows at once */
  const Mark *wait = host_marks_before(&f->marks, MARK_WAIT, next->call_track, next->call_ns);
  return wait && wait->end_ns >= earlier(next->call_ns, NEAR_NS);
}

static IdlePart rest_of(const Facts *f, const WorkInfo *next, int64_t from_ns)
{
  if (!next || !next->called) return (IdlePart){ .cause = CAUSE_UNKNOWN };
  const uint32_t track = next->call_track;
  const MillSym launching = outer_name(f, track, next->call_ns, next->name);
  const Mark *sync = sync_of(f, next, from_ns);
  if (sync)
    return (IdlePart){ .cause = CAUSE_SYNC,
                       .name = outer_name(f, track, sync->start_ns, sync->name) };
  if (next->call_end_ns > from_ns) return (IdlePart){ .cause = CAUSE_LAUNCH, .name = launching };
  return (IdlePart){ .cause = waits_for_stream(f, next) ? CAUSE_STREAM : CAUSE_UNKNOWN,
                     .name = launching };
}

Gap gap_explain(const Facts *f, const SweepPiece *idle)
{
  const WorkInfo *next = idle->next ? &f->infos[idle->next->data] : NULL;
  return (Gap){ .facts = f,
                .next = next,
                .now_ns = idle->from_ns,
                .to_ns = idle->to_ns,
                .rest = rest_of(f, next, idle->from_ns) };
}

bool gap_next(Gap *g, IdlePart *out)
{
  if (g->now_ns >= g->to_ns) return false;
  *out = g->rest;
  out->from_ns = g->now_ns;
  out->to_ns = g->to_ns;
  for (uint32_t i = 0; i < MILL_COUNT(explained) && g->next && g->next->called; i++) {
    const uint32_t track = g->next->call_track;
    const Mark *mark = host_marks_at(&g->facts->marks, explained[i].mark, track, g->now_ns);
    if (!mark) continue;
    if (mark->start_ns > g->now_ns) {
      if (mark->start_ns < out->to_ns) out->to_ns = mark->start_ns;
      continue;
    }
    if (mark->end_ns < out->to_ns) out->to_ns = mark->end_ns;
    out->cause = explained[i].cause;
    out->name = outer_name(g->facts, track, mark->start_ns, mark->name);
    break;
  }
  g->now_ns = out->to_ns;
  return true;
}
