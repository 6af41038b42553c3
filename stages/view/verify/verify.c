/* Checks that a trace is what it should be, and changes nothing: phases, order, nesting, streams that do one thing at a
 * time, kernels within what scheduled them.  The first pass learns what was scheduled; memory grows with that, and with
 * what is open at one time. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/declare/rows.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/trace/stamps.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"
#include "kit/trace/attr-value.h"
#include "verify-launch.h"
#include "verify-row.h"

enum {
  PLAIN = 1,
  SCHEDULE = 2,
  KERNEL = 3,
  WORK = 4,
  PREPARATION = 5
}; /* classes of names and of categories */

typedef struct Verify {
  const MillStageHost *host;
  const MillHost *common;
  StampReader stamps;
  SymClass names, cats;
  MillSym correlation, job;
  Row *rows; /* by track */
  size_t n_rows;
  Keyed *launches; /* Launch, by correlation */
  Found found[N_CHECKS];
  uint64_t checks, failed; /* on the run level: of all lanes */
} Verify;

static int verify_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  const MillHost *common = host->common;
  Verify *v = instance_new(Verify, host, out_instance);
  if (!v) return -MILL_LIMIT;
  stamps_open(&v->stamps, common);
  v->correlation = symbol_of(common, "correlation");
  v->job = symbol_of(common, "jobname");
  v->launches = keyed_new(common, sizeof(Launch));
  return v->launches ? 0 : -MILL_LIMIT;
}

/* ---- which events */

static uint8_t class_of_name(const char *text, size_t len)
{
  if (words_end_with(text, len, "Cmpt Prep")) return PREPARATION;
  bool schedules =
      words_have(text, len, "ScheduleCompute") || words_have(text, len, "ScheduleWait");
  return schedules ? SCHEDULE : PLAIN;
}

static uint8_t class_of_cat(const char *text, size_t len)
{
  (void)len;
  if (strcmp(text, "kernel") == 0) return KERNEL;
  return strcmp(text, "gpu_memcpy") == 0 || strcmp(text, "gpu_memset") == 0 ? WORK : PLAIN;
}

static bool is_timed_slice(const MillEvent *e)
{
  return e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) && e->dur_ns >= 0;
}

/* Correlation 0 is none. */
static bool correlation_of(const Verify *v, const MillBatch *b, const MillEvent *e, int64_t *out)
{
  return mill_attr_int(b, e, v->correlation, out) && *out != 0;
}

/* ---- what was found */

static void fail(Verify *v, Check check, const MillBatch *b, uint32_t i)
{
  Found *found = &v->found[check];
  if (found->count++ == 0) found->first = place_of(&b->events[i]);
  v->common->note(v->common, (uint32_t)check + 1, b, i, NULL, 0);
}

static void fail_later(Verify *v, Check check, const Found *more)
{
  Found *found = &v->found[check];
  if (more->count == 0) return;
  if (found->count == 0) found->first = more->first;
  found->count += more->count;
  for (uint64_t n = 0; n < more->count; n++) mill_note(v->common, (uint32_t)check + 1);
}

/* ---- one event */

static MillSym job_of(const Verify *v, const MillBatch *b, const MillEvent *e)
{
  return attr_sym(v->common, b, mill_attr(b, e, v->job));
}

/* A counter of 32 bits may wrap between two stamps, once; a small step back is none. */
static bool steps_back(int64_t from, int64_t to)
{
  const int64_t period = INT64_C(1) << 32;
  if (to >= from) return false;
  bool may_wrap = to >= 0 && from < period;
  return !may_wrap || from - to < period / 16;
}

static bool stamps_are_disordered(Verify *v, const MillBatch *b, const MillEvent *e)
{
  Stamps s;
  int64_t last = 0;
  bool any = false;
  if (e->n_attrs == 0 || !stamps_read(&v->stamps, b, e, &s)) return false;
  for (int k = 0; k < STAMPS; k++) {
    if (!s.has[k]) continue;
    if (any && steps_back(last, s.cycles[k])) return true;
    last = s.cycles[k];
    any = true;
  }
  return false;
}

