/* Times of device events from cycles: of what the host wrote only the end is believed.
 * State of a lane: counts and the last kernel of each process, whatever the number of events. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <stdlib.h>
#include <string.h>

#include "cycles-split.h"
#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/trace/by-process.h"
#include "kit/trace/dialect.h"
#include "clock/lib/micros.h"
#include "kit/text/symbol.h"
#include "kit/trace/stamps.h"

enum {
  BEFORE_ZERO = 1,
  LACKING = 2,
  REVERSED = 3,
  NO_END = 4,
  ZERO = 5,
  OVERLAPPING = 6,
  UNSTAMPED = 7
};

typedef struct Options {
  double soc_mhz;
  bool split;
} Options;

typedef struct Kernel { /* the last one of a process, which is a device */
  int64_t ts_ns, end;   /* its begin, and TS4 */
  bool known;
} Kernel;

typedef struct Cycles {
  const MillStageHost *host;
  const MillHost *common;
  int64_t hz;
  bool split, idle;
  StampReader stamps;
  MillSym adjust_key;
  ByProcess kernels_before; /* Kernel */
  int64_t events, moved, left, moved_max_ns, kernels, overlapping, overlap_max;
} Cycles;

typedef struct Placed { /* where cycles put a slice */
  int64_t ts_ns, dur_ns, end_ns;
  int64_t issued_ns; /* when the first of its stamps was taken */
} Placed;

static int cycles_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out)
{
  const MillHost *common = host->common;
  const Options *o = options;
  (void)self, (void)level;
  Cycles *c = instance_new(Cycles, host, out);
  if (!c) return -MILL_LIMIT;
  c->hz = stamps_hz(o->soc_mhz);
  c->split = o->split;
  c->idle = lane_names_device_work(common);
  stamps_open(&c->stamps, common);
  c->adjust_key = symbol_of(common, "time_adjust");
  return by_process_open(&c->kernels_before, common, sizeof(Kernel)) ? 0 : -MILL_LIMIT;
}

static void note(const Cycles *c, uint32_t number, const MillBatch *batch, uint32_t index)
{
  c->common->note(c->common, number, batch, index, NULL, 0);
}

/* ---------------------------------------------------------------- placing */

/* The span of time up to the last stamp that the slice shows. */
static bool span_to_end(const Cycles *c, const Stamps *s, uint32_t from, int64_t *out_ns)
{
  int64_t cycles;
  if (__builtin_sub_overflow(s->cycles[stamps_last(s->part)], s->cycles[from], &cycles))
    return false;
  *out_ns = stamps_span_ns(c->hz, cycles);
  return true;
}

/* 0, or the number of the notice that says why the slice stays as it is. */
static uint32_t place(const Cycles *c, const MillEvent *e, const Stamps *s, Placed *out)
{
  uint32_t first = stamps_first(s->part);
  int64_t whole_ns;
  if (!s->has[first] || !s->has[stamps_last(s->part)]) return LACKING;
  if (e->dur_ns < 0) return NO_END;
  if (__builtin_add_overflow(e->ts_ns, e->dur_ns, &out->end_ns)) return BEFORE_ZERO;
  if (!span_to_end(c, s, first, &out->dur_ns) || out->dur_ns < 0) return REVERSED;
  if (__builtin_sub_overflow(out->end_ns, out->dur_ns, &out->ts_ns) || out->ts_ns < 0)
    return BEFORE_ZERO;
  out->issued_ns = out->ts_ns;
  if (s->has[0] && span_to_end(c, s, 0, &whole_ns) &&
      __builtin_sub_overflow(out->end_ns, whole_ns, &out->issued_ns))
    out->issued_ns = out->ts_ns;
  return 0;
}

/* ------------------------------------------------------------- time_adjust */

static size_t put_text(char *to, const char *text)
{
  memcpy(to, text, strlen(text));
  return strlen(text);
}

/* From the host's slice to the one between the first stamp and the host's end. */
static int mark(Cycles *c, MillBatch *batch, uint32_t index, const Placed *p)
{
  const MillEvent *e = &batch->events[index];
  char text[2 * MICROS_MAX + 32];
  int64_t ts_by, dur_by;
  if (__builtin_sub_overflow(p->issued_ns, e->ts_ns, &ts_by) || ts_by == 0) return 0;
  if (__builtin_sub_overflow(0, ts_by, &dur_by)) return 0;
  size_t len = put_text(text, "{\"ts\":");
  len += micros_write(text + len, ts_by);
  len += put_text(text + len, ",\"dur\":");
  len += micros_write(text + len, dur_by);
  len += put_text(text + len, "}");
  return c->host->set(c->host, batch, index, c->adjust_key, mill_json(text, len));
}

/* ---------------------------------------------------------------- changing */

static void set_times(MillEvent *e, int64_t ts_ns, int64_t dur_ns)
{
  if (e->ts_ns != ts_ns) mill_set_ts(e, ts_ns);
  if (e->dur_ns != dur_ns) mill_set_dur(e, dur_ns);
}

