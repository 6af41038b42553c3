/* Absolute cycles from 32-bit device counters: every stamp is put into the epoch
 * nearest to where the host's clock expects it, by integer arithmetic.
 * Limits: one counter per lane; stamps inside one event, other than the two that
 * the slice itself shows, are taken to be less than a period apart; the
 * configured frequency may be wrong by half a period over the whole trace. */
#include <stagemill/stage.h>

#include <stdlib.h>
#include <string.h>

#include "lib/stamps.h"
#include "ovc-clock.h"

enum {
  FREQUENCY_OFF = 1,
  UNMATCHED = 2,
  UNMATCHED_STEADY = 3,
  LONG = 4,
  DISORDERED = 5,
  MISSING = 6,
  WIDE = 7,
  ALL_ZERO = 8
};

typedef struct Options {
  double soc_mhz;
  bool judge_frequency;
} Options;

typedef struct Ovc {
  const MillStageHost *host;
  const MillHost *common;
  OvcClock clock;
  Rate rate;
  RateEstimate estimate;
  bool judges_frequency, frequency_off;
  StampReader stamps;
  MillSym wraps_key, wrapped_key;
  uint64_t events, straddling, unmatched;
  int64_t wraps_max, residual_max_cycles;
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
  Ovc *ovc = mill_new(common, sizeof *ovc);
  if (!ovc) return -MILL_LIMIT;
  ovc->host = host;
  ovc->common = common;
  ovc->clock.hz = stamps_hz(o->soc_mhz);
  ovc->judges_frequency = o->judge_frequency;
  stamps_open(&ovc->stamps, common);
  ovc->wraps_key = common->intern(common, "OVC", 3);
  ovc->wrapped_key = common->intern(common, "TSxOF", 5);
  *out = ovc;
  return 0;
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
    int64_t stamp = s.event.stamp[s.event.start];
    ovc_clock_see(&ovc->clock, e->ts_ns, stamp);
    rate_see(&ovc->rate, e->ts_ns, stamp);
  }
  return 0;
}

/* What `process` and `report` go by. */
static int ovc_save_decision(void *instance)
{
  const Ovc *ovc = instance;
  const MillStageHost *host = ovc->host;
  host->put_int(host, (int64_t)(ovc->clock.epoch >> 64));
  host->put_int(host, (int64_t)(uint64_t)ovc->clock.epoch);
  host->put_int(host, ovc->clock.known);
  host->put_int(host, ovc->estimate.hz);
  host->put_int(host, ovc->estimate.pairs);
  host->put_int(host, ovc->estimate.span_ns);
  host->put_int(host, ovc->frequency_off);
  return 0;
}

static int ovc_load_decision(void *instance)
{
  Ovc *ovc = instance;
  const MillStageHost *host = ovc->host;
  RateWide high = host->get_int(host);
  ovc->clock.epoch = high * ((RateWide)1 << 64) + (uint64_t)host->get_int(host);
  ovc->clock.known = host->get_int(host) != 0;
  ovc->estimate.hz = host->get_int(host);
  ovc->estimate.pairs = (uint32_t)host->get_int(host);
  ovc->estimate.span_ns = host->get_int(host);
  ovc->frequency_off = host->get_int(host) != 0;
  return 0;
}

static void note_rate(const Ovc *ovc, uint32_t number, const MillBatch *batch, uint32_t index)
{
  RateWide period_ms = (RateWide)RATE_PERIOD * 1000 / ovc->clock.hz;
  const MillNamed named[] = {
    { "mhz", mill_real(rate_mhz(ovc->estimate.hz)) },
    { "pairs", mill_int(ovc->estimate.pairs) },
    { "soc", mill_real(rate_mhz(ovc->clock.hz)) },
    { "period", mill_real((double)(int64_t)period_ms / 1000.0) },
  };
  ovc->common->note(ovc->common, number, batch, index, named, MILL_COUNT(named));
}

static int ovc_decide(void *instance)
{
  Ovc *ovc = instance;
  RateEstimate estimate = rate_estimate(&ovc->rate);
  if (!rate_is_sure(&estimate)) return 0;
  ovc->estimate = estimate;
  ovc->frequency_off = llabs(estimate.hz - ovc->clock.hz) > RATE_OFF_HZ;
  if (ovc->frequency_off && ovc->judges_frequency)
    note_rate(ovc, FREQUENCY_OFF, NULL, MILL_NO_EVENT);
  return 0;
}

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

