/* Absolute cycles from 32-bit device counters: every stamp is put into the epoch
 * nearest to where the host's clock expects it, by integer arithmetic.  Each process has a counter, and each of
 * its lines (see lib/clock-lines.h) an epoch.
 * Limits: stamps inside one event, other than the two that
 * the slice itself shows, are taken to be less than a period apart; the
 * configured frequency may be wrong by half a period over the whole trace. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>

#include <stdlib.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/by-process.h"
#include "kit/trace/stamps.h"
#include "ovc-clock.h"
#include "ovc-device.h"

enum {
  FREQUENCY_OFF = 1,
  UNMATCHED,
  UNMATCHED_STEADY,
  LONG,
  DISORDERED,
  MISSING,
  WIDE,
  ALL_ZERO,
  PARTS
};

typedef struct Options {
  double soc_mhz;
  bool judge_frequency;
} Options;

typedef struct Ovc {
  const MillStageHost *host;
  const MillHost *common;
  int64_t hz;
  bool judges_frequency;
  StampReader stamps;
  MillSym wraps_key, wrapped_key;
  ByProcess devices;
} Ovc;

typedef struct Seen { /* an event and its stamps */
  Stamps stamps;
  OvcEvent event;
} Seen;

static int ovc_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                    const void *options, void **out)
{
  const MillHost *common = host->common;
  const Options *o = options;
  (void)self, (void)level;
  Ovc *ovc = instance_new(Ovc, host, out);
  if (!ovc) return -MILL_LIMIT;
  ovc->hz = stamps_hz(o->soc_mhz);
  ovc->judges_frequency = o->judge_frequency;
  stamps_open(&ovc->stamps, common);
  ovc->wraps_key = symbol_of(common, "OVC");
  ovc->wrapped_key = symbol_of(common, "TSxOF");
  return by_process_open(&ovc->devices, common, sizeof(OvcDevice)) ? 0 : -MILL_LIMIT;
}

/* Without the stamp that the slice starts at, the first one has to do; then
 * the duration says nothing about any other. */
static void start_elsewhere(OvcEvent *event)
{
  event->start = 0;
  while (!event->has[event->start]) event->start++;
  event->stop = OVC_STAMPS;
}

static bool is_wide(const Stamps *s)
{
  for (int k = 0; k < STAMPS; k++)
    if (s->has[k] && (s->cycles[k] < 0 || s->cycles[k] >= RATE_PERIOD)) return true;
  return false;
}

/* False when no stamp can be read. */
static bool read_event(Ovc *ovc, const MillBatch *batch, const MillEvent *e, Seen *seen)
{
  const Stamps *s = &seen->stamps;
  if (!stamps_read(&ovc->stamps, batch, e, &seen->stamps)) return false;
  seen->event = (OvcEvent){ .ts_ns = e->ts_ns, .dur_ns = e->dur_ns };
  memcpy(seen->event.stamp, s->cycles, sizeof s->cycles);
  memcpy(seen->event.has, s->has, sizeof s->has);
  seen->event.start = (uint8_t)stamps_first(s->part);
  seen->event.stop = (uint8_t)stamps_last(s->part);
  if (!s->has[seen->event.start]) start_elsewhere(&seen->event);
  return true;
}

static bool is_timed_slice(const MillEvent *e)
{
  return e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) && e->n_attrs > 0;
}

static int ovc_observe(void *instance, const MillBatch *batch)
{
  Ovc *ovc = instance;
  Seen s;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    if (!is_timed_slice(e) || !read_event(ovc, batch, e, &s) || is_wide(&s.stamps)) continue;
    OvcDevice *d = by_process_of(&ovc->devices, e->track);
    if (!d || ovc_device_line(d, ovc->common, ovc->hz, batch, e, s.event.stamp[s.event.start]) ==
                  UINT32_MAX)
      return -MILL_LIMIT;
  }
  return 0;
}

/* ------------------------------------------------------------ the decision */