static void take_part(MillEvent *e, const SplitPart *part)
{
  set_times(e, part->ts_ns, part->dur_ns);
  if (e->name != part->name) mill_set_name(e, part->name);
}

static int emit_parts(Cycles *c, MillBatch *batch, uint32_t index, const SplitPart *parts,
                      uint32_t n)
{
  const MillStageHost *host = c->host;
  for (uint32_t i = 1; i < n; i++) {
    uint64_t kept = host->keep(host, batch, index);
    uint32_t copy = kept ? host->emit_kept(host, batch, index, kept) : MILL_FAILED;
    if (copy == MILL_FAILED) return -MILL_LIMIT;
    take_part(host->event(host, batch, copy), &parts[i]);
  }
  return 0;
}

static int split(Cycles *c, MillBatch *batch, uint32_t index, const Stamps *s, const Placed *p)
{
  SplitPart parts[SPLIT_PARTS];
  MillEvent *e = &mill_events(batch)[index];
  uint32_t n = split_event(c->common, c->hz, e->name, s, p->end_ns, parts);
  if (n == 0) {
    mill_drop(e);
    return 0;
  }
  int status = n > 1 ? emit_parts(c, batch, index, parts, n) : 0;
  if (status < 0) return status;
  take_part(&mill_events(batch)[index], &parts[0]);
  return 0;
}

/* ---------------------------------------------------------------- counting */

static int watch_kernel(Cycles *c, const MillBatch *batch, uint32_t index, const Stamps *s,
                        const Placed *p)
{
  int64_t over = 0;
  if (s->part != STAMP_EXEC) return 0;
  Kernel *before = by_process_of(&c->kernels_before, batch->events[index].track);
  if (!before) return -MILL_LIMIT;
  c->kernels++;
  if (before->known && before->ts_ns < p->ts_ns && s->cycles[2] < before->end) {
    if (__builtin_sub_overflow(before->end, s->cycles[2], &over)) over = INT64_MAX;
    if (over > c->overlap_max) c->overlap_max = over;
    c->overlapping++;
    note(c, OVERLAPPING, batch, index);
  }
  *before = (Kernel){ p->ts_ns, s->cycles[3], true };
  return 0;
}

static void count_move(Cycles *c, const MillBatch *batch, uint32_t index, const Placed *p)
{
  const MillEvent *e = &batch->events[index];
  int64_t by_ns = 0;
  if (e->dur_ns == 0 && p->dur_ns > 0) note(c, ZERO, batch, index);
  if (__builtin_sub_overflow(p->ts_ns, e->ts_ns, &by_ns)) by_ns = INT64_MAX;
  if (by_ns < 0) by_ns = -by_ns;
  c->moved += by_ns > 0;
  if (by_ns > c->moved_max_ns) c->moved_max_ns = by_ns;
}

static int take(Cycles *c, MillBatch *batch, uint32_t index, const Stamps *s)
{
  Placed placed;
  uint32_t why = place(c, &batch->events[index], s, &placed);
  c->events++;
  if (why) {
    c->left++;
    note(c, why, batch, index);
    return 0;
  }
  int status = watch_kernel(c, batch, index, s, &placed);
  count_move(c, batch, index, &placed);
  if (status == 0) status = mark(c, batch, index, &placed);
  if (status < 0) return status;
  if (c->split) return split(c, batch, index, s, &placed);
  set_times(&mill_events(batch)[index], placed.ts_ns, placed.dur_ns);
  return 0;
}

/* Stamps that are there and cannot be read are counted by `ovc`. */
static bool read_stamps(Cycles *c, const MillBatch *batch, uint32_t index, Stamps *out)
{
  const MillEvent *e = &batch->events[index];
  if (stamps_read(&c->stamps, batch, e, out)) return true;
  if (out->n_named == 0 && stamps_part(&c->stamps, e->name) == STAMP_EXEC)
    note(c, UNSTAMPED, batch, index);
  return false;
}

static int cycles_process(void *instance, MillBatch *batch)
{
  Cycles *c = instance;
  Stamps stamps;
  for (uint32_t i = 0; i < batch->n_events && !c->idle; i++) {
    MillEvent *e = &mill_events(batch)[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) continue;
    if (!read_stamps(c, batch, i, &stamps)) continue;
    if (c->split && split_drops(c->common, e->name)) {
      mill_drop(e);
      continue;
    }
    int status = take(c, batch, i, &stamps);
    if (status < 0) return status;
  }
  return 0;
}

typedef struct CyclesRow {
  int64_t events, moved, left, moved_max_ns, kernels, overlapping, overlap_max;
} CyclesRow;

static int cycles_report(void *instance)
{
  const Cycles *c = instance;
  if (c->events == 0) return 0;
  const CyclesRow row = {
    .events = c->events,
    .moved = c->moved,
    .left = c->left,
    .moved_max_ns = c->moved_max_ns,
    .kernels = c->kernels,
    .overlapping = c->overlapping,
    .overlap_max = c->overlap_max,
  };
  return mill_row(c->host, 0, &row);
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = cycles_open,
  .process = cycles_process,
  .report = cycles_report,
};

