/* Power of a device from the charge that its events carry: between two readings in device time,
 * 12 V times the charge over the time.  Each process has a meter.  Readings are put in order by a window of
 * 16,384; one that is late by more is counted and left out.  Where the charge between two is not known there is
 * no power: a counter that ends where it begins brings the line of a viewer down. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <math.h>
#include <string.h>

#include "charge.h"
#include "kit/declare/rows.h"
#include "kit/trace/by-process.h"
#include "kit/numbers/clip.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/counter.h"
#include "kit/trace/stamps.h"
#include "pec-words.h"
#include "samples.h"

enum { TOO_HIGH = 1, UNREADABLE, NO_STAMP, LATE, GAP, RESTARTED, NO_POWER, IMPOSSIBLE, NO_STAMPS };
enum { STAMP_TS4, STAMP_TS3 }; /* choices of the option stamp */

#define SHORTEST_NS 100 /* with ts4 an event up to this long gives no reading */

/* More than any device takes: what shows it is no power. */
#define IMPOSSIBLE_WATTS 1000

/* A unit of the meter is 1 W over 23.4 ns: readings that lie closer together tell no power. */
#define CLOSEST_NS 24

typedef struct Options {
  int64_t stamp;
  bool skip;
  double max_watts;
  double soc_mhz;
} Options;

typedef struct Meter { /* of a process */
  Samples samples;
  Sample before; /* the reading from which the next interval begins */
  bool has_before, has_track;
  uint32_t track;
  MillValue process;
} Meter;

typedef struct Known { /* of intervals: how many there are, how long they take, and their charge */
  int64_t n, ns;
  ChargeUnits least, most;
} Known;

typedef struct Pec {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  int64_t hz;
  StampReader stamps;
  PecWords words;
  MillSym power_key, charge_key, until_key, process_key, watts_key, cat;
  MillSym counter[PEC_KINDS]; /* names of counters */
  ByProcess meters;
  bool has_rank_row; /* the row of the rank has counters: those of the first process */
  int64_t readings, skipped;
  double highest_watts; /* of those that are too high */
  Known spans[CHARGE_VERDICTS];
} Pec;

/* ---------------------------------------------------------------- opening */

static void name_counters(Pec *pec)
{
  static const char *const names[PEC_KINDS] = { "Power Other",     "Power DmaI",
                                                "Power DmaO",      "Power AllGather",
                                                "Power AllReduce", "Power Cmpt Exec" };
  bool by_kind = pec->options.stamp == STAMP_TS3;
  for (int i = 0; i < PEC_KINDS; i++) {
    size_t len = by_kind ? strlen(names[i]) : strlen("Power");
    pec->counter[i] = pec->common->intern(pec->common, names[i], len);
  }
  pec->cat = pec->common->intern(pec->common, by_kind ? "Power3" : "Power4", 6);
}

static int pec_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                    const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)level;
  Pec *pec = instance_new(Pec, host, out);
  if (!pec) return -MILL_LIMIT;
  pec->options = *(const Options *)options;
  pec->hz = stamps_hz(pec->options.soc_mhz);
  stamps_open(&pec->stamps, common);
  pec->words.common = common;
  pec->power_key = symbol_of(common, "Power");
  pec->charge_key = symbol_of(common, "charge");
  pec->until_key = symbol_of(common, "power_until_ns");
  pec->process_key = symbol_of(common, "power_process");
  pec->watts_key = symbol_of(common, "Watts");
  name_counters(pec);
  return by_process_open(&pec->meters, common, sizeof(Meter)) ? 0 : -MILL_LIMIT;
}

/* -------------------------------------------------------------- intervals */

static int emit(Pec *pec, MillBatch *batch, uint32_t after, const Meter *meter, int64_t ts_ns,
                int64_t until_ns, double watts)
{
  const MillStageHost *host = pec->host;
  const Counter counter = { .ts_ns = ts_ns,
                            .name = pec->counter[pec_words_kind(&pec->words, meter->before.name)],
                            .cat = pec->cat,
                            .key = pec->watts_key,
                            .track = meter->track,
                            .value = watts };
  uint32_t index = counter_emit(host, batch, after, &counter);
  if (index == MILL_FAILED) return -MILL_LIMIT;
  int status = host->set(host, batch, index, pec->until_key, mill_int(until_ns));
  if (status < 0 || meter->process.type == MILL_NONE) return status;
  return host->set(host, batch, index, pec->process_key, meter->process);
}