/* Where nothing was scheduled with a correlation, as on other devices, kernels need none. */
static void check_kernel(Verify *v, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  int64_t correlation;
  if (keyed_count(v->launches) == 0) return;
  Launch *launch =
      correlation_of(v, b, e, &correlation) ? launch_find(v->launches, correlation) : NULL;
  if (!launch) {
    fail(v, CHECK_LONE_KERNELS, b, i);
    return;
  }
  launch->n_kernels++;
  if (!launch_contains(launch, e->ts_ns, interval_end(e->ts_ns, e->dur_ns)))
    fail(v, CHECK_KERNEL_SPAN, b, i);
}

static int check_slice(Verify *v, const MillBatch *b, uint32_t i, Row *row)
{
  const MillEvent *e = &b->events[i];
  bool no_memory;
  if (stamps_are_disordered(v, b, e)) fail(v, CHECK_STAMP_ORDER, b, i);
  if (!is_timed_slice(e)) return 0;
  /* A device prepares several kernels at once, also while it computes. */
  if (symclass_of(v->common, &v->names, e->name, class_of_name) == PREPARATION) return 0;
  if (row_is_crossed(v->common, row, e, &no_memory)) fail(v, CHECK_NESTING, b, i);
  if (no_memory) return -MILL_LIMIT;
  uint8_t work = symclass_of(v->common, &v->cats, e->cat, class_of_cat);
  if (work == PLAIN) return 0;
  if (row_is_busy(row, e)) fail(v, CHECK_STREAM_OVERLAP, b, i);
  if (work == KERNEL) check_kernel(v, b, i);
  return 0;
}

static Row *row_of(Verify *v, uint32_t track)
{
  if (!array_reserve_at(v->common, &v->rows, &v->n_rows, track, sizeof *v->rows)) return NULL;
  Row *row = &v->rows[track];
  if (!row->is_known) row->busy_to_ns = INT64_MIN;
  row->is_known = true;
  return row;
}

/* Slices and the ends of others; what else there is may be anywhere in a file. */
static bool has_an_order(const MillEvent *e)
{
  const uint32_t kinds = MILL_KIND(MILL_SLICE) | MILL_KIND(MILL_BEGIN) | MILL_KIND(MILL_END) |
                         MILL_KIND(MILL_ASYNC_BEGIN) | MILL_KIND(MILL_ASYNC_END);
  return !(e->flags & MILL_FLAG_NO_TS) && kinds & MILL_KIND(e->kind);
}

static int check_event(Verify *v, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  Row *row = row_of(v, e->track);
  if (!row) return -MILL_LIMIT;
  if (row_is_alone(row, e)) fail(v, CHECK_PHASES, b, i);
  if (has_an_order(e) && row_is_late(row, e, job_of(v, b, e))) fail(v, CHECK_TIME_ORDER, b, i);
  return e->kind == MILL_SLICE ? check_slice(v, b, i, row) : 0;
}

/* ---- the calls */

static int verify_observe(void *instance, const MillBatch *b)
{
  Verify *v = instance;
  int64_t correlation;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (!is_timed_slice(e) || symclass_of(v->common, &v->names, e->name, class_of_name) != SCHEDULE)
      continue;
    if (!correlation_of(v, b, e, &correlation)) continue;
    if (!launch_see(v->launches, correlation, e)) return -MILL_LIMIT;
  }
  return 0;
}

static int verify_process(void *instance, MillBatch *b)
{
  Verify *v = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    int status = check_event(v, b, i);
    if (status < 0) return status;
  }
  return 0;
}

