/* Cuts a lane by ranks, time and count.  In that order: only what lies in the window is
 * counted.  Metadata is never counted and always passes, except in a lane whose rank was not
 * chosen, of which nothing is left.
 *
 * Time: an event passes if any part of it lies in [from, to], ends included; it is not
 * shortened. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "clean/lib/ranges.h"
#include "kit/state/state.h"

enum { NOTICE_EMPTY = 1, NOTICE_NO_RANK = 3, NOTICE_NO_LANE = 4 };
enum { ORIGIN_TRACE, ORIGIN_FIRST };

typedef struct Options {
  int64_t from_ns, to_ns, origin;
  MillList ranks;
  int64_t skip_events, max_events;
} Options;

typedef struct Limit {
  const MillStageHost *host;
  const MillHost *common;
  int64_t from_ns, to_ns; /* INT64_MIN and INT64_MAX: open */
  bool relative, has_origin;
  Ranges ranks;
  bool rank_known, rank_chosen;
  int64_t skip, max, counted; /* max -1: no limit */
  uint64_t n_seen_events, n_passed;
  int64_t first_ns, last_ns;                  /* of all timed events, for the notice */
  int64_t lowest_rank, highest_rank, n_lanes; /* on the run level: of lanes that were not chosen */
  bool any_chosen;
} Limit;

/* ---- open and close */

static int limit_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  const Options *o = options;
  Limit *l = instance_new(Limit, host, out_instance);
  if (!l) return -MILL_LIMIT;
  l->lowest_rank = INT64_MAX;
  l->highest_rank = INT64_MIN;
  l->from_ns = o->from_ns > 0 ? o->from_ns : INT64_MIN;
  l->to_ns = o->to_ns > 0 ? o->to_ns : INT64_MAX;
  l->relative = o->origin == ORIGIN_FIRST && (o->from_ns > 0 || o->to_ns > 0);
  l->skip = o->skip_events;
  l->max = o->max_events;
  if (o->to_ns > 0 && o->to_ns < o->from_ns)
    return mill_fail(common, MILL_STAGE_FAILED, "the window ends before it begins",
                     "give a `to` that is not before `from`");
  return ranges_read(common, &o->ranks, &l->ranks);
}

/* ---- the windows */

static bool has_time(const MillEvent *e) { return !(e->flags & MILL_FLAG_NO_TS); }

static int64_t end_of(const MillEvent *e)
{
  return interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0);
}

/* Only now: the rank of an input may come after its first events. */
static bool lane_is_chosen(Limit *l)
{
  if (l->rank_known || l->ranks.n == 0) return l->rank_known ? l->rank_chosen : true;
  MillLane lane = { .size = sizeof lane };
  l->common->lane(l->common, MILL_NO_LANE, &lane);
  l->rank_chosen = lane.rank >= 0 && ranges_have(&l->ranks, lane.rank);
  l->rank_known = true;
  if (lane.rank < 0) l->common->note(l->common, NOTICE_NO_RANK, NULL, MILL_NO_EVENT, NULL, 0);
  return l->rank_chosen;
}

static void fix_origin(Limit *l, int64_t first_ns)
{
  if (!l->relative || l->has_origin) return;
  if (l->from_ns != INT64_MIN) l->from_ns = interval_end(first_ns, l->from_ns);
  if (l->to_ns != INT64_MAX) l->to_ns = interval_end(first_ns, l->to_ns);
  l->has_origin = true;
}

static void widen_span(Limit *l, const MillEvent *e)
{
  if (l->n_seen_events++ == 0 || e->ts_ns < l->first_ns) l->first_ns = e->ts_ns;
  if (l->n_seen_events == 1 || end_of(e) > l->last_ns) l->last_ns = end_of(e);
}

static bool in_time(Limit *l, const MillEvent *e)
{
  bool open = l->from_ns == INT64_MIN && l->to_ns == INT64_MAX;
  if (!has_time(e)) return open || e->kind == MILL_RECORD;
  widen_span(l, e);
  fix_origin(l, e->ts_ns);
  return end_of(e) >= l->from_ns && e->ts_ns <= l->to_ns;
}

/* Counts an event that lies in all windows; true if it is among those to be left. */
static bool count_in(Limit *l)
{
  int64_t index = l->counted++;
  bool passes = index >= l->skip && (l->max < 0 || index - l->skip < l->max);
  l->n_passed += passes;
  return passes;
}

/* ---- the calls */