static void note_rate(const Ovc *ovc, const OvcDevice *d, uint32_t number, const MillBatch *batch,
                      uint32_t index)
{
  RateWide period_ms = (RateWide)RATE_PERIOD * 1000 / ovc->hz;
  const MillNamed named[] = {
    { "mhz", mill_real(rate_mhz(d ? d->estimate.hz : 0)) },
    { "pairs", mill_int(d ? d->estimate.pairs : 0) },
    { "soc", mill_real(rate_mhz(ovc->hz)) },
    { "period", mill_real((double)(int64_t)period_ms / 1000.0) },
  };
  ovc->common->note(ovc->common, number, batch, index, named, MILL_COUNT(named));
}

/* A frequency is advised only if it explains the counts better, and can be given. */
static void judge_frequency(const Ovc *ovc, OvcDevice *d)
{
  RateEstimate estimate = rate_estimate(&d->lines->rate);
  if (!rate_is_sure(&estimate)) return;
  d->estimate = estimate;
  d->frequency_off =
      llabs(estimate.hz - ovc->hz) > RATE_OFF_HZ && rate_can_be_given(estimate.hz) &&
      clock_lines_residual(d->lines, estimate.hz) < clock_lines_residual(d->lines, ovc->hz);
  if (d->frequency_off && ovc->judges_frequency)
    note_rate(ovc, d, FREQUENCY_OFF, NULL, MILL_NO_EVENT);
}

/* Until the frequency is known, what seem to be parts may come from one that is much too high or low. */
static bool is_far_off(const Ovc *ovc, const OvcDevice *d)
{
  return d->estimate.hz > 0 && 2 * llabs(d->estimate.hz - ovc->hz) > ovc->hz;
}

static bool decide_device(const Ovc *ovc, OvcDevice *d)
{
  if (!d->lines) return true;
  if (!ovc_device_settle(d, ovc->common)) return false;
  judge_frequency(ovc, d);
  for (uint32_t i = 1; i < d->n_parts && !is_far_off(ovc, d); i++)
    note_rate(ovc, d, PARTS, NULL, MILL_NO_EVENT);
  clock_lines_clear(d->lines);
  ovc->common->resize(ovc->common, d->lines, 0);
  d->lines = NULL;
  return true;
}

static int ovc_decide(void *instance)
{
  Ovc *ovc = instance;
  const KeyedEntry *const *devices = keyed_sorted(ovc->devices.states);
  bool fits = devices != NULL;
  for (uint32_t i = 0; fits && i < keyed_count(ovc->devices.states); i++)
    fits = decide_device(ovc, devices[i]->state);
  return fits ? 0 : -MILL_LIMIT;
}

static const StateField ovc_fields[] = { STATE_KEYED(Ovc, devices.states, ovc_device_state) };
static const StateType ovc_state = STATE_TYPE(Ovc, ovc_fields);
STATE_DECISION(Ovc, ovc_state)

/* ------------------------------------------------------------- each event */

/* The first stamp that was taken after a wrap since the one before it; OVC_STAMPS: none. */
static uint32_t stamp_after_wrap(const OvcEvent *e)
{
  uint32_t before = 0;
  while (before < OVC_STAMPS && !e->has[before]) before++;
  for (uint32_t k = before + 1; k < OVC_STAMPS; k++) {
    if (!e->has[k]) continue;
    if (e->stamp[k] / RATE_PERIOD > e->stamp[before] / RATE_PERIOD) return k;
    before = k;
  }
  return OVC_STAMPS;
}

static int mark_wrap(const Ovc *ovc, MillBatch *batch, uint32_t index, const OvcEvent *e)
{
  uint32_t k = stamp_after_wrap(e);
  if (k == OVC_STAMPS) return 0;
  return ovc->host->set(ovc->host, batch, index, ovc->wrapped_key, mill_sym(ovc->stamps.key[k]));
}

