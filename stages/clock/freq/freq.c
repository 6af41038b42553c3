/* At what frequency a device's counter runs, by kernels' durations, by the intervals between them, and
 * by how jobs drift.  State of a lane: sums, a bounded estimate, 16 bytes for each gap of more than
 * a second between kernels, and the first device event of each job. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "freq-device.h"
#include "freq-found.h"
#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/trace/by-process.h"
#include "kit/trace/stamps.h"

enum {
  OFF = 1,
  JOBS_DISAGREE,
  DURATION_OFF,
  INTERVAL_OFF,
  SCATTER,
  CONTRADICTION,
  NO_GAP,
  EACH_OFF,
  DURATION_ELSE,
  INTERVAL_ELSE,
  OTHER_UNIT,
  TOO_FEW
};

#define COUNT_OF(cycles) ((cycles) & (RATE_PERIOD - 1))
#define OFF_SHARE 0.1  /* of a mean to the configured one, or of a range to its mean */
#define JOBS_SHARE 0.2 /* of a range over jobs to its mean */
#define OFF_MHZ ((double)RATE_OFF_HZ / 1e6)

typedef struct Options {
  double soc_mhz;
} Options;

typedef struct Freq {
  const MillStageHost *host;
  const MillHost *common;
  int64_t hz;
  StampReader stamps;
  ByProcess devices; /* FreqDevice */
  FreqFound found; /* frequencies that are not the configured one; on the run level: of all lanes */
} Freq;

static int freq_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out)
{
  const Options *o = options;
  (void)self, (void)level;
  Freq *f = instance_new(Freq, host, out);
  if (!f) return -MILL_LIMIT;
  f->hz = stamps_hz(o->soc_mhz);
  stamps_open(&f->stamps, host->common);
  return by_process_open(&f->devices, host->common, sizeof(FreqDevice)) ? 0 : -MILL_LIMIT;
}

static void note(const Freq *f, uint32_t number, const MillBatch *batch, uint32_t index)
{
  f->common->note(f->common, number, batch, index, NULL, 0);
}

/* ------------------------------------------------------------- each event */

static bool has_stamp(const Stamps *s, uint32_t k) { return s->has[k] && s->cycles[k] >= 0; }

/* The kernel's own frequency; false when it has none. */
static bool see_duration(Freq *f, FreqDevice *d, const MillBatch *batch, uint32_t index,
                         const Stamps *s, FreqBasis *one)
{
  int64_t by, dur_ns = batch->events[index].dur_ns;
  if (dur_ns < 0 || __builtin_sub_overflow(s->cycles[3], s->cycles[2], &by)) return false;
  if (dur_ns == 0 && by == 0) return false;
  freq_device_see_kernel(d, by, dur_ns);
  if (!basis_add_span(one, f->hz, by, dur_ns)) {
    note(f, CONTRADICTION, batch, index);
    return false;
  }
  basis_add(&d->bases[FREQ_BY_DURATION], one->sum);
  return true;
}

/* From the kernel before, if that is on the same line of the counter. */
static int see_interval(Freq *f, FreqDevice *d, const MillBatch *batch, uint32_t index,
                        const FreqMark *mark, const FreqBasis *own)
{
  FreqBasis *basis = &d->bases[FREQ_BY_INTERVAL];
  int64_t span_ns, by = mark->count - d->kernel.count;
  bool goes_on = d->kernel.known && d->kernel.line == mark->line;
  if (!goes_on || !basis_span(d->kernel.ts_ns, mark->ts_ns, &span_ns)) {
    if (own->n) basis_add(basis, own->sum);
    if (own->n) basis_add(&d->stand_ins, own->sum);
    if (goes_on) note(f, NO_GAP, batch, index);
    return 0;
  }
  if (span_ns > RATE_PAIR_MAX_NS)
    return gaps_add(f->common, &d->gaps, by, span_ns) ? 0 : -MILL_LIMIT;
  if (!basis_add_span(basis, f->hz, by, span_ns)) note(f, CONTRADICTION, batch, index);
  return 0;
}

