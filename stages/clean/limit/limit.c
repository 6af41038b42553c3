/* Cuts a lane by time, steps, ranks and count.  In that order: only what lies in the window is
 * counted.  Metadata is never counted and always passes, except in a lane whose rank was not
 * chosen, of which nothing is left.
 *
 * Time: an event passes if any part of it lies in [from, to], ends included; it is not
 * shortened.  Steps: the window of a range of steps runs from the start of its first to the end
 * of its last step, as given by the first slice of each name ProfilerStep#N in the file.  Events
 * that come before these slices are held until all steps asked for were seen, and released in
 * order; steps that do not exist make that the end of the lane. */
#include <stagemill/stage.h>
#include <stdlib.h>

#include "base/num-digits.h"
#include "lib/interval.h"
#include "lib/grow.h"
#include "lib/symclass.h"

enum { NOTICE_EMPTY = 1, NOTICE_NO_STEPS = 2, NOTICE_NO_RANK = 3, NOTICE_NO_LANE = 4 };
enum { ORIGIN_TRACE, ORIGIN_FIRST };
enum { NO_STEP = 1, STEP = 2 }; /* classes of symbols */

typedef struct Options {
  int64_t from_ns, to_ns, origin;
  MillList steps, ranks;
  int64_t skip_events, max_events;
} Options;

typedef struct Range {
  int64_t first, last;
} Range;

typedef struct Ranges {
  Range *items;
  uint32_t n;
} Ranges;

typedef struct Held {
  uint64_t kept;
  int64_t ts_ns, end_ns;
  bool untimed, meta;
} Held;

typedef struct Limit {
  const MillStageHost *host;
  const MillHost *common;
  int64_t from_ns, to_ns; /* INT64_MIN and INT64_MAX: open */
  bool relative, has_origin;
  Ranges steps, ranks;
  Range *windows; /* of steps: times; one per range; first > last: none seen yet */
  int64_t *seen;  /* steps, ascending */
  uint32_t n_seen;
  size_t max_seen;
  int64_t n_wanted; /* steps in all ranges */
  SymClass names;
  bool rank_known, rank_chosen;
  Held *held; /* from n_released on */
  size_t n_held, max_held, n_released;
  int64_t skip, max, counted; /* max -1: no limit */
  uint64_t n_seen_events, n_passed;
  int64_t first_ns, last_ns;                  /* of all timed events, for the notice */
  int64_t lowest_rank, highest_rank, n_lanes; /* on the run level: of lanes that were not chosen */
  bool any_chosen;
} Limit;

/* ---- options */

static bool read_number(const char **io_text, int64_t *out)
{
  uint64_t v;
  const char *p = *io_text, *after = digits_scan(p, p + strlen(p), 10, INT64_MAX, &v);
  if (!after || after == p) return false;
  *io_text = after;
  *out = (int64_t)v;
  return true;
}

static bool read_range(const char *text, Range *out)
{
  if (!read_number(&text, &out->first)) return false;
  out->last = out->first;
  if (*text == '-') {
    text++;
    if (!read_number(&text, &out->last)) return false;
  }
  return *text == 0 && out->first <= out->last;
}

static int compare_ranges(const void *a, const void *b)
{
  int64_t x = ((const Range *)a)->first, y = ((const Range *)b)->first;
  return (x > y) - (x < y);
}

/* Sorted, and apart: overlapping ranges become one. */
static int read_ranges(const MillHost *common, const MillList *list, Ranges *out)
{
  out->items = mill_new(common, (list->n + (size_t)1) * sizeof(Range));
  if (!out->items) return -MILL_LIMIT;
  for (uint32_t i = 0; i < list->n; i++)
    if (!read_range(list->items[i], &out->items[i]))
      return mill_fail(common, MILL_STAGE_FAILED,
                       "steps and ranks are numbers and ranges of numbers", "for example 0-7,12");
  qsort(out->items, list->n, sizeof(Range), compare_ranges);
  for (uint32_t i = 0; i < list->n; i++) {
    Range *last = out->n ? &out->items[out->n - 1] : NULL;
    if (!last || out->items[i].first > last->last)
      out->items[out->n++] = out->items[i];
    else if (out->items[i].last > last->last)
      last->last = out->items[i].last;
  }
  return 0;
}

