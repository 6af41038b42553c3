/* Power of a device from the charge that its events carry: between two readings in device time,
 * 12 V times the charge over the time.  Readings are put in order by a window of 16,384; one that
 * is late by more is counted and left out. */
#include <stagemill/stage.h>

#include <math.h>
#include <string.h>

#include "lib/counter.h"
#include "lib/stamps.h"
#include "lib/words.h"
#include "samples.h"

enum { TOO_HIGH = 1, UNREADABLE = 2, NO_STAMP = 3, LATE = 4 };
enum { STAMP_TS4, STAMP_TS3 }; /* choices of the option stamp */
enum { KINDS = 6, OTHER_KIND = 0, DMA_IN_KIND = 1, DMA_OUT_KIND = 2, EXEC_KIND = 5 };

#define SHORTEST_NS 100 /* with ts4 an event up to this long gives no reading */

/* A unit of the meter is 1 W over 23.4 ns: readings that lie closer together tell no power. */
#define CLOSEST_NS 24

/* The meter counts 512 units a microampere second at 12 V: watts = 12 * units / 512 / us. */
#define WATTS_OF_UNITS_A_NS (12.0 * 1000.0 / 512.0)

typedef struct Options {
  int64_t stamp;
  bool skip;
  double max_watts;
  double soc_mhz;
} Options;

typedef struct Pec {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  int64_t hz;
  StampReader stamps;
  SymClass measures, kinds; /* of names */
  MillSym power_key, charge_key, until_key, watts_key, cat;
  MillSym counter[KINDS]; /* names of counters */
  Samples samples;
  Sample before; /* the reading from which the next interval begins */
  bool has_before, has_track;
  uint32_t track;
} Pec;

/* ---------------------------------------------------------------- opening */