static uint64_t span_ns(const Sample *a, const Sample *b)
{
  return (uint64_t)b->at_ns - (uint64_t)a->at_ns;
}

static void count(Pec *pec, const Charge *charge, uint64_t ns)
{
  Known *spans = &pec->spans[charge->verdict];
  spans->n++;
  spans->ns = add_clipped(spans->ns, ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
  spans->least += charge->least;
  spans->most += charge->most;
}

static int end_interval(Pec *pec, MillBatch *batch, uint32_t after, Meter *meter, const Sample *now)
{
  const Sample *before = &meter->before;
  uint64_t ns = span_ns(before, now);
  Charge charge = charge_between(before->charge, now->charge, ns, pec->options.max_watts);
  bool known = charge.verdict == CHARGE_KNOWN;
  count(pec, &charge, ns);
  if (charge.verdict == CHARGE_TOO_HIGH)
    pec->highest_watts = fmax(pec->highest_watts, charge_watts(now->charge - before->charge, ns));
  int status = emit(pec, batch, after, meter, before->at_ns, known ? now->at_ns : before->at_ns,
                    known ? charge_watts(charge.least, ns) : 0);
  if (status == 0 && known && pec->options.stamp == STAMP_TS3)
    status = emit(pec, batch, after, meter, now->at_ns - 1, now->at_ns - 1, 0);
  meter->before = *now;
  return status;
}

/* A reading of 0 is none; what one that is too close to the last has counted is in the next one. */
static int take_reading(Pec *pec, MillBatch *batch, uint32_t after, Meter *meter)
{
  Sample now = samples_take(&meter->samples);
  if (!meter->has_before || meter->before.charge == 0) {
    meter->before = now;
    meter->has_before = true;
    return 0;
  }
  if (now.charge == 0 || span_ns(&meter->before, &now) < CLOSEST_NS) return 0;
  if (pec->options.skip && pec_words_skip(&pec->words, meter->before.name, now.name)) {
    pec->skipped++;
    return 0;
  }
  return end_interval(pec, batch, after, meter, &now);
}

/* --------------------------------------------------------------- readings */

static void note(const Pec *pec, uint32_t number, const MillBatch *batch, uint32_t index)
{
  pec->common->note(pec->common, number, batch, index, NULL, 0);
}

static const MillAttr *charge_attr(const Pec *pec, const MillBatch *batch, const MillEvent *e)
{
  const MillAttr *attr = mill_attr(batch, e, pec->power_key);
  return attr ? attr : mill_attr(batch, e, pec->charge_key);
}

static bool may_measure(Pec *pec, const MillBatch *batch, const MillEvent *e)
{
  if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS || !charge_attr(pec, batch, e))
    return false;
  if (pec->options.stamp == STAMP_TS4 && e->dur_ns <= SHORTEST_NS) return false;
  return pec_words_measures(&pec->words, e->name);
}

static bool can_time(const Stamps *s, uint32_t k)
{
  return s->n > 0 && !s->all_zero && s->has[k] && s->has[stamps_first(s->part)];
}

/* Stamps that were not taken are counted by `ovc`. */
static void note_untimed(const Pec *pec, const MillBatch *batch, uint32_t index, const Stamps *s,
                         uint32_t other)
{
  const MillNamed named[] = { { "other", mill_text(other == 2 ? "ts3" : "ts4", 3) } };
  if (s->all_zero) return;
  pec->common->note(pec->common, can_time(s, other) ? NO_STAMP : NO_STAMPS, batch, index, named,
                    MILL_COUNT(named));
}