static const Range *find_range(const Ranges *ranges, int64_t number, uint32_t *out_index)
{
  for (uint32_t i = 0; i < ranges->n; i++) {
    if (number < ranges->items[i].first || number > ranges->items[i].last) continue;
    if (out_index) *out_index = i;
    return &ranges->items[i];
  }
  return NULL;
}

/* ---- open and close */

static void limit_close(void *instance)
{
  Limit *l = instance;
  for (size_t i = l->n_released; i < l->n_held; i++) l->host->drop_kept(l->host, l->held[i].kept);
}

static int limit_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  const Options *o = options;
  Limit *l = mill_new(common, sizeof *l);
  if (!l) return -MILL_LIMIT;
  l->host = host;
  l->common = common;
  l->from_ns = o->from_ns > 0 ? o->from_ns : INT64_MIN;
  l->to_ns = o->to_ns > 0 ? o->to_ns : INT64_MAX;
  l->relative = o->origin == ORIGIN_FIRST && (o->from_ns > 0 || o->to_ns > 0);
  l->skip = o->skip_events;
  l->max = o->max_events;
  *out_instance = l;
  if (o->to_ns > 0 && o->to_ns < o->from_ns)
    return mill_fail(common, MILL_STAGE_FAILED, "the window ends before it begins",
                     "give a `to` that is not below `from`");
  int status = read_ranges(common, &o->steps, &l->steps);
  if (status == 0) status = read_ranges(common, &o->ranks, &l->ranks);
  if (status < 0) return status;
  l->windows = mill_new(common, (l->steps.n + (size_t)1) * sizeof(Range));
  if (!l->windows) return -MILL_LIMIT;
  for (uint32_t i = 0; i < l->steps.n; i++) {
    const Range *r = &l->steps.items[i];
    l->windows[i] = (Range){ INT64_MAX, INT64_MIN };
    if (__builtin_add_overflow(l->n_wanted, r->last - r->first + 1, &l->n_wanted))
      l->n_wanted = INT64_MAX;
  }
  return 0;
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
  l->rank_chosen = lane.rank >= 0 && find_range(&l->ranks, lane.rank, NULL);
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

static Held facts_of(const MillEvent *e)
{
  return (Held){
    .ts_ns = e->ts_ns, .end_ns = end_of(e), .untimed = !has_time(e), .meta = e->kind == MILL_META
  };
}

static bool in_steps(const Limit *l, const Held *h)
{
  if (h->untimed) return true;
  for (uint32_t i = 0; i < l->steps.n; i++) {
    const Range *w = &l->windows[i];
    if (h->ts_ns < w->last && (h->end_ns > w->first || h->ts_ns == w->first)) return true;
  }
  return false;
}

/* Counts an event that lies in all windows; true if it is among those to be left. */
static bool count_in(Limit *l)
{
  int64_t index = l->counted++;
  bool passes = index >= l->skip && (l->max < 0 || index - l->skip < l->max);
  l->n_passed += passes;
  return passes;
}

/* ---- steps */

static bool is_complete(const Limit *l) { return l->n_seen >= l->n_wanted; }

/* The number of a step's slice, or -1. */
static int64_t step_of(Limit *l, MillSym name)
{
  static const char prefix[] = "ProfilerStep#";
  uint8_t known = symclass_get(&l->names, name);
  if (known == NO_STEP) return -1;
  size_t len;
  int64_t number = 0;
  const char *text = l->common->symbol_text(l->common, name, &len);
  const char *digits = text + sizeof prefix - 1;
  bool is_step = len >= sizeof prefix && memcmp(text, prefix, sizeof prefix - 1) == 0 &&
                 read_number(&digits, &number) && *digits == 0;
  symclass_put(l->common, &l->names, name, is_step ? STEP : NO_STEP);
  return is_step ? number : -1;
}