static int write_back(const Ovc *ovc, MillBatch *batch, uint32_t index, Seen *s, int64_t wraps)
{
  memcpy(s->stamps.cycles, s->event.stamp, sizeof s->event.stamp);
  int status = stamps_write(&ovc->stamps, ovc->host, batch, index, &s->stamps);
  if (status < 0) return status;
  status = mark_wrap(ovc, batch, index, &s->event);
  if (status < 0) return status;
  return ovc->host->set(ovc->host, batch, index, ovc->wraps_key, mill_int(wraps));
}

static void judge(const Ovc *ovc, OvcDevice *d, const MillBatch *batch, uint32_t index,
                  const Seen *s, const OvcVerdict *v)
{
  int64_t residual = llabs(v->residual_cycles);
  d->events++;
  d->straddling += v->wraps_last != v->wraps;
  if (v->wraps_last > d->wraps_max) d->wraps_max = v->wraps_last;
  if (residual > d->residual_max_cycles) d->residual_max_cycles = residual;
  if (v->unmatched) {
    d->unmatched++;
    note_rate(ovc, d, d->frequency_off ? UNMATCHED : UNMATCHED_STEADY, batch, index);
  }
  if (v->disordered) note_rate(ovc, d, DISORDERED, batch, index);
  if (s->stamps.n < OVC_STAMPS) note_rate(ovc, d, MISSING, batch, index);
  if (s->event.dur_ns >= 0 && rate_cycles(ovc->hz, s->event.dur_ns) > RATE_PERIOD)
    note_rate(ovc, d, LONG, batch, index);
}

static int unwrap(Ovc *ovc, MillBatch *batch, uint32_t index, Seen *s)
{
  const MillEvent *e = &batch->events[index];
  OvcVerdict verdict;
  OvcDevice *d = by_process_of(&ovc->devices, e->track);
  uint32_t line =
      d ? ovc_device_line(d, ovc->common, ovc->hz, batch, e, s->event.stamp[s->event.start])
        : UINT32_MAX;
  if (line == UINT32_MAX) return -MILL_LIMIT;
  const OvcClock clock = { ovc->hz, ovc_device_epoch(d, line) };
  if (!ovc_unwrap(&clock, &s->event, &verdict)) {
    note_rate(ovc, d, WIDE, batch, index);
    return 0;
  }
  judge(ovc, d, batch, index, s, &verdict);
  return write_back(ovc, batch, index, s, verdict.wraps);
}

static int ovc_process(void *instance, MillBatch *batch)
{
  Ovc *ovc = instance;
  Seen s;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    int status = 0;
    if (!is_timed_slice(&batch->events[i])) continue;
    if (!read_event(ovc, batch, &batch->events[i], &s)) {
      if (s.stamps.n_named > 0)
        note_rate(ovc, NULL, s.stamps.all_zero ? ALL_ZERO : MISSING, batch, i);
    } else if (is_wide(&s.stamps)) {
      note_rate(ovc, NULL, WIDE, batch, i);
    } else {
      status = unwrap(ovc, batch, i, &s);
    }
    if (status < 0) return status;
  }
  return 0;
}

typedef struct OvcRow {
  MillText process;
  int64_t events, wraps, straddling, unmatched, epoch_ns;
  double soc_mhz, estimated_mhz;
  int64_t pairs, residual_max_ns, parts;
} OvcRow;

static int report_device(const Ovc *ovc, const KeyedEntry *entry)
{
  const OvcDevice *d = entry->state;
  if (d->events == 0) return 0;
  bool estimated = d->estimate.hz > 0;
  const OvcRow row = {
    .process = by_process_text(entry),
    .events = (int64_t)d->events,
    .wraps = d->wraps_max,
    .straddling = (int64_t)d->straddling,
    .unmatched = (int64_t)d->unmatched,
    .epoch_ns = ovc_span_ns(ovc->hz, ovc_device_epoch(d, 0)),
    .soc_mhz = rate_mhz(ovc->hz),
    .estimated_mhz = estimated ? rate_mhz(d->estimate.hz) : (double)NAN,
    .pairs = d->estimate.pairs,
    .residual_max_ns = ovc_span_ns(ovc->hz, d->residual_max_cycles),
    .parts = d->n_parts,
  };
  return mill_row(ovc->host, 0, &row);
}