static int see_kernel(Freq *f, FreqDevice *d, const MillBatch *batch, uint32_t index,
                      const Stamps *s, uint32_t line)
{
  FreqBasis own = { 0 };
  if (s->part != STAMP_EXEC || !has_stamp(s, 2) || !has_stamp(s, 3)) return 0;
  FreqMark mark = { batch->events[index].ts_ns, COUNT_OF(s->cycles[2]), line, true };
  see_duration(f, d, batch, index, s, &own);
  int status = see_interval(f, d, batch, index, &mark, &own);
  d->kernel = mark;
  return status;
}

static int see(Freq *f, const MillBatch *batch, uint32_t index, const Stamps *s)
{
  const MillEvent *e = &batch->events[index];
  uint32_t first = stamps_first(s->part);
  FreqDevice *d = by_process_of(&f->devices, e->track);
  if (!d || !freq_device_begin(d, f->common, f->hz)) return -MILL_LIMIT;
  if (has_stamp(s, first) && !freq_device_see(d, batch, e, COUNT_OF(s->cycles[first])))
    return -MILL_LIMIT;
  return see_kernel(f, d, batch, index, s, d->lines->latest);
}

static int freq_process(void *instance, MillBatch *batch)
{
  Freq *f = instance;
  Stamps stamps;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS || e->n_attrs == 0) continue;
    if (!stamps_read(&f->stamps, batch, e, &stamps)) continue;
    int status = see(f, batch, i, &stamps);
    if (status < 0) return status;
  }
  return 0;
}

/* ----------------------------------------------------------------- the end */

static double rounded_mhz(double mhz) { return rate_mhz((int64_t)(mhz * 1e6 + 0.5)); }