static int remember_step(Limit *l, int64_t step, uint32_t index)
{
  if (!array_reserve(l->common, &l->seen, &l->max_seen, l->n_seen + 1, sizeof *l->seen))
    return -MILL_LIMIT;
  memmove(&l->seen[index + 1], &l->seen[index], (l->n_seen - index) * sizeof *l->seen);
  l->seen[index] = step;
  l->n_seen++;
  return 0;
}

static int note_step(Limit *l, const MillEvent *e)
{
  uint32_t index, low = 0, high = l->n_seen;
  int64_t step = e->kind == MILL_SLICE && has_time(e) ? step_of(l, e->name) : -1;
  if (step < 0 || !find_range(&l->steps, step, &index)) return 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (l->seen[middle] < step)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < l->n_seen && l->seen[low] == step) return 0;
  Range *w = &l->windows[index];
  if (e->ts_ns < w->first) w->first = e->ts_ns;
  if (end_of(e) > w->last) w->last = end_of(e);
  return remember_step(l, step, low);
}

/* ---- holding */

static bool reserve(Limit *l)
{
  if (l->n_released > l->max_held / 2) {
    memmove(l->held, l->held + l->n_released, (l->n_held - l->n_released) * sizeof *l->held);
    l->n_held -= l->n_released;
    l->n_released = 0;
  }
  return array_reserve(l->common, &l->held, &l->max_held, l->n_held + 1, sizeof *l->held);
}

static int hold(Limit *l, MillBatch *b, uint32_t i)
{
  MillEvent *e = &b->events[i];
  uint64_t kept = reserve(l) ? l->host->keep(l->host, b, i) : 0;
  if (!kept)
    return mill_fail(l->common, MILL_LIMIT,
                     "the events before the last of the steps asked for do not fit into memory",
                     "raise --max-memory, or cut by time (from, to) instead of steps");
  l->held[l->n_held] = facts_of(e);
  l->held[l->n_held++].kept = kept;
  mill_drop(e);
  return 0;
}

static bool passes_steps(Limit *l, const Held *h)
{
  return h->meta || (in_steps(l, h) && count_in(l));
}

/* At most `max` of them, oldest first: a batch must not grow without bound. */
static int release(Limit *l, MillBatch *b, size_t max)
{
  for (; max > 0 && l->n_released < l->n_held; max--) {
    const Held *h = &l->held[l->n_released++];
    if (!passes_steps(l, h))
      l->host->drop_kept(l->host, h->kept);
    else if (l->host->emit_kept(l->host, b, MILL_AT_END, h->kept) == MILL_FAILED)
      return -MILL_LIMIT;
  }
  return 0;
}

/* ---- the calls */

/* While anything is held, all that passes the time window is, metadata too: so the order stays. */
static int process_steps(Limit *l, MillBatch *b)
{
  bool holding = !is_complete(l) || l->n_released < l->n_held;
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &b->events[i];
    Held facts = facts_of(e);
    bool inside = facts.meta || in_time(l, e);
    int status = note_step(l, e);
    if (status == 0 && inside && holding) status = hold(l, b, i);
    if (status < 0) return status;
    if (!inside || (!holding && !passes_steps(l, &facts))) mill_drop(e);
  }
  return is_complete(l) ? release(l, b, (size_t)b->n_events * 4) : 0;
}

static int limit_process(void *instance, MillBatch *b)
{
  Limit *l = instance;
  if (!lane_is_chosen(l)) {
    for (uint32_t i = 0; i < b->n_events; i++) mill_drop(&b->events[i]);
    return 0;
  }
  if (l->steps.n) return process_steps(l, b);
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &b->events[i];
    if (e->kind == MILL_META) continue;
    if (!in_time(l, e) || !count_in(l)) mill_drop(e);
  }
  return 0;
}

