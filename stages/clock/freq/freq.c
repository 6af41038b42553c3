/* At what frequency a device's counter runs, by kernels' durations, by the intervals between them, and
 * by how jobs drift.  State of a lane: sums, a bounded estimate, 16 bytes for each gap of more than
 * a second between kernels, and the first device event of each job. */
#include <stagemill/stage.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "freq-basis.h"
#include "lib/jobs.h"
#include "lib/stamps.h"

enum { OFF = 1, JOBS_DISAGREE, DURATION_OFF, INTERVAL_OFF, SCATTER, CONTRADICTION, NO_GAP };
enum { BY_DURATION, BY_INTERVAL, BY_DRIFT, N_BASES };

#define COUNT_OF(cycles) ((cycles) & (RATE_PERIOD - 1))
#define OFF_SHARE 0.1  /* of a mean to the configured one, or of a range to its mean */
#define JOBS_SHARE 0.2 /* of a range over jobs to its mean */
#define OFF_MHZ ((double)RATE_OFF_HZ / 1e6)

typedef struct Options {
  double soc_mhz;
} Options;

typedef struct Mark { /* a host time, and the count then */
  int64_t ts_ns, count;
  bool known;
} Mark;

typedef struct Freq {
  const MillStageHost *host;
  const MillHost *common;
  int64_t hz;
  StampReader stamps;
  Jobs jobs; /* to the Mark of their first device event */
  Rate rate;
  FreqBasis bases[N_BASES];
  uint64_t n_stand_ins; /* durations among the intervals */
  FreqGaps gaps;
  Mark kernel;    /* the one before */
  Mark reference; /* of all events, the one whose counter would have been at 0 first */
  RateWide reference_distance;
  RateEstimate estimate;
  int64_t drift_ns; /* the largest */
} Freq;

static int freq_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out)
{
  const Options *o = options;
  (void)self, (void)level;
  Freq *f = mill_new(host->common, sizeof *f);
  if (!f) return -MILL_LIMIT;
  f->host = host;
  f->common = host->common;
  f->hz = stamps_hz(o->soc_mhz);
  stamps_open(&f->stamps, host->common);
  *out = f;
  return jobs_open(&f->jobs, host->common, sizeof(Mark)) ? 0 : -MILL_LIMIT;
}

static void note(const Freq *f, uint32_t number, const MillBatch *batch, uint32_t index)
{
  f->common->note(f->common, number, batch, index, NULL, 0);
}

/* ------------------------------------------------------------- each event */

static bool has_stamp(const Stamps *s, uint32_t k) { return s->has[k] && s->cycles[k] >= 0; }

static void see_reference(Freq *f, const Mark *mark)
{
  RateWide distance = rate_cycles(f->hz, mark->ts_ns) - mark->count;
  if (f->reference.known && distance >= f->reference_distance) return;
  f->reference = *mark;
  f->reference_distance = distance;
}

static int see_device(Freq *f, const MillBatch *batch, const MillEvent *e, const Stamps *s)
{
  uint32_t first = stamps_first(s->part);
  if (!has_stamp(s, first)) return 0;
  Mark mark = { e->ts_ns, COUNT_OF(s->cycles[first]), true };
  Mark *job = jobs_of(&f->jobs, batch, e);
  if (!job) return -MILL_LIMIT;
  if (!job->known) *job = mark;
  rate_see(&f->rate, mark.ts_ns, mark.count);
  see_reference(f, &mark);
  return 0;
}

/* The kernel's own frequency; false when it has none. */
static bool see_duration(Freq *f, const MillBatch *batch, uint32_t index, const Stamps *s,
                         FreqBasis *one)
{
  int64_t by, dur_ns = batch->events[index].dur_ns;
  if (dur_ns < 0 || __builtin_sub_overflow(s->cycles[3], s->cycles[2], &by)) return false;
  if (dur_ns == 0 && by == 0) return false;
  if (!basis_add_span(one, f->hz, by, dur_ns)) {
    note(f, CONTRADICTION, batch, index);
    return false;
  }
  basis_add(&f->bases[BY_DURATION], one->sum);
  return true;
}