static const MillOption options[] = {
  STAMPS_SOC_OPTION(Options, soc_mhz),
  MILL_BOOL_OPTION(Options, split, "split", "false",
                   "Make separate slices for the transfer in, the computation and the transfer "
                   "out"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      BEFORE_ZERO,
      "{count} device event[|s] in {lane} would begin before time 0, or end beyond all time",
      "[it keeps|they keep] the times that the host wrote",
      "check that soc-mhz is the device's frequency: --set soc-mhz=MHZ",
      "The length of a device event comes from the cycles between its stamps; its end is the end "
      "that the host saw. Here, that puts the begin before time 0 of the trace. Either soc-mhz is "
      "too low, which stretches all events, or the stamps are wrong: an unrecognised wrap of the "
      "counter leaves a gap of 2^32 cycles. Such events are not changed. Do not trust intervals "
      "between their stamps."),
  MILL_WARNING(
      LACKING, "{count} device event[|s] in {lane} [lacks|lack] a stamp of [its|their] interval",
      "[it keeps|they keep] the times that the host wrote", "record all of TS1 to TS5",
      "A slice named DmaI shows the interval from TS1 to TS2, Cmpt Prep TS2 to TS3, Cmpt Exec TS3 "
      "to TS4, DmaO TS4 to TS5, any other TS1 to TS5. One of the two stamps is missing or is not a "
      "whole number in the trace, so the event keeps the host's times."),
  MILL_WARNING(REVERSED,
               "{count} device event[|s] in {lane} [ends|end] before [it begins|they begin], by "
               "[its|their] stamps",
               "[it keeps|they keep] the times that the host wrote",
               "check whether ovc runs before, and whether the stamps are damaged",
               "The last stamp of the slice's interval is smaller than the first. The device or "
               "the tracer wrote wrong stamps, or the stamps are not absolute: the stage ovc "
               "counts such stamps and unwraps counters."),
  MILL_WARNING(NO_END, "{count} device event[|s] in {lane} [has|have] no duration",
               "[it keeps|they keep] the time that the host wrote",
               "run pair and normalise before this stage",
               "The end of an event links cycles to host time, and the end of these events is "
               "unknown: they have no dur, or a negative one."),
  MILL_INFO(
      ZERO, "{count} device event[|s] in {lane} [was|were] written with duration 0 but took cycles",
      "[its length comes|their lengths come] from the cycles", NULL,
      "The host gave the event no length, but its stamps show work. The host's clock is too "
      "coarse, or the tracer did not measure. You need not do anything: the length comes from "
      "cycles."),
  MILL_WARNING(
      OVERLAPPING,
      "{count} kernel[|s] in {lane} [begins|begin] before the previous kernel ends, by [its|their] "
      "stamps",
      "device time adds up to more than elapsed time; see overlap_max in the table cycles",
      "check soc-mhz with the stage freq, and that the trace holds one device per rank",
      "A device computes one kernel at a time, so TS3 of a kernel is at or after TS4 of the "
      "previous one. Otherwise a stamp was put into the wrong period of the counter (the overlap "
      "is then near 2^32 cycles: see the notices of ovc), two devices share a rank, or kernels "
      "have each other's stamps."),
  MILL_WARNING(
      UNSTAMPED, "{count} kernel[|s] in {lane} [has|have] no stamps",
      "[it keeps|they keep] the times that the host wrote, and results from stamps lack [it|them]",
      "record all of TS1 to TS5",
      "A slice named Cmpt Exec is a computation of the device and should have stamps. Without "
      "them, it keeps the host's time: kernel times count it, but active time, iterations, "
      "utilisation, power and times between stamps do not. The tracer lost the stamps, or another "
      "program removed them."),
};

static const MillRead reads[] = { STAMPS_READS };

static const MillColumn columns[] = {
  MILL_BRIEF(CyclesRow, events, "events", "count", "Device events"),
  MILL_BRIEF(CyclesRow, moved, "moved", "count", "Events whose begin changed"),
  MILL_COLUMN(CyclesRow, left, "left", "count", 0, "Events that kept the host's times"),
  MILL_BRIEF(CyclesRow, moved_max_ns, "moved_max", "ns", "Largest change of a begin"),
  MILL_COLUMN(CyclesRow, kernels, "kernels", "count", 0, "Cmpt Exec events with stamps"),
  MILL_COLUMN(CyclesRow, overlapping, "overlapping", "count", 0,
              "Kernels that begin before the previous one ends"),
  MILL_COLUMN(CyclesRow, overlap_max, "overlap_max", "cycles", 0, "Largest such overlap"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "cycles",
    .help = "Device events whose times come from cycles",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.unwrapped", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const provides[] = { "clock.device", NULL };
static const char *const spoils[] = { "order.lane", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "cycles",
  .family = "clock",
  .version = "1.0.0",
  .tag = "CYC",
  .title = "Compute the times of device events from their cycles",
  .help =
      "The host records the end of a device event; the stamps of the event tell how long it took. "
      "Each device event keeps the end that the host saw, and its length becomes the time from its "
      "first to its last stamp. With split=true, an event becomes up to three: transfer in, "
      "computation, transfer out. Traces of torch profilers are not changed.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