static int limit_flush(void *instance, MillBatch *b)
{
  Limit *l = instance;
  int status = release(l, b, SIZE_MAX);
  if (l->steps.n && l->n_seen == 0 && l->n_seen_events)
    l->common->note(l->common, NOTICE_NO_STEPS, NULL, MILL_NO_EVENT, NULL, 0);
  else if (l->n_passed == 0 && l->n_seen_events && l->max != 0) {
    const MillNamed span[] = { { "first_ns", mill_int(l->first_ns) },
                               { "last_ns", mill_int(l->last_ns) } };
    l->common->note(l->common, NOTICE_EMPTY, NULL, MILL_NO_EVENT, span, MILL_COUNT(span));
  }
  return status;
}

/* ---- ranks that no lane has: only the run level sees all lanes */

static int limit_save_result(void *instance)
{
  Limit *l = instance;
  MillLane lane = { .size = sizeof lane };
  l->common->lane(l->common, MILL_NO_LANE, &lane);
  l->host->put_int(l->host, l->ranks.n == 0 || find_range(&l->ranks, lane.rank, NULL));
  l->host->put_int(l->host, lane.rank);
  return 0;
}

static int limit_merge_result(void *run_instance)
{
  Limit *l = run_instance;
  if (l->host->get_int(l->host)) l->any_chosen = true;
  int64_t rank = l->host->get_int(l->host);
  if (l->n_lanes++ == 0 || rank < l->lowest_rank) l->lowest_rank = rank;
  if (l->n_lanes == 1 || rank > l->highest_rank) l->highest_rank = rank;
  return 0;
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
      "What from and to count from: zero of the trace's own times, or the input's first event"),
  MILL_OPTION(Options, steps, MillList, MILL_OPT_LIST, 0, "steps", "", "0:", NULL,
              "Steps to keep, by slices ProfilerStep#N: 10-20,25"),
  MILL_OPTION(Options, ranks, MillList, MILL_OPT_LIST, 0, "ranks", "", "0:", NULL,
              "Ranks to keep: 0-7,12"),
  MILL_INT_OPTION(Options, skip_events, "skip-events", "0", "0:", NULL,
                  "How many events to leave out at the start of each input"),
  MILL_INT_OPTION(Options, max_events, "max-events", "-1", "-1:", NULL,
                  "Keep at most this many of each input; -1: all"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_EMPTY, "nothing of {lane} is left",
               "its events run from {first_ns} ns to {last_ns} ns of the trace's time",
               "with origin=first, from and to count from the first event",
               "Every event lies outside of the window, or was skipped.  By default from and to "
               "are times of the trace itself, which often begin at the start of the machine or at "
               "1970 and not at zero."),
  MILL_WARNING(NOTICE_NO_STEPS, "none of the steps asked for is in {lane}", "nothing of it is left",
               NULL,
               "Steps are slices named ProfilerStep#N, which the PyTorch profiler writes when its "
               "step() is called."),
  MILL_WARNING(NOTICE_NO_RANK, "{lane} has no rank, and only some ranks were asked for",
               "nothing of it is left", "name the ranks with --rank-regex",
               "An input without a rank cannot be among the ranks that were chosen."),
  MILL_WARNING(NOTICE_NO_LANE, "no input has a rank that was asked for", "nothing is left",
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
                                  .report_run = limit_report_run,
                                  .close = limit_close };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "limit",
  .family = "clean",
  .version = "1.0.0",
  .tag = "LIM",
  .title = "Cut by time, steps, ranks and count",
  .help = "Keeps events that lie in the window of time and of steps, then leaves out the first "
          "skip-events of them and keeps max-events.  Metadata does not count and passes.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