/* False when the event has no reading that can be used. */
static bool read_sample(Pec *pec, const MillBatch *batch, uint32_t index, Sample *out)
{
  const MillEvent *e = &batch->events[index];
  const MillAttr *attr = charge_attr(pec, batch, e);
  uint32_t k = pec->options.stamp == STAMP_TS3 ? 2 : 3;
  Stamps s;
  if ((attr->type & MILL_ATTR_TYPE) != MILL_INT || attr->u.i < 0 || attr->u.i > UINT32_MAX) {
    note(pec, UNREADABLE, batch, index);
    return false;
  }
  if (!stamps_read(&pec->stamps, batch, e, &s) || !can_time(&s, k)) {
    note_untimed(pec, batch, index, &s, 5 - k);
    return false;
  }
  *out = (Sample){ .at_ns = stamps_time_ns(pec->hz, &s, e, k),
                   .charge = (uint32_t)attr->u.i,
                   .name = e->name };
  return true;
}

/* Counters of the first process are on the row of the rank, those of another on its own. */
static bool open_meter(Pec *pec, const MillEvent *e, Meter *meter)
{
  MillTrack info = { .size = sizeof info };
  if (meter->has_track) return true;
  pec->common->track_info(pec->common, e->track, &info);
  meter->process = info.process;
  meter->track = pec->has_rank_row ? pec->host->track(pec->host, info.process, mill_none())
                                   : counter_track(pec->host, e);
  meter->has_track = pec->has_rank_row = true;
  return meter->track != MILL_FAILED;
}

static int add_reading(Pec *pec, MillBatch *batch, uint32_t index)
{
  Sample sample;
  int status = 0;
  if (!read_sample(pec, batch, index, &sample)) return 0;
  Meter *meter = by_process_of(&pec->meters, batch->events[index].track);
  if (!meter || !open_meter(pec, &batch->events[index], meter)) return -MILL_LIMIT;
  if (samples_missed(&meter->samples, sample.at_ns)) {
    note(pec, LATE, batch, index);
    return 0;
  }
  pec->readings++;
  if (samples_are_full(&meter->samples)) status = take_reading(pec, batch, index, meter);
  if (status == 0 && !samples_put(pec->common, &meter->samples, &sample)) status = -MILL_LIMIT;
  return status;
}

static int pec_process(void *instance, MillBatch *batch)
{
  Pec *pec = instance;
  uint32_t n = batch->n_events;
  for (uint32_t i = 0; i < n; i++) {
    if (!may_measure(pec, batch, &batch->events[i])) continue;
    int status = add_reading(pec, batch, i);
    if (status < 0) return status;
  }
  return 0;
}

/* ----------------------------------------------------------------- the end */