static int ovc_report(void *instance)
{
  const Ovc *ovc = instance;
  const KeyedEntry *const *devices = keyed_sorted(ovc->devices.states);
  int status = devices ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(ovc->devices.states); i++)
    status = report_device(ovc, devices[i]);
  return status;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = ovc_open,
  .observe = ovc_observe,
  .decide = ovc_decide,
  .save_decision = save_decision,
  .load_decision = load_decision,
  .process = ovc_process,
  .report = ovc_report,
};

static const MillOption options[] = {
  STAMPS_SOC_OPTION(Options, soc_mhz),
  MILL_BOOL_OPTION(
      Options, judge_frequency, "judge-frequency", "true",
      "Warn if soc-mhz differs from the data; after freq not needed, because that stage warns"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      FREQUENCY_OFF, "the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times from device cycles are wrong in the same proportion",
      "add --set soc-mhz={mhz}   (estimated from {pairs} pair[|s])",
      "The stage compares counts of device stamps with the host times at which they were taken, "
      "over 1 ms to 1 s. The estimate is the mean of all pairs within 2 % of the median frequency. "
      "It differs from soc-mhz by more than 0.1 MHz. Cycles are converted with soc-mhz, so every "
      "such time is wrong, and in a long trace the number of overflows is uncertain. Give the "
      "estimate as soc-mhz."),
  MILL_WARNING(
      UNMATCHED, "{count} counter overflow[|s] in {lane} could not be matched to a clock",
      "stamps in this rank may be wrong by one counter period ({period} s at {soc} MHz)",
      "add --set soc-mhz={mhz}   (estimated from {pairs} pair[|s])",
      "A stamp is put into the counter period that is nearest to the host's clock. These stamps "
      "are more than a quarter of a period away, so the choice may be wrong by one period. The "
      "estimated frequency differs from soc-mhz, which explains a distance that grows with time: "
      "give the estimate as soc-mhz and repeat the run."),
  MILL_WARNING(
      UNMATCHED_STEADY, "{count} counter overflow[|s] in {lane} could not be matched to a clock",
      "stamps in this rank may be wrong by one counter period ({period} s at {soc} MHz)",
      "check that the trace holds one device per rank and that soc-mhz is the device's frequency",
      "A stamp is put into the counter period that is nearest to the host's clock. These stamps "
      "are more than a quarter of a period away, and soc-mhz seems right: the device was reset, "
      "the host's clock was set during the run, stamps of several devices share a file, or single "
      "stamps are damaged."),
  MILL_INFO(
      LONG,
      "{count} device event[|s] in {lane} [is|are] longer than one counter period ({period} s)",
      NULL, NULL,
      "The host's duration tells how often the counter wrapped between the first and the last "
      "stamp of the event. The stage assumes that its other stamps follow each other within one "
      "period; the event cannot prove this."),
  MILL_WARNING(DISORDERED, "{count} device event[|s] in {lane} [has|have] stamps out of order",
               "intervals between these stamps are negative",
               "check whether the stamps are damaged; aiu-verify counts them",
               "The five stamps of an event should never decrease. A stamp that is less than a "
               "sixteenth of a period before its predecessor is not a wrap: the device or the "
               "tracer wrote a wrong stamp. The stamps are not changed."),
  MILL_WARNING(
      MISSING, "{count} device event[|s] in {lane} [lacks|lack] some of the stamps TS1 to TS5",
      "the other stamps are used", "record all of TS1 to TS5",
      "A device event should carry five whole numbers TS1 to TS5, or a list cycles_ts of five, as "
      "numbers or as decimal or 0x texts. Stamps that are missing or unreadable are not changed; "
      "without the stamp at which the event starts, its first one is matched instead."),
  MILL_WARNING(WIDE,
               "{count} device event[|s] in {lane} [has|have] stamps beyond 32 bits and [was|were] "
               "not changed",
               "if the stamps are absolute already, they are right",
               "for traces that are unwrapped already, add --disable ovc",
               "The counter has 32 bits. A negative or larger stamp is either absolute already, "
               "because an earlier run unwrapped it, or damaged."),
  MILL_WARNING(
      PARTS, "the counter of {lane} restarts, or the host's clock is set: {count} time[|s]",
      "each span of the counter is unwrapped by itself; device time between spans is not known",
      "if these are files of several runs, run each by itself",
      "Counts rise with the host's time. Here they jump: by more than 20 ms, and by more than a "
      "thousandth of the time since the last count. The device was reset, as between jobs; the "
      "host's clock was set; or several files were given as one rank. Each span of the counter is "
      "unwrapped by itself, in order. Differences of cycles between two spans have no meaning."),
  MILL_WARNING(
      ALL_ZERO, "{count} device event[|s] in {lane} [has|have] stamps that are all 0",
      "[it keeps|they keep] the times that the host wrote, and results by stamps lack [it|them]",
      "record the trace with stamps of the device",
      "A counter is not 0 during a whole event: these stamps were never taken. The events keep the "
      "host's length. Iterations, utilisation, power and times between stamps leave them out."),
};