static void judge(Ovc *ovc, const MillBatch *batch, uint32_t index, const Seen *s,
                  const OvcVerdict *v)
{
  int64_t residual = llabs(v->residual_cycles);
  ovc->events++;
  ovc->straddling += v->wraps_last != v->wraps;
  if (v->wraps_last > ovc->wraps_max) ovc->wraps_max = v->wraps_last;
  if (residual > ovc->residual_max_cycles) ovc->residual_max_cycles = residual;
  if (v->unmatched) {
    ovc->unmatched++;
    note_rate(ovc, ovc->frequency_off ? UNMATCHED : UNMATCHED_STEADY, batch, index);
  }
  if (v->disordered) note_rate(ovc, DISORDERED, batch, index);
  if (s->stamps.n < OVC_STAMPS) note_rate(ovc, MISSING, batch, index);
  if (s->event.dur_ns >= 0 && rate_cycles(ovc->clock.hz, s->event.dur_ns) > RATE_PERIOD)
    note_rate(ovc, LONG, batch, index);
}

static int ovc_process(void *instance, MillBatch *batch)
{
  Ovc *ovc = instance;
  Seen s;
  OvcVerdict verdict;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    if (!is_timed_slice(e)) continue;
    if (!read_event(ovc, batch, e, &s)) {
      if (s.stamps.n_named > 0) note_rate(ovc, s.stamps.all_zero ? ALL_ZERO : MISSING, batch, i);
      continue;
    }
    if (is_wide(&s.stamps) || !ovc_unwrap(&ovc->clock, &s.event, &verdict)) {
      note_rate(ovc, WIDE, batch, i);
      continue;
    }
    judge(ovc, batch, i, &s, &verdict);
    int status = write_back(ovc, batch, i, &s, verdict.wraps);
    if (status < 0) return status;
  }
  return 0;
}

static int ovc_report(void *instance)
{
  Ovc *ovc = instance;
  if (ovc->events == 0) return 0;
  bool estimated = ovc->estimate.hz > 0;
  const MillValue cells[] = {
    mill_int((int64_t)ovc->events),
    mill_int(ovc->wraps_max),
    mill_int((int64_t)ovc->straddling),
    mill_int((int64_t)ovc->unmatched),
    mill_int(ovc_span_ns(ovc->clock.hz, ovc->clock.epoch)),
    mill_real(rate_mhz(ovc->clock.hz)),
    estimated ? mill_real(rate_mhz(ovc->estimate.hz)) : mill_none(),
    mill_int(ovc->estimate.pairs),
    mill_int(ovc_span_ns(ovc->clock.hz, ovc->residual_max_cycles)),
  };
  return ovc->host->row(ovc->host, 0, cells, MILL_COUNT(cells));
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = ovc_open,
  .observe = ovc_observe,
  .decide = ovc_decide,
  .save_decision = ovc_save_decision,
  .load_decision = ovc_load_decision,
  .process = ovc_process,
  .report = ovc_report,
};