static void note_rate(const Freq *f, uint32_t number, double mhz, const FreqBasis *basis)
{
  const MillNamed named[] = {
    { "mhz", mill_real(rounded_mhz(mhz)) },
    { "soc", mill_real(rate_mhz(f->hz)) },
    { "min", mill_real(rounded_mhz(basis->min)) },
    { "max", mill_real(rounded_mhz(basis->max)) },
    { "unit", mill_text(mhz * 1e6 < (double)f->hz ? "ns" : "ms", 2) },
  };
  f->common->note(f->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

/* Times that are a thousand times too long, or too short. */
static bool is_other_unit(const Freq *f, double mhz)
{
  double ratio = (double)f->hz / 1e6 / mhz;
  return (ratio > 800 && ratio < 1250) || (ratio > 0.0008 && ratio < 0.00125);
}

/* A frequency is advised only if counts are nearer to where it has them, and if it can be given. */
static bool is_better(const Freq *f, const FreqDevice *d, double mhz)
{
  if (!(mhz * 1e6 >= (double)RATE_LEAST_HZ && mhz * 1e6 <= (double)RATE_MOST_HZ)) return false;
  int64_t hz = stamps_hz(rounded_mhz(mhz));
  return clock_lines_residual(d->lines, hz) < clock_lines_residual(d->lines, f->hz);
}

static bool add_found(Freq *f, const FreqDevice *d, const KeyedEntry *entry, double mhz)
{
  MillLane lane = { .size = sizeof lane };
  f->common->lane(f->common, MILL_NO_LANE, &lane);
  const char *folders_end = strrchr(lane.name, '/');
  const char *process = keyed_count(f->devices.states) > 1 && entry->len ? entry->key + 1 : "";
  return freq_found_add(f->common, &f->found, folders_end ? folders_end + 1 : lane.name, process,
                        rounded_mhz(mhz), d->drift_ns);
}

/* Whether the frequency is another one than configured, which explains all the rest. */
static int judge_jobs(Freq *f, const FreqDevice *d, const KeyedEntry *entry, bool *out_explained)
{
  const FreqBasis *drift = &d->bases[FREQ_BY_DRIFT];
  bool sure = rate_is_sure(&d->estimate), apart = basis_range(drift) > JOBS_SHARE;
  double mhz = sure ? (double)d->estimate.hz / 1e6 : basis_mean(drift);
  *out_explained = apart;
  if (apart) note_rate(f, JOBS_DISAGREE, mhz, drift);
  if (!sure && (apart || drift->n == 0)) return 0;
  if (fabs(mhz - (double)f->hz / 1e6) <= OFF_MHZ) return 0;
  if (is_other_unit(f, mhz)) {
    *out_explained = true;
    note_rate(f, OTHER_UNIT, mhz, drift);
    return 0;
  }
  if (!is_better(f, d, mhz)) return 0;
  *out_explained = true;
  if (!sure && drift->n == 1) {
    note_rate(f, TOO_FEW, mhz, drift);
    return 0;
  }
  return add_found(f, d, entry, mhz) ? 0 : -MILL_LIMIT;
}

static void judge_kernels(const Freq *f, const FreqDevice *d, const FreqBasis *basis,
                          uint32_t number, uint32_t no_advice)
{
  double mean = basis_mean(basis), soc = (double)f->hz / 1e6;
  if (basis->n == 0) return;
  if (fabs(1 - soc / mean) > OFF_SHARE)
    note_rate(f, is_better(f, d, mean) ? number : no_advice, mean, basis);
  else if (basis_range(basis) > OFF_SHARE)
    note_rate(f, SCATTER, mean, basis);
}

static int judge(Freq *f, FreqDevice *d, const KeyedEntry *entry)
{
  bool explained;
  uint64_t left = 0;
  if (!freq_device_end(d, f->hz, &left)) return -MILL_LIMIT;
  for (uint64_t i = 0; i < left; i++) note(f, CONTRADICTION, NULL, MILL_NO_EVENT);
  double unit = freq_device_unit(d);
  if (unit < 1 || unit > 1) {
    note_rate(f, OTHER_UNIT, (double)f->hz / 1e6 * unit, &d->bases[FREQ_BY_DURATION]);
    return 0;
  }
  int status = judge_jobs(f, d, entry, &explained);
  if (status < 0 || explained) return status;
  judge_kernels(f, d, &d->bases[FREQ_BY_DURATION], DURATION_OFF, DURATION_ELSE);
  const FreqBasis begins = basis_without(&d->bases[FREQ_BY_INTERVAL], &d->stand_ins);
  judge_kernels(f, d, &begins, INTERVAL_OFF, INTERVAL_ELSE);
  return 0;
}

static int freq_flush(void *instance, MillBatch *batch)
{
  Freq *f = instance;
  (void)batch;
  const KeyedEntry *const *devices = keyed_sorted(f->devices.states);
  int status = devices ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(f->devices.states); i++)
    status = judge(f, devices[i]->state, devices[i]);
  return status;
}

/* ---------------------------------------------------------------- results */

typedef struct FrequencyRow {
  MillText process;
  const char *basis;
  int64_t values;
  double min_mhz, mean_mhz, max_mhz, configured_mhz;
} FrequencyRow;

static int write_row(const Freq *f, const KeyedEntry *entry, const char *basis, uint64_t n,
                     double min, double mean, double max)
{
  const FrequencyRow row = {
    .process = by_process_text(entry),
    .basis = basis,
    .values = (int64_t)n,
    .min_mhz = min,
    .mean_mhz = mean,
    .max_mhz = max,
    .configured_mhz = (double)f->hz / 1e6,
  };
  return n ? mill_row(f->host, 0, &row) : 0;
}

static int report_device(const Freq *f, const KeyedEntry *entry)
{
  static const char *const names[FREQ_BASES] = { "duration", "interval", "drift" };
  const FreqDevice *d = entry->state;
  int status = 0;
  for (uint32_t i = 0; i < FREQ_BASES && status == 0; i++) {
    const FreqBasis *b = &d->bases[i];
    status = write_row(f, entry, names[i], b->n, b->min, basis_mean(b), b->max);
  }
  if (status < 0 || !rate_is_sure(&d->estimate)) return status;
  return write_row(f, entry, "pairs", d->estimate.pairs, (double)NAN, rate_mhz(d->estimate.hz),
                   (double)NAN);
}

static int freq_report(void *instance)
{
  const Freq *f = instance;
  const KeyedEntry *const *devices = keyed_sorted(f->devices.states);
  int status = devices ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(f->devices.states); i++)
    status = report_device(f, devices[i]);
  return status;
}

static const StateField freq_fields[] = { STATE_PART(Freq, found, freq_found_state) };
static const StateType freq_state = STATE_TYPE(Freq, freq_fields);
STATE_RESULT(Freq, freq_state)