static const MillRead reads[] = { STAMPS_READS, JOBS_READS(MILL_KIND(MILL_SLICE)) };

static const MillColumn columns[] = {
  MILL_KEY(OvcRow, process, "process", NULL, "Each process has a counter of its own"),
  MILL_BRIEF(OvcRow, events, "events", "count", "Device events"),
  MILL_BRIEF(OvcRow, wraps, "wraps", "count",
             "Wraps of the counter from the reference epoch to the last stamp"),
  MILL_COLUMN(OvcRow, straddling, "straddling", "count", 0,
              "Events with a wrap between their stamps"),
  MILL_COLUMN(OvcRow, unmatched, "unmatched", "count", 0,
              "Events more than a quarter period from the expected count"),
  MILL_COLUMN(OvcRow, epoch_ns, "epoch", "ns", 0,
              "Time at which the counter was 0, before the first stamp"),
  MILL_COLUMN(OvcRow, soc_mhz, "soc", "MHz", 0, "Configured frequency"),
  MILL_BRIEF(OvcRow, estimated_mhz, "estimated", "MHz",
             "Frequency found in the data; empty without enough pairs"),
  MILL_COLUMN(OvcRow, pairs, "pairs", "count", 0, "Number of pairs of stamps behind the estimate"),
  MILL_COLUMN(OvcRow, residual_max_ns, "residual_max", "ns", MILL_COLUMN_LOWER,
              "Largest distance of an event from the count that the host's clock expects"),
  MILL_COLUMN(OvcRow, parts, "parts", "count", 0,
              "Number of spans of the counter; a restart of the counter or a change of the host's "
              "clock begins a new span"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "ovc",
    .help = "How the device counter was unwrapped",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.cycles", NULL };
static const char *const provides[] = { "clock.unwrapped", "attr.ovc", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .options_size = sizeof(Options),
  .name = "ovc",
  .family = "clock",
  .version = "1.0.0",
  .tag = "OVC",
  .title = "Unwrap 32-bit device counters into absolute cycles",
  .help =
      "Device events carry five stamps of a counter of 32 bits, which wraps every few seconds. The "
      "stage puts each stamp into the epoch nearest to the host's clock, so that TS1 to TS5 become "
      "absolute cycles from one reference epoch per rank. The attribute OVC counts the wraps "
      "before the event. The stage also estimates the frequency from the data.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