static int limit_process(void *instance, MillBatch *b)
{
  Limit *l = instance;
  if (!lane_is_chosen(l)) {
    for (uint32_t i = 0; i < b->n_events; i++) mill_drop(&mill_events(b)[i]);
    return 0;
  }
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &mill_events(b)[i];
    if (e->kind == MILL_META) continue;
    if (!in_time(l, e) || !count_in(l)) mill_drop(e);
  }
  return 0;
}

static int limit_flush(void *instance, MillBatch *b)
{
  Limit *l = instance;
  (void)b;
  if (l->n_passed || !l->n_seen_events || l->max == 0) return 0;
  const MillNamed span[] = { { "first_ns", mill_int(l->first_ns) },
                             { "last_ns", mill_int(l->last_ns) } };
  l->common->note(l->common, NOTICE_EMPTY, NULL, MILL_NO_EVENT, span, MILL_COUNT(span));
  return 0;
}

/* ---- ranks that no lane has: only the run level sees all lanes */

static const StateField limit_fields[] = {
  STATE_MOST(Limit, any_chosen),
  STATE_SUM(Limit, n_lanes),
  STATE_LEAST(Limit, lowest_rank),
  STATE_MOST(Limit, highest_rank),
};
static const StateType limit_state = STATE_TYPE(Limit, limit_fields);

static int limit_save_result(void *instance)
{
  Limit *l = instance;
  MillLane lane = { .size = sizeof lane };
  l->common->lane(l->common, MILL_NO_LANE, &lane);
  l->any_chosen = l->ranks.n == 0 || ranges_have(&l->ranks, lane.rank);
  l->n_lanes = 1;
  l->lowest_rank = l->highest_rank = lane.rank;
  state_save(l->host, &limit_state, l);
  return 0;
}

static int limit_merge_result(void *run_instance)
{
  Limit *l = run_instance;
  return state_merge(l->host, &limit_state, l) ? 0 : -MILL_LIMIT;
}

static int limit_report_run(void *run_instance)
{
  Limit *l = run_instance;
  if (l->any_chosen || l->n_lanes == 0 || l->lowest_rank < 0)
    return 0; /* lanes without rank say so */
  const MillNamed ranks[] = { { "lowest", mill_int(l->lowest_rank) },
                              { "highest", mill_int(l->highest_rank) } };
  l->common->note(l->common, NOTICE_NO_LANE, NULL, MILL_NO_EVENT, ranks, MILL_COUNT(ranks));
  return 0;
}

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, from_ns, "from", "0", "0:", "Start of the window; 0: open"),
  MILL_DURATION_OPTION(Options, to_ns, "to", "0", "0:", "End of the window; 0: open"),
  MILL_CHOICE_OPTION(
      Options, origin, "origin", "trace", "trace|first",
      "Zero of from and to: the zero of the trace's times, or the input's first event"),
  MILL_OPTION(Options, ranks, MillList, MILL_OPT_LIST, 0, "ranks", "", "0:", NULL,
              "Ranks to keep: 0-7,12"),
  MILL_INT_OPTION(Options, skip_events, "skip-events", "0", "0:", NULL,
                  "How many events to leave out at the start of each input"),
  MILL_INT_OPTION(Options, max_events, "max-events", "-1", "-1:", NULL,
                  "Keep at most this many of each input; -1: all"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_EMPTY, "no event of {lane} is left",
               "its events run from {first_ns} ns to {last_ns} ns of the trace's time",
               "with origin=first, from and to count from the first event",
               "Every event is outside the window, or was skipped. By default from and to are "
               "times of the trace itself, which often count from the start of the machine or from "
               "1970."),
  MILL_WARNING(NOTICE_NO_RANK, "{lane} has no rank, and the option ranks chooses ranks",
               "all its events were dropped", "name the ranks with --rank-regex",
               "An input without a rank cannot be one of the chosen ranks."),
  MILL_WARNING(NOTICE_NO_LANE, "no input has one of the chosen ranks", "nothing is left",
               "the inputs have ranks from {lowest} to {highest}",
               "The option ranks names ranks to keep.  A rank is in the metadata of an input, or "
               "in its name: stagemill info shows it."),
};

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = limit_open,
                                  .process = limit_process,
                                  .flush = limit_flush,
                                  .save_result = limit_save_result,
                                  .merge_result = limit_merge_result,
                                  .report_run = limit_report_run };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "limit",
  .family = "clean",
  .version = "1.0.0",
  .tag = "LIM",
  .title = "Cut by time, ranks and count",
  .help = "Keeps events in the time window, drops the first skip-events of them, and keeps at most "
          "max-events. Metadata is kept and does not count.",
  OWN_ROWS(options, notices),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