static void name_counters(Pec *pec)
{
  static const char *const names[KINDS] = {
    "Power Other",     "Power DmaI",      "Power DmaO",
    "Power AllGather", "Power AllReduce", "Power Cmpt Exec"
  };
  bool by_kind = pec->options.stamp == STAMP_TS3;
  for (int i = 0; i < KINDS; i++) {
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
  Pec *pec = mill_new(common, sizeof *pec);
  if (!pec) return -MILL_LIMIT;
  pec->host = host;
  pec->common = common;
  pec->options = *(const Options *)options;
  pec->hz = stamps_hz(pec->options.soc_mhz);
  stamps_open(&pec->stamps, common);
  pec->power_key = common->intern(common, "Power", 5);
  pec->charge_key = common->intern(common, "charge", 6);
  pec->until_key = common->intern(common, "power_until_ns", 14);
  pec->watts_key = common->intern(common, "Watts", 5);
  name_counters(pec);
  *out = pec;
  return 0;
}

/* ------------------------------------------------------------------ names */

static uint8_t class_of(const Pec *pec, SymClass *known, MillSym name,
                        uint8_t (*read)(const char *, size_t))
{
  uint8_t class = symclass_get(known, name);
  if (class) return class;
  size_t len;
  const char *text = pec->common->symbol_text(pec->common, name, &len);
  class = read(text, len);
  symclass_put(pec->common, known, name, class);
  return class;
}

/* Preparations are not metered. */
static uint8_t read_measures(const char *text, size_t len)
{
  return words_have(text, len, " Prep") ? 1 : 2;
}

static uint8_t read_kind(const char *text, size_t len)
{
  static const char *const words[KINDS] = { NULL,        "DmaI",      "DmaO",
                                            "AllGather", "AllReduce", "Cmpt Exec" };
  for (int i = 1; i < KINDS; i++)
    if (words_have(text, len, words[i])) return (uint8_t)(i + 1);
  return OTHER_KIND + 1;
}

static uint8_t kind_of(Pec *pec, MillSym name)
{
  return (uint8_t)(class_of(pec, &pec->kinds, name, read_kind) - 1);
}

/* With the option skip: what such a pair spans is left to the next one. */
static bool is_skipped(Pec *pec, MillSym before, MillSym now)
{
  uint8_t a = kind_of(pec, before), b = kind_of(pec, now);
  if (a == EXEC_KIND) return b == EXEC_KIND || b == DMA_IN_KIND;
  return a == DMA_OUT_KIND && b == DMA_IN_KIND;
}

/* -------------------------------------------------------------- intervals */

static int emit(Pec *pec, MillBatch *batch, uint32_t after, int64_t ts_ns, int64_t until_ns,
                double watts)
{
  const Counter counter = { .ts_ns = ts_ns,
                            .name = pec->counter[kind_of(pec, pec->before.name)],
                            .cat = pec->cat,
                            .key = pec->watts_key,
                            .track = pec->track,
                            .value = watts };
  uint32_t index = counter_emit(pec->host, batch, after, &counter);
  if (index == MILL_FAILED) return -MILL_LIMIT;
  return pec->host->set(pec->host, batch, index, pec->until_key, mill_int(until_ns));
}

static uint64_t span_ns(const Sample *a, const Sample *b)
{
  return (uint64_t)b->at_ns - (uint64_t)a->at_ns;
}

/* A meter of 32 bits may have wrapped; one that did not move shows no power. */
static double watts_between(Pec *pec, const Sample *a, const Sample *b)
{
  uint32_t units = b->charge - a->charge;
  double watts = WATTS_OF_UNITS_A_NS * units / (double)span_ns(a, b);
  if (watts <= pec->options.max_watts) return watts;
  const MillNamed named[] = { { "max", mill_real(pec->options.max_watts) } };
  pec->common->note(pec->common, TOO_HIGH, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  return 0;
}

static int end_interval(Pec *pec, MillBatch *batch, uint32_t after, const Sample *now)
{
  double watts = watts_between(pec, &pec->before, now);
  int status = emit(pec, batch, after, pec->before.at_ns, now->at_ns, watts);
  if (status == 0 && pec->options.stamp == STAMP_TS3)
    status = emit(pec, batch, after, now->at_ns - 1, now->at_ns - 1, 0);
  pec->before = *now;
  return status;
}

/* A reading of 0 is none; what one that is too close to the last has counted is in the next one. */
static int take_reading(Pec *pec, MillBatch *batch, uint32_t after)
{
  Sample now = samples_take(&pec->samples);
  if (!pec->has_before || pec->before.charge == 0) {
    pec->before = now;
    pec->has_before = true;
    return 0;
  }
  if (now.charge == 0 || span_ns(&pec->before, &now) < CLOSEST_NS) return 0;
  if (pec->options.skip && is_skipped(pec, pec->before.name, now.name)) return 0;
  return end_interval(pec, batch, after, &now);
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
  return class_of(pec, &pec->measures, e->name, read_measures) == 2;
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
  if (!stamps_read(&pec->stamps, batch, e, &s) || !s.has[k] || !s.has[stamps_first(s.part)]) {
    note(pec, NO_STAMP, batch, index);
    return false;
  }
  *out = (Sample){ .at_ns = stamps_time_ns(pec->hz, &s, e, k),
                   .charge = (uint32_t)attr->u.i,
                   .name = e->name };
  if (!samples_missed(&pec->samples, out->at_ns)) return true;
  note(pec, LATE, batch, index);
  return false;
}

static int add_reading(Pec *pec, MillBatch *batch, uint32_t index)
{
  Sample sample;
  int status = 0;
  if (!read_sample(pec, batch, index, &sample)) return 0;
  if (!pec->has_track) pec->track = counter_track(pec->host, &batch->events[index]);
  if (pec->track == MILL_FAILED) return -MILL_LIMIT;
  pec->has_track = true;
  if (samples_are_full(&pec->samples)) status = take_reading(pec, batch, index);
  if (status == 0 && !samples_put(pec->common, &pec->samples, &sample)) status = -MILL_LIMIT;
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

static int pec_flush(void *instance, MillBatch *batch)
{
  Pec *pec = instance;
  int status = 0;
  while (pec->samples.n > 0 && status == 0) status = take_reading(pec, batch, MILL_AT_END);
  return status;
}

/* ------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = pec_open,
  .process = pec_process,
  .flush = pec_flush,
};

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, stamp, "stamp", "ts4", "ts4|ts3",
                     "When the meter was read: as the computation ended, or as it began, then with "
                     "a counter for each sort of event"),
  MILL_BOOL_OPTION(Options, skip, "skip", "false",
                   "Leave out readings from one kernel to the next, from a transfer out to one in, "
                   "and from a kernel to a transfer in"),
  MILL_REAL_OPTION(Options, max_watts, "max-watts", "100", "0:", "W",
                   "More than this cannot be: it counts as 0 W"),
  STAMPS_SOC_OPTION(Options, soc_mhz),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      TOO_HIGH, "{count} interval[|s] between readings of power in {lane} [is|are] above {max} W",
      "[it counts|they count] as 0 W, so that mean power and energy are too low",
      "if the device can take more, add --set pec.max-watts=200",
      "Power is the charge between two readings over their time. A value beyond what the device "
      "can take comes from a meter that was reset, from stamps that were not unwrapped, or from "
      "a frequency soc-mhz that is too high."),
  MILL_WARNING(
      UNREADABLE,
      "{count} event[|s] in {lane} [has|have] a reading of power that is no count of 32 bits",
      "[it is|they are] left out; the interval goes on to the next reading",
      "check what wrote the trace: the meter counts from 0 to 4294967295",
      "The attribute Power, or charge, is a whole number from 0 to 4294967295, as a number "
      "or as a decimal or 0x text. Another value was found."),
  MILL_WARNING(
      NO_STAMP,
      "{count} event[|s] in {lane} [has|have] a reading of power, but not when it was taken",
      "[it is|they are] left out; the interval goes on to the next reading",
      "try the other stamp: --set pec.stamp=ts3",
      "A reading belongs to the stamp TS4, with stamp=ts3 to TS3. Its time follows from the "
      "stamp at which the slice begins, so that both must be there."),
  MILL_WARNING(
      LATE, "{count} reading[|s] of power in {lane} [comes|come] too late",
      "[it is|they are] left out; the interval goes on to the next reading",
      "put clean/time-order or clock/cycles before this stage",
      "Readings are put in the order of device time within a window of 16,384. One that is "
      "later than that belongs between two that were used already: its stamp lies far "
      "before its slice, as in files with damaged stamps."),
};

#define ON_SLICES MILL_KIND(MILL_SLICE)
static const MillRead reads[] = { STAMPS_READS,
                                  { "Power", MILL_AS_INT, ON_SLICES },
                                  { "charge", MILL_AS_INT, ON_SLICES } };

static const char *const needs[] = { "clock.unwrapped", "order.lane", NULL };
static const char *const wants[] = { "clock.device", NULL };
static const char *const provides[] = { "power.counters", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };
static const char *const private_attrs[] = { "power_until_ns", NULL };

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
      "Device events carry a reading of a meter that counts charge. Between two readings in "
      "device time the power is 12 V times the charge over the time; a counter Power has it from "
      "the earlier reading on. Equal readings are 0 W; what is above max-watts is 0 W, counted.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  .private_attrs = private_attrs,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