static int verify_flush(void *instance, MillBatch *b)
{
  Verify *v = instance;
  Found lone = { 0 };
  (void)b;
  for (size_t t = 0; t < v->n_rows; t++) {
    const Found open = { v->rows[t].n_begins, v->rows[t].first_begin };
    fail_later(v, CHECK_PHASES, &open);
  }
  if (!launch_lone(v->launches, &lone)) return -MILL_LIMIT;
  fail_later(v, CHECK_LONE_SCHEDULES, &lone);
  v->checks = N_CHECKS;
  for (int c = 0; c < N_CHECKS; c++) v->failed += v->found[c].count > 0;
  return 0;
}

static const char *const check_names[N_CHECKS] = {
  [CHECK_PHASES] = "phases",
  [CHECK_TIME_ORDER] = "time-order",
  [CHECK_STAMP_ORDER] = "stamp-order",
  [CHECK_NESTING] = "nesting",
  [CHECK_STREAM_OVERLAP] = "stream-overlap",
  [CHECK_KERNEL_SPAN] = "kernels-outside",
  [CHECK_LONE_KERNELS] = "kernels-alone",
  [CHECK_LONE_SCHEDULES] = "schedules-alone",
};

/* "event 17 (addmm)" */
static MillText place_text(const Verify *v, const Place *place)
{
  static const char before[] = "event ";
  size_t name_len, len = sizeof before - 1;
  const char *name = v->common->symbol_text(v->common, place->name, &name_len);
  char *text = v->common->scratch(v->common, len + DIGITS_MAX + name_len + 3);
  if (!text) return (MillText){ NULL, 0 };
  memcpy(text, before, len);
  len += digits_write(text + len, (int64_t)place->seq);
  if (name_len == 0) return (MillText){ text, len };
  memcpy(text + len, " (", 2);
  memcpy(text + len + 2, name, name_len);
  text[len + 2 + name_len] = ')';
  return (MillText){ text, len + name_len + 3 };
}

typedef struct CheckRow {
  const char *check, *result;
  int64_t count;
  MillText first;
} CheckRow;

static int verify_report(void *instance)
{
  Verify *v = instance;
  for (int c = 0; c < N_CHECKS; c++) {
    const Found *found = &v->found[c];
    CheckRow row = { .check = check_names[c],
                     .result = found->count ? "fail" : "pass",
                     .count = (int64_t)found->count };
    if (found->count) row.first = place_text(v, &found->first);
    int status = mill_row(v->host, 0, &row);
    if (status < 0) return status;
  }
  return 0;
}

static const StateField verify_fields[] = { STATE_SUM(Verify, checks), STATE_SUM(Verify, failed) };
static const StateType verify_state = STATE_TYPE(Verify, verify_fields);
STATE_RESULT(Verify, verify_state)

static int verify_report_run(void *run_instance)
{
  const Verify *v = run_instance;
  return v->host->metric(v->host, 0, NULL, mill_int((int64_t)v->failed), v->checks);
}

