/* Repairs slices that overlap partially on their track, which viewers cannot draw: on a track
 * two slices may follow each other, touch, or lie one inside the other.  In the order of time a
 * slice conflicts when an open slice ends inside of it.  Method `move` puts it on the first of
 * the extra rows of its track where it fits, making one if there is none; `shift` starts it
 * where the other ends, if that is no more than the tolerance away; `async` makes it an asynchronous
 * event, which viewers draw beside the row; `drop` and `warn` do that.
 *
 * The first pass learns which threads exist, so that a new row can never be that of another
 * thread.  Flow events at the start of a moved slice move with it; those in its middle do not.
 * Memory: the open slices of every row. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/threads.h"
#include "overlap-async.h"
#include "overlap-rows.h"

enum { NOTICE_OVERLAPS = 1, NOTICE_KEPT = 2 };
enum { METHOD_MOVE, METHOD_SHIFT, METHOD_DROP, METHOD_WARN, METHOD_ASYNC };

typedef struct Options {
  int64_t method, tolerance_ns;
} Options;

typedef struct Lines { /* all rows of one track of the input */
  Row own;
  Rows extra;
  uint32_t last_track; /* where the last slice went, and when it began */
  int64_t last_ts_ns;
  bool has_last;
} Lines;

typedef struct Overlap {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  Lines *tracks; /* by track */
  size_t n_tracks;
  ThreadSlots threads; /* by track: those that the input has events on, and rows that were made */
  MillValue process;   /* of the track for which a row is made */
  MillSym orig_ts, orig_dur;
  Async async;
  uint64_t slices, overlapping, resolved, rows_added;
} Overlap;

static uint32_t track_of(void *overlap, MillValue thread)
{
  const Overlap *o = overlap;
  return o->host->track(o->host, o->process, thread);
}

static int overlap_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Overlap *o = instance_new(Overlap, host, out_instance);
  if (!o) return -MILL_LIMIT;
  o->options = *(const Options *)options;
  o->orig_ts = symbol_of(common, "orig_ts_ns");
  o->orig_dur = symbol_of(common, "orig_dur_ns");
  o->threads = (ThreadSlots){ .common = common, .number_of = track_of, .user = o };
  async_open(&o->async, common);
  return 0;
}

/* ---- rows; NULL and false: memory was refused */

static Lines *lines_of(Overlap *o, uint32_t track)
{
  bool reached = array_reserve_at(o->common, &o->tracks, &o->n_tracks, track, sizeof *o->tracks);
  return reached ? &o->tracks[track] : NULL;
}

/* ---- new tracks */

/* A row that nothing in the lane uses; its number depends on the lane's events only. */
static Row *make_row(Overlap *o, uint32_t track)
{
  MillTrack from = { .size = sizeof from };
  MillValue thread;
  uint32_t fresh;
  o->common->track_info(o->common, track, &from);
  o->process = from.process;
  if (!threads_take(&o->threads, &from.thread, &thread, &fresh)) return NULL;
  o->rows_added++;
  return rows_add(o->common, &o->tracks[track].extra, fresh);
}

/* ---- methods */

/* The first row where the slice fits. */
static Row *fitting_row(Overlap *o, uint32_t track, int64_t ts_ns, int64_t end_ns)
{
  Rows *extra = &o->tracks[track].extra;
  rows_forget(extra, ts_ns);
  Row *row = rows_fitting(extra, end_ns);
  return row ? row : make_row(o, track);
}

/* Starts the slice at the last end inside of it. */
static bool shift(Overlap *o, const Row *row, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  int64_t ts_ns = e->ts_ns, dur_ns = e->dur_ns, end_ns = interval_end(ts_ns, dur_ns);
  int64_t start_ns = ts_ns, limit_ns = interval_end(ts_ns, o->options.tolerance_ns);
  if (!ends_latest_before(&row->ends, end_ns, limit_ns, &start_ns)) return false;
  mill_set_ts(e, start_ns);
  mill_set_dur(e, end_ns - start_ns);
  o->host->set(o->host, b, i, o->orig_ts, mill_int(ts_ns));
  o->host->set(o->host, b, i, o->orig_dur, mill_int(dur_ns));
  return true;
}

static void count_conflict(Overlap *o, const MillBatch *b, uint32_t i, bool resolved)
{
  o->overlapping++;
  o->resolved += resolved;
  o->common->note(o->common, resolved ? NOTICE_OVERLAPS : NOTICE_KEPT, b, i, NULL, 0);
}

static Row *resolve(Overlap *o, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  Row *row = &o->tracks[e->track].own;
  bool resolved = o->options.method != METHOD_WARN;
  if (o->options.method == METHOD_MOVE)
    row = fitting_row(o, e->track, e->ts_ns, interval_end(e->ts_ns, e->dur_ns));
  else if (o->options.method == METHOD_SHIFT)
    resolved = shift(o, row, b, i);
  else if (o->options.method == METHOD_DROP)
    mill_drop(e);
  else if (o->options.method == METHOD_ASYNC && !async_make(&o->async, o->host, b, i))
    return NULL;
  if (row) count_conflict(o, b, i, resolved);
  return row;
}

/* ---- passes */