static int see_interval(Freq *f, const MillBatch *batch, uint32_t index, const Mark *mark,
                        const FreqBasis *own)
{
  FreqBasis *basis = &f->bases[BY_INTERVAL];
  int64_t span_ns, by = mark->count - f->kernel.count;
  if (!f->kernel.known || !basis_span(f->kernel.ts_ns, mark->ts_ns, &span_ns)) {
    if (own->n) basis_add(basis, own->sum);
    f->n_stand_ins += own->n;
    if (f->kernel.known) note(f, NO_GAP, batch, index);
    return 0;
  }
  if (span_ns > RATE_PAIR_MAX_NS)
    return gaps_add(f->common, &f->gaps, by, span_ns) ? 0 : -MILL_LIMIT;
  if (!basis_add_span(basis, f->hz, by, span_ns)) note(f, CONTRADICTION, batch, index);
  return 0;
}

static int see_kernel(Freq *f, const MillBatch *batch, uint32_t index, const Stamps *s)
{
  FreqBasis own = { 0 };
  if (s->part != STAMP_EXEC || !has_stamp(s, 2) || !has_stamp(s, 3)) return 0;
  Mark mark = { batch->events[index].ts_ns, COUNT_OF(s->cycles[2]), true };
  see_duration(f, batch, index, s, &own);
  int status = see_interval(f, batch, index, &mark, &own);
  f->kernel = mark;
  return status;
}

static int freq_process(void *instance, MillBatch *batch)
{
  Freq *f = instance;
  Stamps stamps;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS || e->n_attrs == 0) continue;
    if (!stamps_read(&f->stamps, batch, e, &stamps)) continue;
    int status = see_device(f, batch, e, &stamps);
    if (status >= 0) status = see_kernel(f, batch, i, &stamps);
    if (status < 0) return status;
  }
  return 0;
}

/* ----------------------------------------------------------------- the end */

/* From the reference to a job's first event. */
static void add_job(Freq *f, int64_t hz, const Mark *job)
{
  FreqBasis one = { 0 };
  int64_t span_ns, by = job->count - f->reference.count;
  if (__builtin_sub_overflow(job->ts_ns, f->reference.ts_ns, &span_ns)) return;
  if (span_ns > -RATE_PAIR_MIN_NS && span_ns < RATE_PAIR_MIN_NS) return;
  if (!basis_add_span(&one, hz, by, span_ns)) return;
  basis_add(&f->bases[BY_DRIFT], one.sum);
  RateWide cycles = rate_nearest(by, rate_cycles(hz, span_ns));
  if (cycles > INT64_MAX || cycles < INT64_MIN) return;
  RateWide drift_ns = (RateWide)span_ns - stamps_span_ns(f->hz, (int64_t)cycles);
  if (drift_ns > INT64_MAX || drift_ns < -INT64_MAX) return;
  if (llabs((int64_t)drift_ns) > llabs(f->drift_ns)) f->drift_ns = (int64_t)drift_ns;
}

static int add_jobs(Freq *f, int64_t hz)
{
  const KeyedEntry *const *entries = keyed_sorted(f->jobs.states);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(f->jobs.states); i++) add_job(f, hz, entries[i]->state);
  return 0;
}

static double rounded_mhz(double mhz) { return rate_mhz((int64_t)(mhz * 1e6 + 0.5)); }