static void note_unknown(const Pec *pec, uint32_t number, ChargeVerdict verdict)
{
  const Known *spans = &pec->spans[verdict];
  double max = pec->options.max_watts;
  const MillNamed named[] = {
    { "max", mill_real(max) },
    { "least", mill_real(charge_joules(spans->least)) },
    { "most", mill_real(charge_joules(spans->most)) },
    { "seconds", mill_real((double)spans->ns / 1e9) },
    { "longest", mill_real(floor(charge_longest_s(max) * 1000) / 1000) },
    { "highest", mill_int((int64_t)ceil(pec->highest_watts)) },
  };
  for (int64_t i = 0; i < spans->n; i++)
    pec->common->note(pec->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static int64_t intervals(const Pec *pec)
{
  int64_t n = 0;
  for (int i = 0; i < CHARGE_VERDICTS; i++) n += pec->spans[i].n;
  return n;
}

static int pec_flush(void *instance, MillBatch *batch)
{
  Pec *pec = instance;
  const KeyedEntry *const *meters = keyed_sorted(pec->meters.states);
  int status = meters ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(pec->meters.states); i++) {
    Meter *meter = meters[i]->state;
    while (meter->samples.n > 0 && status == 0)
      status = take_reading(pec, batch, MILL_AT_END, meter);
  }
  note_unknown(pec, GAP, CHARGE_GAP);
  note_unknown(pec, RESTARTED, CHARGE_RESTARTED);
  note_unknown(pec, pec->highest_watts > IMPOSSIBLE_WATTS ? IMPOSSIBLE : TOO_HIGH, CHARGE_TOO_HIGH);
  if (pec->skipped > 0 && intervals(pec) == 0) mill_note(pec->common, NO_POWER);
  return status;
}

typedef struct PowerMeterRow {
  int64_t readings, skipped, intervals, known_ns;
  double energy;
  int64_t unknown_intervals, unknown_ns;
  double unknown_least, unknown_most;
} PowerMeterRow;

static int pec_report(void *instance)
{
  const Pec *pec = instance;
  const Known *known = &pec->spans[CHARGE_KNOWN];
  Known unknown = { 0 };
  if (pec->readings == 0) return 0;
  for (int i = CHARGE_KNOWN + 1; i < CHARGE_VERDICTS; i++) {
    unknown.n += pec->spans[i].n;
    unknown.ns = add_clipped(unknown.ns, pec->spans[i].ns);
    unknown.least += pec->spans[i].least;
    unknown.most += pec->spans[i].most;
  }
  const PowerMeterRow row = {
    .readings = pec->readings,
    .skipped = pec->skipped,
    .intervals = known->n,
    .known_ns = known->ns,
    .energy = charge_joules(known->least),
    .unknown_intervals = unknown.n,
    .unknown_ns = unknown.ns,
    .unknown_least = charge_joules(unknown.least),
    .unknown_most = charge_joules(unknown.most),
  };
  return mill_row(pec->host, 0, &row);
}

/* ------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = pec_open,
  .process = pec_process,
  .flush = pec_flush,
  .report = pec_report,
};

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, stamp, "stamp", "ts4", "ts4|ts3",
                     "When the meter was read: at the end of the computation, or at its begin; ts3 "
                     "makes a counter for each kind of event"),
  MILL_BOOL_OPTION(Options, skip, "skip", "false",
                   "Leave out intervals from one kernel to the next, from a transfer out to a "
                   "transfer in, and from a kernel to a transfer in"),
  MILL_REAL_OPTION(Options, max_watts, "max-watts", "100", "0.001:1000000000", "W",
                   "Highest possible power; it also decides how long a gap must be for the meter "
                   "to wrap"),
  STAMPS_SOC_OPTION(Options, soc_mhz),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      TOO_HIGH, "{count} interval[|s] between readings of power in {lane} [is|are] above {max} W",
      "power of {lane} is unknown for {seconds} s; totals leave out at most {most} J",
      "if the device of {lane} can take {highest} W, add --set pec.max-watts={highest}",
      "A higher power than the device can take comes from stamps that were not unwrapped, from "
      "damaged readings, or from a soc-mhz that is too high. The energy of these intervals is "
      "unknown; mean power and energy cover all other time."),
  MILL_WARNING(
      UNREADABLE,
      "{count} event[|s] in {lane} [has|have] a reading of power that is not a number of 32 bits",
      "[it is|they are] left out; the interval goes on to the next reading",
      "check what wrote the trace: the meter counts from 0 to 4294967295",
      "The attribute Power, or charge, is a whole number from 0 to 4294967295, as a number or as a "
      "decimal or 0x text. Another value was found."),
  MILL_WARNING(
      NO_STAMP,
      "{count} event[|s] in {lane} [has|have] a reading of power, but not the stamp at which it "
      "was taken",
      "[it is|they are] left out; the interval goes on to the next reading",
      "take the other stamp, which [it has|they have]: --set pec.stamp={other}",
      "A reading belongs to the stamp TS4, or with stamp=ts3 to TS3. This stamp is missing and the "
      "other one exists: the runtime that wrote the trace reads the meter at the other one."),
  MILL_WARNING(
      LATE, "{count} reading[|s] of power in {lane} [comes|come] too late",
      "[it is|they are] left out; the interval goes on to the next reading",
      "put time-order or cycles before this stage",
      "The stage sorts readings by device time within a window of 16,384 readings. A later reading "
      "belongs between two that were used already: its stamp is far before its slice, as in files "
      "with damaged stamps."),
  MILL_WARNING(
      GAP,
      "{count} gap[|s] between readings of power in {lane} could hold a whole period of the meter",
      "power of {lane} is unknown for {seconds} s; totals leave out {least} to {most} J",
      "record power at least every {longest} s; if the device takes less than {max} W, add --set "
      "pec.max-watts=W",
      "The meter has 32 bits and wraps after 100.66 J. If a gap is so long that the device could "
      "use that much at max-watts, the number of wraps is unknown. Such a gap has no power, but "
      "the table power-meter has bounds for its energy; mean power and energy cover all other "
      "time."),
  MILL_WARNING(
      RESTARTED, "the meter of power in {lane} restarts {count} time[|s]",
      "power of {lane} is unknown for {seconds} s; totals leave out {least} to {most} J",
      "run each job by itself, or see the table power-meter",
      "A reading is below the previous one, by less than half of the meter's period, or by so much "
      "that a wrap would need more than max-watts: the device was reset, or another job began with "
      "a meter at 0. The energy between the two readings is at least the new reading, and at most "
      "max-watts times the time. This time has no power, and totals leave it out."),
  MILL_INFO(
      NO_POWER, "the readings of power in {lane} have no interval between them", NULL,
      "the option skip may leave out all of them: try --set pec.skip=false",
      "Power needs two readings that are not 0 and not taken at the same time. With skip=true, "
      "intervals from a kernel to a kernel or to a transfer in are left out; these may be all "
      "intervals."),
  MILL_WARNING(
      NO_STAMPS,
      "{count} event[|s] in {lane} [has|have] a reading of power, but not when it was taken",
      "[it is|they are] left out; the interval goes on to the next reading",
      "record all of TS1 to TS5",
      "A reading belongs to the stamp TS4, or with stamp=ts3 to TS3. Its time is computed from the "
      "stamp at which the slice begins, so both stamps are needed. The trace lacks one of them."),
  MILL_WARNING(
      IMPOSSIBLE,
      "{count} interval[|s] between readings of power in {lane} [is|are] above {max} W, up to "
      "{highest} W",
      "power of {lane} is unknown for {seconds} s; totals leave out at most {most} J",
      "try the other stamp, --set pec.stamp=ts3 or ts4; check stamps and readings",
      "Power is the charge between two readings divided by their time. No device takes this much: "
      "the times of the readings, or the readings, are wrong. Perhaps the runtime reads the meter "
      "at the other stamp, so that two readings are too close together. Stamps that were not "
      "unwrapped, damaged readings, and a soc-mhz that is much too high look the same. Mean power "
      "and energy cover all other time."),
};

#define ON_SLICES MILL_KIND(MILL_SLICE)
static const MillRead reads[] = { STAMPS_READS,
                                  { "Power", MILL_AS_INT, ON_SLICES },
                                  { "charge", MILL_AS_INT, ON_SLICES } };

static const MillColumn columns[] = {
  MILL_COLUMN(PowerMeterRow, readings, "readings", "count", 0, "Readings that could be used"),
  MILL_COLUMN(PowerMeterRow, skipped, "skipped", "count", 0,
              "Readings that the option skip left out"),
  MILL_BRIEF(PowerMeterRow, intervals, "intervals", "count",
             "Intervals between readings whose power is known"),
  MILL_BRIEF(PowerMeterRow, known_ns, "known", "ns", "Total time of these intervals"),
  MILL_COLUMN(PowerMeterRow, energy, "energy", "J", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Energy used in these intervals"),
  MILL_COLUMN(
      PowerMeterRow, unknown_intervals, "unknown_intervals", "count", 0,
      "Intervals whose power is unknown: the meter may have wrapped or restarted, or was wrong"),
  MILL_COLUMN(PowerMeterRow, unknown_ns, "unknown", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Total time of these intervals"),
  MILL_BRIEF(PowerMeterRow, unknown_least, "unknown_least", "J",
             "Energy that was at least used in them"),
  MILL_BRIEF(PowerMeterRow, unknown_most, "unknown_most", "J", "At most this"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "power-meter",
    .help = "Time with known and with unknown power, for the meter of each rank",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.unwrapped", "order.lane", NULL };
static const char *const wants[] = { "clock.device", NULL };
static const char *const provides[] = { "power.counters", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };
static const char *const private_attrs[] = { "power_until_ns", "power_process", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "pec",
  .family = "power",
  .version = "1.0.0",
  .tag = "PEC",
  .title = "Power counters from the charge that device events carry",
  .help =
      "Device events carry a reading of a meter that counts charge. Between two readings in device "
      "time, the power is 12 V times the charge divided by the time; the counter Power shows it "
      "from the earlier reading on. Equal readings are 0 W. If the meter may have wrapped or "
      "restarted, or shows more than max-watts, the power is unknown: the table power-meter has "
      "bounds.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  .private_attrs = private_attrs,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