static int place_slice(Overlap *o, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  uint32_t track = e->track;
  int64_t ts_ns = e->ts_ns, end_ns = interval_end(ts_ns, e->dur_ns);
  Lines *lines = lines_of(o, track);
  if (!lines) return -MILL_LIMIT;
  o->slices++;
  lines->own.track = track;
  Row *row = &lines->own;
  ends_forget(&row->ends, ts_ns);
  if (ends_conflict(&row->ends, end_ns)) {
    row = resolve(o, b, i);
    if (!row) return -MILL_LIMIT;
  }
  lines = &o->tracks[track]; /* making a row may have moved them */
  if (e->flags & MILL_FLAG_DROPPED || e->kind != MILL_SLICE) return 0;
  if (row->track != track) mill_set_track(e, row->track);
  lines->last_track = row->track;
  lines->last_ts_ns = ts_ns;
  lines->has_last = true;
  bool fits = row == &lines->own ? ends_push(o->common, &row->ends, end_ns)
                                 : rows_push(o->common, &lines->extra, row, end_ns);
  return fits ? 0 : -MILL_LIMIT;
}

static bool is_flow(const MillEvent *e)
{
  return e->kind >= MILL_FLOW_START && e->kind <= MILL_FLOW_END;
}

/* A flow is bound to the slice on its row at its time. */
static void follow_slice(const Overlap *o, MillEvent *e)
{
  if (e->track >= o->n_tracks) return;
  const Lines *lines = &o->tracks[e->track];
  if (lines->has_last && lines->last_ts_ns == e->ts_ns && lines->last_track != e->track)
    mill_set_track(e, lines->last_track);
}

static int overlap_observe(void *instance, const MillBatch *b)
{
  Overlap *o = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    ThreadSlot *slot = threads_slot(&o->threads, b->events[i].track);
    if (!slot) return -MILL_LIMIT;
    slot->used = true;
    async_see(&o->async, &b->events[i]);
  }
  return 0;
}

static int overlap_process(void *instance, MillBatch *b)
{
  Overlap *o = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &mill_events(b)[i];
    if (e->flags & MILL_FLAG_NO_TS) continue;
    if (is_flow(e)) follow_slice(o, e);
    if (e->kind != MILL_SLICE || e->dur_ns < 0) continue;
    bool strips = o->options.method == METHOD_ASYNC;
    int status = strips ? async_strip_name(&o->async, o->host, b, i) : 0;
    if (status == 0) status = place_slice(o, b, i);
    if (status < 0) return status;
  }
  return 0;
}

typedef struct OverlapsRow {
  int64_t slices, overlapping, resolved, rows_added;
} OverlapsRow;

static int overlap_report(void *instance)
{
  const Overlap *o = instance;
  const OverlapsRow row = {
    .slices = (int64_t)o->slices,
    .overlapping = (int64_t)o->overlapping,
    .resolved = (int64_t)o->resolved,
    .rows_added = (int64_t)o->rows_added,
  };
  return mill_row(o->host, 0, &row);
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, method, "method", "move", "move|shift|drop|warn|async",
                     "Treatment of the later slice: move it to another track, shift its start, "
                     "drop it, only warn, or make it an asynchronous event"),
  MILL_DURATION_OPTION(Options, tolerance_ns, "tolerance", "5ns",
                       "0:", "Longest overlap that method shift repairs"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_OVERLAPS, "{count} slice[|s] of {lane} overlapped others on [its|their] track",
            "the option method says what happened to [it|them]: moved, shifted, dropped or made "
            "asynchronous",
            NULL,
            "Slices of one thread or stream should nest. They do not nest if several threads are "
            "recorded as one, or if times were rounded or computed from other clocks."),
  MILL_WARNING(NOTICE_KEPT,
               "{count} slice[|s] of {lane} [overlaps|overlap] others and [was|were] not changed",
               "viewers draw slices incorrectly, and times of nested slices are wrong",
               "use method=move",
               "With method=warn no slice is changed; with method=shift only overlaps within the "
               "tolerance are repaired."),
};

static const MillColumn columns[] = {
  MILL_COLUMN(OverlapsRow, slices, "slices", "count", 0, "Slices with a duration"),
  MILL_COLUMN(OverlapsRow, overlapping, "overlapping", "count", 0,
              "Slices that overlapped an earlier one partially"),
  MILL_COLUMN(OverlapsRow, resolved, "resolved", "count", 0,
              "Number of them that were moved, shifted, dropped or made asynchronous"),
  MILL_COLUMN(OverlapsRow, rows_added, "rows_added", "count", 0, "New tracks made for them"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "overlaps",
    .help = "Partial overlaps of slices, found and repaired",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "order.lane", "slices", NULL };
static const char *const provides[] = { "nested", NULL };
static const char *const spoils[] = { "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = overlap_open,
  .observe = overlap_observe,
  .process = overlap_process,
  .report = overlap_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "overlap",
  .family = "clean",
  .version = "1.0.0",
  .tag = "POD",
  .title = "Repair slices that overlap partially on their track",
  .help = "Finds slices that partially overlap on a track and moves the later one to an extra "
          "track of the same process (or shifts it, drops it, makes it asynchronous, or only "
          "reports it).",
  .needs = needs,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, notices, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