static void note_rate(const Freq *f, uint32_t number, double mhz, const FreqBasis *basis)
{
  const MillNamed named[] = {
    { "mhz", mill_real(rounded_mhz(mhz)) },        { "soc", mill_real(rate_mhz(f->hz)) },
    { "drift", mill_int(f->drift_ns / 1000) },     { "min", mill_real(rounded_mhz(basis->min)) },
    { "max", mill_real(rounded_mhz(basis->max)) },
  };
  f->common->note(f->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

/* Whether the frequency is another one than configured, which explains all the rest. */
static bool judge_jobs(const Freq *f)
{
  const FreqBasis *drift = &f->bases[BY_DRIFT];
  bool sure = rate_is_sure(&f->estimate), apart = basis_range(drift) > JOBS_SHARE;
  double soc = (double)f->hz / 1e6;
  double mhz = sure ? (double)f->estimate.hz / 1e6 : basis_mean(drift);
  if (apart) note_rate(f, JOBS_DISAGREE, mhz, drift);
  if (!sure && (apart || drift->n == 0)) return apart;
  if (fabs(mhz - soc) <= OFF_MHZ) return apart;
  note_rate(f, OFF, mhz, drift);
  return true;
}

static void judge_kernels(const Freq *f, const FreqBasis *basis, uint32_t number)
{
  double mean = basis_mean(basis), soc = (double)f->hz / 1e6;
  if (basis->n == 0) return;
  if (fabs(1 - soc / mean) > OFF_SHARE)
    note_rate(f, number, mean, basis);
  else if (basis_range(basis) > OFF_SHARE)
    note_rate(f, SCATTER, mean, basis);
}

static int freq_flush(void *instance, MillBatch *batch)
{
  Freq *f = instance;
  (void)batch;
  f->estimate = rate_estimate(&f->rate);
  int64_t hz = rate_is_sure(&f->estimate) ? f->estimate.hz : f->hz;
  for (size_t i = 0; i < f->gaps.n; i++)
    if (!basis_add_span(&f->bases[BY_INTERVAL], hz, f->gaps.items[i].cycles,
                        f->gaps.items[i].span_ns))
      note(f, CONTRADICTION, NULL, MILL_NO_EVENT);
  int status = add_jobs(f, hz);
  if (status < 0 || judge_jobs(f)) return status;
  judge_kernels(f, &f->bases[BY_DURATION], DURATION_OFF);
  if (f->bases[BY_INTERVAL].n > f->n_stand_ins)
    judge_kernels(f, &f->bases[BY_INTERVAL], INTERVAL_OFF);
  return 0;
}

static int freq_report(void *instance)
{
  static const char *const names[N_BASES] = { "duration", "interval", "drift" };
  const Freq *f = instance;
  for (uint32_t i = 0; i < N_BASES; i++) {
    const FreqBasis *basis = &f->bases[i];
    if (basis->n == 0) continue;
    const MillValue cells[] = { mill_text(names[i], strlen(names[i])),
                                mill_int((int64_t)basis->n),
                                mill_real(basis->min),
                                mill_real(basis_mean(basis)),
                                mill_real(basis->max),
                                mill_real((double)f->hz / 1e6) };
    int status = f->host->row(f->host, 0, cells, MILL_COUNT(cells));
    if (status < 0) return status;
  }
  return 0;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = freq_open,
  .process = freq_process,
  .flush = freq_flush,
  .report = freq_report,
};

static const MillOption options[] = { STAMPS_SOC_OPTION(Options, soc_mhz) };

static const MillNotice notices[] = {
  MILL_WARNING(
      OFF, "the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times made of cycles are stretched in the same proportion; jobs drift by up to {drift} us",
      "add --set soc-mhz={mhz}",
      "Counts of device events were compared with the host times at which they were taken: over "
      "pairs 1 ms to 1 s apart, or, where these are too few, from the first device event to the "
      "first one of every job. The frequency differs from the configured one by more than 0.1 MHz. "
      "Cycles are converted by the configured one, so device work is stretched or shrunk, later "
      "device events are shifted against the host by the drift, and after long gaps wraps of the "
      "counter can no longer be told apart. Give the frequency found as soc-mhz."),
  MILL_WARNING(
      JOBS_DISAGREE, "jobs of {lane} disagree about the counter's frequency: {min} to {max} MHz",
      "their device events are shifted against each other",
      "look at the jobs by themselves; if some are shifted against the host, enable job-align",
      "From the first device event of a rank to the first of each job, cycles and host time should "
      "have one ratio. Here the ratios differ by more than a fifth of their mean. The counter was "
      "reset between jobs, the host's clock was set, a gap between jobs was put into the wrong "
      "period of the counter, or device events of a job were written shifted against the host: "
      "this is what job-align repairs. Files of different runs given as one rank look the same."),
  MILL_WARNING(
      DURATION_OFF,
      "by the durations of its kernels the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times made of cycles are stretched in the same proportion",
      "add --set soc-mhz={mhz} if other bases in the table frequencies agree",
      "The cycles from TS3 to TS4 of a kernel over the duration that the host gave it are, on "
      "average, more than a tenth from the configured frequency. Either the frequency is another "
      "one, or the host's durations hold more than the kernel, such as its transfers."),
  MILL_WARNING(
      INTERVAL_OFF,
      "by the begins of its kernels the counter in {lane} runs at {mhz} MHz, not at {soc} MHz",
      "times made of cycles are stretched in the same proportion",
      "add --set soc-mhz={mhz} if other bases in the table frequencies agree",
      "The cycles from TS3 of a kernel to TS3 of the next over the host time between their begins "
      "are, on average, more than a tenth from the configured frequency. Either the frequency is "
      "another one, or the host sees begins late and irregularly."),
  MILL_INFO(
      SCATTER, "frequencies of single kernels in {lane} scatter from {min} to {max} MHz", NULL,
      NULL,
      "Their mean is near the configured frequency, but single ones are not: the range is more "
      "than a tenth of the mean. The host's clock is coarse beside short kernels, or it sees "
      "begins and ends late. Times of device events come from cycles, which this does not "
      "touch."),
  MILL_INFO(CONTRADICTION,
            "{count} kernel[|s] in {lane} [has|have] cycles that contradict [its|their] times",
            "[it was|they were] left out of the table frequencies", NULL,
            "Time passed but the counter did not rise, or the counter rose in no time: a duration "
            "of 0 with "
            "cycles, or stamps that go back. The host's clock is too coarse for the kernel, or its "
            "stamps are damaged."),
  MILL_INFO(
      NO_GAP, "{count} kernel[|s] in {lane} [begins|begin] no later than the one before",
      "[its own frequency stands|their own frequencies stand] in for that of the interval", NULL,
      "The interval to the kernel before is 0 or negative by the host's clock: kernels of one "
      "time, kernels of two devices in one rank, or a trace that is not in order of time."),
};

static const MillRead reads[] = { STAMPS_READS, JOBS_READS(MILL_KIND(MILL_SLICE)) };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF("basis", NULL, MILL_TEXT,
                 "duration: within kernels; interval: between their begins; drift: from the first "
                 "device event to the first of each job"),
  MILL_BRIEF("values", "count", MILL_INT, "Frequencies that were found"),
  MILL_BRIEF("min", "MHz", MILL_REAL, "The smallest of them"),
  MILL_BRIEF("mean", "MHz", MILL_REAL, "Their mean"),
  MILL_BRIEF("max", "MHz", MILL_REAL, "The largest of them"),
  MILL_BRIEF("configured", "MHz", MILL_REAL, "The option soc-mhz"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "frequencies",
    .help = "Frequency of the device counter as kernels and jobs show it",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.cycles", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const provides[] = { "table.frequencies", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "freq",
  .family = "clock",
  .version = "1.0.0",
  .tag = "FREQ",
  .title = "Find the frequency of device counters",
  .help =
      "Compares cycles with host time in three ways: within each kernel, from kernel to kernel, "
      "and "
      "from the first device event to the first of each job, over any wraps of the counter. Says "
      "when the configured frequency is wrong, and which one to give. Changes nothing; put it "
      "before cycles, which makes the host's times those of the counter.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