/* One frequency of all of them can be given; several can not. */
static int freq_report_run(void *instance)
{
  const Freq *f = instance;
  const FreqFound *found = &f->found;
  if (found->n == 0) return 0;
  size_t len;
  const char *list = freq_found_list(f->common, found, &len);
  if (!list) return -MILL_LIMIT;
  const MillNamed named[] = {
    { "input", mill_text(found->items[0].name, strlen(found->items[0].name)) },
    { "mhz", mill_real(found->items[0].mhz) },
    { "soc", mill_real(rate_mhz(f->hz)) },
    { "drift", mill_int(freq_found_drift_ns(found) / 1000) },
    { "lines", mill_text(list, len) },
  };
  for (size_t i = 0; i < found->n; i++)
    f->common->note(f->common, freq_found_agree(found, OFF_MHZ) ? OFF : EACH_OFF, NULL,
                    MILL_NO_EVENT, named, MILL_COUNT(named));
  return 0;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = freq_open,
  .process = freq_process,
  .flush = freq_flush,
  .report = freq_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = freq_report_run,
};

static const MillOption options[] = { STAMPS_SOC_OPTION(Options, soc_mhz) };

static const MillNotice notices[] = {
  MILL_WARNING(
      OFF, "the counter in {input} runs at {mhz} MHz, not at {soc} MHz",
      "times from cycles are wrong in the same proportion; jobs drift by up to {drift} us",
      "add --set soc-mhz={mhz}",
      "The stage compares counts of device events with the host times at which they were taken: "
      "over pairs 1 ms to 1 s apart or, if these are too few, from the first device event to the "
      "first one of every job. The result differs from soc-mhz by more than 0.1 MHz. Cycles are "
      "converted with soc-mhz, so device work is too long or too short, later device events drift "
      "against the host, and after long gaps the number of wraps is uncertain. Give the frequency "
      "found as soc-mhz."),
  MILL_WARNING(
      JOBS_DISAGREE, "jobs of {lane} disagree about the counter's frequency: {min} to {max} MHz",
      "their device events are shifted against each other",
      "analyse each job by itself; if some are shifted against the host, enable job-align",
      "From the first device event of a rank to the first of each job, cycles and host time should "
      "have the same ratio. Here the ratios differ by more than a fifth of their mean. The counter "
      "was reset between jobs, the host's clock was set, a gap between jobs was put into the wrong "
      "period of the counter, or the device events of a job are shifted against the host, which "
      "job-align repairs. Files of different runs given as one rank look the same."),
  MILL_WARNING(
      DURATION_OFF,
      "by the durations of its kernels the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times from cycles are wrong in the same proportion",
      "add --set soc-mhz={mhz} if other bases in the table frequencies agree",
      "The cycles from TS3 to TS4 of a kernel over the duration that the host gave it are, on "
      "average, more than a tenth from the configured frequency. Either soc-mhz is wrong, or the "
      "host's durations include more than the kernel, such as its transfers."),
  MILL_WARNING(
      INTERVAL_OFF,
      "by the begins of its kernels the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times from cycles are wrong in the same proportion",
      "add --set soc-mhz={mhz} if other bases in the table frequencies agree",
      "The cycles from TS3 of a kernel to TS3 of the next over the host time between their begins "
      "are, on average, more than a tenth from the configured frequency. Either soc-mhz is wrong, "
      "or the host sees begins late and irregularly."),
  MILL_INFO(
      SCATTER, "frequencies of single kernels in {lane} scatter from {min} to {max} MHz", NULL,
      NULL,
      "Their mean is near the configured frequency, but the range is more than a tenth of the "
      "mean. The host's clock is too coarse for short kernels, or the host sees begins and ends "
      "late. Times of device events come from cycles and are not affected."),
  MILL_INFO(CONTRADICTION,
            "{count} kernel[|s] in {lane} [has|have] cycles that contradict [its|their] times",
            "[it was|they were] left out of the table frequencies", NULL,
            "Either time passed but the counter did not rise, or the counter rose but no time "
            "passed: a duration of 0 with cycles, or stamps that go back. The host's clock is too "
            "coarse for the kernel, or its stamps are damaged."),
  MILL_INFO(
      NO_GAP, "{count} kernel[|s] in {lane} [does|do] not begin after the previous one",
      "the frequency within the kernel is used in place of that of the interval", NULL,
      "By the host's clock, the interval to the previous kernel is 0 or negative: kernels begin at "
      "the same time, two devices share a rank, or the trace is not in order of time."),
  MILL_WARNING(
      EACH_OFF, "{count} counters run at different frequencies, not at {soc} MHz",
      "times from cycles are wrong by another factor in each rank",
      "run each rank by itself, with its frequency:{lines}",
      "The stage compares counts of device events with the host times at which they were taken. "
      "The devices of this run differ from each other and from soc-mhz by more than 0.1 MHz. One "
      "value of soc-mhz cannot be right for all: run devices of one frequency together. The rows "
      "pairs of the table frequencies list the frequencies."),
  MILL_INFO(
      DURATION_ELSE, "durations of kernels in {lane} suggest {mhz} MHz instead of {soc} MHz",
      "none: its counts agree with {soc} MHz, or there are too few to tell", NULL,
      "The cycles from TS3 to TS4 of a kernel over the duration that the host gave it are, on "
      "average, more than a tenth from the configured frequency, but counts taken at different "
      "times do not support that frequency. The host's durations include more than the kernel, "
      "such as its transfers, or less. Lengths of device events come from cycles and are not "
      "affected."),
  MILL_INFO(
      INTERVAL_ELSE, "begins of kernels in {lane} suggest {mhz} MHz instead of {soc} MHz",
      "none: its counts agree with {soc} MHz, or there are too few to tell", NULL,
      "The cycles from TS3 of a kernel to TS3 of the next over the host time between their begins "
      "are, on average, more than a tenth from the configured frequency, but counts taken at "
      "different times do not support that frequency. The host sees begins late and irregularly."),
  MILL_INFO(TOO_FEW, "the counts of two jobs of {lane} fit {mhz} MHz, not {soc} MHz",
            "none, because a device that was reset in between looks the same", NULL,
            "There are too few counts to find the frequency, and two jobs alone always fit some "
            "frequency. A third job, or more events in each job, would decide."),
  MILL_WARNING(OTHER_UNIT, "times in {lane} seem to be in {unit}, not in microseconds",
               "all times are a thousand times too long, or too short",
               "add --set chrome-json.time-unit={unit}",
               "By the host's times the counter runs at {mhz} MHz, about a thousandth or a "
               "thousand times of {soc} MHz. No device runs at this frequency. Chrome traces have "
               "ts and dur in microseconds; this trace has another unit."),
};