static const MillOption options[] = {
  STAMPS_SOC_OPTION(Options, soc_mhz),
  MILL_BOOL_OPTION(
      Options, judge_frequency, "judge-frequency", "true",
      "Warn where soc-mhz is not what the data shows; not after clock/freq, which does"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      FREQUENCY_OFF, "the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times made of device cycles are wrong in the same proportion",
      "add --set soc-mhz={mhz}   (estimated from {pairs} pair[|s])",
      "The counts of device stamps were compared with the host times at which they were taken, "
      "over spans of a millisecond to a second; the median of these frequencies and all pairs "
      "within 2 % of it give the estimate. It differs from the configured frequency by more than "
      "0.1 MHz. Cycles are converted to time by the configured one, so every such time is off, and "
      "on a long trace overflows can no longer be told apart. Give the estimate as soc-mhz."),
  MILL_WARNING(
      UNMATCHED, "{count} counter overflow[|s] in {lane} could not be matched to a clock",
      "stamps in this rank may be wrong by one counter period ({period} s at {soc} MHz)",
      "add --set soc-mhz={mhz}   (estimated from {pairs} pair[|s])",
      "A stamp is put into the counter period nearest to where the host's clock expects it. These "
      "were more than a quarter of a period away from there, so the choice may be wrong by one. "
      "The estimated frequency differs from the configured one, which explains a distance that "
      "grows with time: give the estimate as soc-mhz and run again."),
  MILL_WARNING(
      UNMATCHED_STEADY, "{count} counter overflow[|s] in {lane} could not be matched to a clock",
      "stamps in this rank may be wrong by one counter period ({period} s at {soc} MHz)",
      "check that the trace holds one device per rank and that soc-mhz is the device's frequency",
      "A stamp is put into the counter period nearest to where the host's clock expects it. These "
      "were more than a quarter of a period away from there, and the frequency is not known to be "
      "wrong: the device was reset, the host's clock was set during the run, stamps of several "
      "devices share a file, or single stamps are damaged."),
  MILL_INFO(
      LONG,
      "{count} device event[|s] in {lane} [is|are] longer than one counter period ({period} s)",
      NULL, NULL,
      "The host's duration shows how many times the counter wrapped between the two stamps that "
      "the event shows. The other stamps of the event are taken to follow each other within one "
      "period, which such an event cannot prove."),
  MILL_WARNING(DISORDERED, "{count} device event[|s] in {lane} [has|have] stamps out of order",
               "intervals between these stamps are negative",
               "check whether the stamps are damaged; aiu-verify counts them",
               "The five stamps of an event should never decrease. A stamp less than a sixteenth "
               "of a period before its predecessor is not a wrap: the device or the tracer wrote "
               "it so. The order is kept as found."),
  MILL_WARNING(
      MISSING, "{count} device event[|s] in {lane} [lacks|lack] some of the stamps TS1 to TS5",
      "the stamps that are there are used", "record all of TS1 to TS5",
      "A device event should carry five whole numbers TS1 to TS5, or a list cycles_ts of five, as "
      "numbers or as decimal or 0x texts. Stamps that are missing or unreadable are left alone; "
      "without the stamp at which the event starts, its first one is matched instead."),
  MILL_WARNING(WIDE,
               "{count} device event[|s] in {lane} [has|have] stamps beyond 32 bits and [was|were] "
               "left alone",
               "if they are absolute already they are right as they are",
               "leave ovc out for traces that were unwrapped: --disable ovc",
               "The counter has 32 bits. A negative or larger stamp is either absolute already, "
               "because the trace has been through this stage before, or damaged."),
  MILL_WARNING(
      ALL_ZERO, "{count} device event[|s] in {lane} [has|have] stamps that are all 0",
      "[it keeps|they keep] the times that the host wrote, and results by stamps lack [it|them]",
      "record the trace with stamps of the device",
      "A counter is not at 0 from the issue of an event to its end: these stamps were never taken. "
      "The events are as long as the host says. Iterations, utilisation, power and times between "
      "stamps are without them."),
};

static const MillRead reads[] = { STAMPS_READS };

static const MillColumn columns[] = {
  MILL_BRIEF("events", "count", MILL_INT, "Device events"),
  MILL_BRIEF("wraps", "count", MILL_INT,
             "Wraps of the counter from the reference epoch to the last stamp"),
  MILL_COLUMN("straddling", "count", MILL_INT, "Events with a wrap between their stamps"),
  MILL_COLUMN("unmatched", "count", MILL_INT,
              "Events more than a quarter period from where they were expected"),
  MILL_COLUMN("epoch", "ns", MILL_INT, "Time at which the counter was 0, before the first stamp"),
  MILL_COLUMN("soc", "MHz", MILL_REAL, "Configured frequency"),
  MILL_BRIEF("estimated", "MHz", MILL_REAL,
             "Frequency found in the data; empty without enough pairs"),
  MILL_COLUMN("pairs", "count", MILL_INT, "Pairs of stamps that the estimate rests on"),
  { "residual_max", "ns", MILL_INT, MILL_COLUMN_LOWER,
    "Largest distance of an event from where the host's clock expects it" },
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
      "Device events carry five stamps of a counter of 32 bits, which wraps every few seconds. "
      "Each stamp is put into the epoch nearest to where the host's clock expects it, so that "
      "TS1 to TS5 become absolute cycles from one reference epoch per rank; OVC counts the wraps "
      "before the event. The frequency is also estimated from the data.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