#define FAILED_CHECK "the check fails; see the table checks"
static const MillNotice notices[] = {
  MILL_WARNING(CHECK_PHASES + 1,
               "{count} event[|s] of {lane} [has|have] no partner or an unknown phase",
               FAILED_CHECK, "notices of the stage pair name these begins and ends",
               "On each thread, begins (B) and ends (E) come in pairs, and a phase is one letter "
               "of the Chrome format. Viewers do not show a begin without an end, an end without a "
               "begin, or an event with a missing or unknown phase. The recording was cut, or two "
               "threads wrote it at once."),
  MILL_WARNING(CHECK_TIME_ORDER + 1,
               "{count} event[|s] of {lane} [is|are] in the file before earlier events",
               FAILED_CHECK, "the stage time-order sorts them",
               "On one thread, slices should be in the order of their start; with equal starts, "
               "the longest first. Other programs that read the trace in file order may drop such "
               "events or nest them wrongly. For stages that need the order, stagemill sorts the "
               "events."),
  MILL_WARNING(CHECK_STAMP_ORDER + 1,
               "{count} device event[|s] of {lane} [has|have] stamps out of order", FAILED_CHECK,
               "check whether the stamps are damaged; ovc removes wraps",
               "TS1 to TS5 are counts of one clock, taken one after the other. They never "
               "decrease, except when the 32-bit counter wraps. Here intervals between stamps are "
               "negative, and times from them are wrong. The device or its driver wrote wrong "
               "stamps."),
  MILL_WARNING(CHECK_NESTING + 1,
               "{count} slice[|s] of {lane} partly [overlaps|overlap] another on [its|their] track",
               FAILED_CHECK, "the stage overlap moves them to separate tracks",
               "On one track, slices follow or contain each other. If one begins inside another "
               "and ends after it, viewers draw both wrongly, and times of nested slices are "
               "wrong. Several threads were recorded as one, or times come from different clocks."),
  MILL_WARNING(
      CHECK_STREAM_OVERLAP + 1,
      "{count} device event[|s] of {lane} [begins|begin] before the previous one on the stream "
      "ends",
      FAILED_CHECK, "put device work on one clock: the stages ovc and cycles",
      "Kernels, copies and fills of one stream (categories kernel, gpu_memcpy, gpu_memset) never "
      "run at the same time. Here they do: device times were converted wrongly to the host's "
      "clock, or several streams were recorded as one. Sums of device time then count some time "
      "twice."),
  MILL_WARNING(CHECK_KERNEL_SPAN + 1,
               "{count} kernel[|s] of {lane} [runs|run] outside the time between schedule and wait",
               FAILED_CHECK, "put the device on the host's clock: job-align, rank-sync",
               "A kernel begins after the begin of the ScheduleCompute with its correlation, and "
               "ends before the end of the ScheduleWait with that correlation. Otherwise its time "
               "was converted wrongly to the host's clock, or it has the correlation of another "
               "launch."),
  MILL_WARNING(
      CHECK_LONE_KERNELS + 1,
      "{count} kernel[|s] of {lane} [has|have] no ScheduleCompute or ScheduleWait", FAILED_CHECK,
      "start recording before the first launch",
      "Other kernels of this trace have a ScheduleCompute or ScheduleWait with their correlation; "
      "these kernels have none, or no correlation. The host's events were lost, or recording began "
      "after the launch."),
  MILL_WARNING(CHECK_LONE_SCHEDULES + 1,
               "{count} ScheduleCompute or ScheduleWait event[|s] of {lane} [has|have] no kernel",
               FAILED_CHECK, "record until the last kernel has ended",
               "No kernel has the correlation of this event. The device events were lost, or "
               "recording ended before they ran."),
};

static const MillRead reads[] = {
  STAMPS_READS,
  { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "jobname", MILL_AS_ANY, 0 },
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(CheckRow, check, "check", NULL, "Name of the check"),
  MILL_BRIEF(CheckRow, result, "result", NULL, "pass or fail"),
  MILL_BRIEF(CheckRow, count, "count", "count", "Events that fail the check"),
  MILL_BRIEF(CheckRow, first, "first", NULL,
             "The first of these events: its number in the input, from 0, and its name"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 16,
    .name = "checks",
    .help = "Checks of the trace of each rank, and their failures",
    .order = "result,check",
    .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_INT,
    .name = "checks_failed",
    .unit = "count",
    .help = "Checks that failed, over all ranks" },
};

static const char *const needs[] = { "events", "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = verify_open,
  .observe = verify_observe,
  .process = verify_process,
  .flush = verify_flush,
  .report = verify_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = verify_report_run,
};

/* Not read-only although it changes no event: the events are sorted for it, and a trace written after it is. */
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .name = "verify",
  .family = "view",
  .version = "1.0.0",
  .tag = "VRF",
  .title = "Check a trace for errors",
  .help = "Checks phases, the order of times and of stamps, nesting, that work of one stream does "
          "not overlap, and that kernels run between their schedule and wait. Changes no event. "
          "Each failed check is a warning, so --strict ends the run with status 3.",
  .needs = needs,
  OWN_ROWS(notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