static const MillRead reads[] = { STAMPS_READS, JOBS_READS(MILL_KIND(MILL_SLICE)) };

static const MillColumn columns[] = {
  MILL_KEY(FrequencyRow, process, "process", NULL, "Each process has a counter of its own"),
  MILL_KEY_BRIEF(FrequencyRow, basis, "basis", NULL,
                 "duration: within kernels; interval: between their begins; drift: from the first "
                 "device event to the first of each job; pairs: the estimate, from counts 1 ms to "
                 "1 s apart"),
  MILL_BRIEF(FrequencyRow, values, "values", "count", "Number of frequencies found"),
  MILL_BRIEF(FrequencyRow, min_mhz, "min", "MHz", "The smallest frequency"),
  MILL_BRIEF(FrequencyRow, mean_mhz, "mean", "MHz", "Their mean"),
  MILL_BRIEF(FrequencyRow, max_mhz, "max", "MHz", "The largest frequency"),
  MILL_BRIEF(FrequencyRow, configured_mhz, "configured", "MHz", "The option soc-mhz"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "frequencies",
    .help = "Frequency of the device counter, from kernels and jobs",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.cycles", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const provides[] = { "table.frequencies", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "freq",
  .family = "clock",
  .version = "1.0.0",
  .tag = "FREQ",
  .title = "Find the frequency of device counters",
  .help =
      "Compares cycles with host time in three ways: within each kernel, from kernel to kernel, "
      "and from the first device event to the first of each job, over any wraps of the counter. "
      "Reports a wrong soc-mhz and the right value. Changes no event. Put it before cycles, which "
      "replaces the host's times by those of the counter.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
