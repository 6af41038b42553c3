/* Power and energy of kernels: while the power of a device is known, its energy goes to the kernels
 * that run on it, in equal parts where several do, and to no kernel where none does.  Where counters say of which
 * process they are (those of pec do), each process is a device of its own.  Sums are integers, so that any division of
 * the work gives the same bytes. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>

#include <string.h>

#include "kit/declare/rows.h"
#include "kit/trace/by-process.h"
#include "kit/numbers/clip.h"
#include "kit/state/instance.h"
#include "kit/text/fold.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/state/symclass.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"
#include "meter.h"

enum { NOTHING = 1 };
enum { TABLE_POWER, TABLE_LOAD, TABLE_SERIES };
enum { METRIC_POWER, METRIC_ENERGY };
enum { KNOWN = 1, COMPUTES = 2, METERS = 4 }; /* what symbols say */

#define NO_KERNEL "(no kernel)"
#define MOST_WATTS 1e9

typedef struct Options {
  bool fold_numbers;
} Options;

typedef struct PowerStats {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  MillSym watts_key, until_key, process_key;
  SymClass names, cats;
  FoldedNames folded;
  Meter meter;      /* until a counter says of which process it is */
  ByProcess meters; /* Meter; from then on */
  bool is_by_process;
  MeterLoad busy, idle;
  PowerBins bins; /* of all meters */
  Keyed *shares;  /* MeterShare, by name */
  MeterShare all; /* on the run level: of all lanes */
} PowerStats;

static void add_share(MeterShare *to, const MeterShare *from)
{
  to->energy += from->energy;
  to->dur_ns = add_clipped(to->dur_ns, from->dur_ns);
  to->calls += from->calls;
  if (from->max_nw > to->max_nw) to->max_nw = from->max_nw;
}

static bool kernel_ended(void *user, MillSym name, const MeterShare *share)
{
  PowerStats *p = user;
  if (p->options.fold_numbers) name = fold_name(&p->folded, name);
  MeterShare *sum = keyed_get_sym(p->shares, name);
  if (sum) add_share(sum, share);
  return sum != NULL;
}

static void begin_meter(PowerStats *p, Meter *meter)
{
  meter_begin(meter, p->common, kernel_ended, p);
  meter->load_busy = &p->busy;
  meter->load_idle = &p->idle;
  meter->bins = &p->bins;
}

static int power_stats_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)level;
  PowerStats *p = instance_new(PowerStats, host, out);
  if (!p) return -MILL_LIMIT;
  p->options = *(const Options *)options;
  p->folded.common = common;
  p->watts_key = symbol_of(common, "Watts");
  p->until_key = symbol_of(common, "power_until_ns");
  p->process_key = symbol_of(common, "power_process");
  begin_meter(p, &p->meter);
  p->shares = keyed_new(common, sizeof(MeterShare));
  return p->shares && by_process_open(&p->meters, common, sizeof(Meter)) ? 0 : -MILL_LIMIT;
}

/* ----------------------------------------------------------------- events */

static uint8_t read_name(const char *text, size_t len)
{
  bool meters = len >= 5 && memcmp(text, "Power", 5) == 0 && (len == 5 || text[5] == ' ');
  bool computes = words_have(text, len, "Cmpt Exec");
  return (uint8_t)(KNOWN | (computes ? COMPUTES : 0) | (meters ? METERS : 0));
}

static uint8_t read_cat(const char *text, size_t len)
{
  return words_have(text, len, "kernel") ? KNOWN | COMPUTES : KNOWN;
}

static bool is_kernel(PowerStats *p, const MillEvent *e)
{
  return e->kind == MILL_SLICE && e->dur_ns > 0 &&
         (symclass_of(p->common, &p->names, e->name, read_name) & COMPUTES ||
          symclass_of(p->common, &p->cats, e->cat, read_cat) & COMPUTES);
}

static bool read_watts(const PowerStats *p, const MillBatch *b, const MillEvent *e, double *out)
{
  const MillAttr *attr = mill_attr(b, e, p->watts_key);
  if (!attr) return false;
  uint32_t type = attr->type & MILL_ATTR_TYPE;
  if (type != MILL_REAL && type != MILL_INT) return false;
  *out = type == MILL_REAL ? attr->u.r : (double)attr->u.i;
  return *out >= 0;
}

static Meter *begun(PowerStats *p, Meter *meter)
{
  if (meter && !meter->common) begin_meter(p, meter);
  return meter;
}

static Meter *meter_of_track(void *user, uint32_t track)
{
  PowerStats *p = user;
  return p->is_by_process ? begun(p, by_process_of(&p->meters, track)) : &p->meter;
}

/* Kernels that began before the first such counter run on. */
static Meter *meter_of_process(PowerStats *p, const MillAttr *attr)
{
  MillValue process = mill_int(attr->u.i);
  if ((attr->type & MILL_ATTR_TYPE) == MILL_SYM) process = mill_sym(attr->u.sym);
  if (!p->is_by_process) {
    p->is_by_process = true;
    if (!meter_split(&p->meter, meter_of_track)) return NULL;
  }
  return begun(p, keyed_get_value(p->meters.states, &process));
}

/* With stamp=ts3 there are counters of kernels, too: Power Cmpt Exec.
 * A counter that ends where it begins only brings the line of a viewer down. */
static bool take_power(PowerStats *p, const MillBatch *b, const MillEvent *e)
{
  double watts;
  int64_t until_ns = METER_OPEN;
  if (!(symclass_of(p->common, &p->names, e->name, read_name) & METERS) ||
      !read_watts(p, b, e, &watts))
    return true;
  mill_attr_int(b, e, p->until_key, &until_ns);
  if (until_ns <= e->ts_ns) return true;
  if (watts > MOST_WATTS) watts = MOST_WATTS;
  const MillAttr *process = mill_attr(b, e, p->process_key);
  Meter *meter = process ? meter_of_process(p, process) : meter_of_track(p, e->track);
  if (!meter) return false;
  meter->all.calls++;
  return meter_power(meter, e->ts_ns, until_ns, (int64_t)(watts * 1e9 + 0.5));
}

static bool take_kernel(PowerStats *p, const MillEvent *e)
{
  Meter *meter = meter_of_track(p, e->track);
  return meter && meter_kernel(meter, e->ts_ns, e->dur_ns, e->name, e->track);
}

static int power_stats_process(void *instance, MillBatch *b)
{
  PowerStats *p = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    bool fits = true;
    if (e->flags & MILL_FLAG_NO_TS) continue;
    if (e->kind == MILL_COUNTER) fits = take_power(p, b, e);
    if (is_kernel(p, e)) fits = take_kernel(p, e);
    if (!fits) return -MILL_LIMIT;
  }
  return 0;
}

/* What a device used, and when. */
static bool add_meter(PowerStats *p, Meter *meter, MeterShare *idle)
{
  if (!meter_end(meter)) return false;
  add_share(&p->all, &meter->all);
  add_share(idle, &meter->idle);
  return true;
}

static int power_stats_flush(void *instance, MillBatch *b)
{
  PowerStats *p = instance;
  MeterShare idle = { 0 };
  const KeyedEntry *const *meters = keyed_sorted(p->meters.states);
  bool fits = meters && add_meter(p, &p->meter, &idle);
  (void)b;
  for (uint32_t i = 0; fits && i < keyed_count(p->meters.states); i++)
    fits = add_meter(p, begun(p, meters[i]->state), &idle);
  if (!fits) return -MILL_LIMIT;
  if (p->all.dur_ns == 0) {
    p->common->note(p->common, NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
    return 0;
  }
  MeterShare *none = keyed_get(p->shares, NO_KERNEL, strlen(NO_KERNEL));
  if (none) add_share(none, &idle);
  return none ? 0 : -MILL_LIMIT;
}

/* ---------------------------------------------------------------- results */

static double mean_of(__int128 energy, int64_t dur_ns)
{
  return dur_ns > 0 ? (double)energy / (double)dur_ns / 1e9 : (double)NAN;
}
static double watts_of(int64_t nw) { return (double)nw / 1e9; }
static double joules_of(__int128 energy) { return (double)energy / 1e18; }

typedef struct PowerRow {
  MillText name;
  int64_t calls, time_ns;
  double mean, max, energy;
} PowerRow;

static int write_name(const PowerStats *p, const KeyedEntry *entry)
{
  const MeterShare *s = entry->state;
  const PowerRow row = {
    .name = { entry->key, entry->len },
    .calls = s->calls,
    .time_ns = s->dur_ns,
    .mean = mean_of(s->energy, s->dur_ns),
    .max = s->dur_ns > 0 ? watts_of(s->max_nw) : (double)NAN,
    .energy = joules_of(s->energy),
  };
  return mill_row(p->host, TABLE_POWER, &row);
}

typedef struct LoadRow {
  const char *when;
  int64_t time_ns, nonzero_time_ns;
  double mean, mean_nonzero, min, median, max;
} LoadRow;

static int write_load(const PowerStats *p, const char *when, const MeterLoad *load)
{
  bool any = load->dur_ns > 0, nonzero = load->nonzero_ns > 0;
  const LoadRow row = {
    .when = when,
    .time_ns = load->dur_ns,
    .nonzero_time_ns = load->nonzero_ns,
    .mean = mean_of(load->energy, load->dur_ns),
    .mean_nonzero = mean_of(load->energy, load->nonzero_ns),
    .min = nonzero ? watts_of(load->min_nw) : (double)NAN,
    .median = power_values_median(p->common, &load->values),
    .max = any ? watts_of(load->max_nw) : (double)NAN,
  };
  return mill_row(p->host, TABLE_LOAD, &row);
}

static int write_loads(const PowerStats *p)
{
  MeterLoad both = { 0 };
  if (!meter_load_merge(p->common, &both, &p->busy) ||
      !meter_load_merge(p->common, &both, &p->idle))
    return -MILL_LIMIT;
  int status = write_load(p, "always", &both);
  if (status == 0) status = write_load(p, "kernels ran", &p->busy);
  return status == 0 ? write_load(p, "no kernel ran", &p->idle) : status;
}

typedef struct SeriesRow {
  int64_t time_ns;
  double mean, max;
} SeriesRow;

static int write_series(const PowerStats *p)
{
  const PowerBins *bins = &p->bins;
  int status = 0;
  for (uint32_t i = 0; i < bins->n && status == 0; i++) {
    const PowerBin *bin = &bins->bins[i];
    const SeriesRow row = {
      .time_ns = power_bin_start(bins, i),
      .mean = mean_of(bin->energy, bin->known_ns),
      .max = watts_of(bin->max_nw),
    };
    if (bin->known_ns > 0) status = mill_row(p->host, TABLE_SERIES, &row);
  }
  return status;
}

static int power_stats_report(void *instance)
{
  PowerStats *p = instance;
  if (p->all.dur_ns == 0) return 0;
  const KeyedEntry *const *entries = keyed_sorted(p->shares);
  int status = entries ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(p->shares) && status == 0; i++)
    status = write_name(p, entries[i]);
  if (status == 0) status = write_loads(p);
  return status == 0 ? write_series(p) : status;
}

static const StateField share_fields[] = {
  STATE_SUM(MeterShare, energy),
  STATE_SUM(MeterShare, dur_ns),
  STATE_MOST(MeterShare, max_nw),
  STATE_SUM(MeterShare, calls),
};
static const StateType share_state = STATE_TYPE(MeterShare, share_fields);

static const StateField power_fields[] = { STATE_PART(PowerStats, all, share_state) };
static const StateType power_state = STATE_TYPE(PowerStats, power_fields);
STATE_RESULT(PowerStats, power_state)

static int power_stats_report_run(void *instance)
{
  PowerStats *p = instance;
  const MillStageHost *host = p->host;
  static const char reason[] = "no power is known (see the stage pec)";
  if (p->all.dur_ns == 0) {
    int status = host->no_metric(host, METRIC_POWER, NULL, reason);
    return status == 0 ? host->no_metric(host, METRIC_ENERGY, NULL, reason) : status;
  }
  uint64_t n = (uint64_t)p->all.calls; /* intervals */
  int status =
      host->metric(host, METRIC_POWER, "mean", mill_real(mean_of(p->all.energy, p->all.dur_ns)), n);
  if (status == 0)
    status = host->metric(host, METRIC_POWER, "max", mill_real(watts_of(p->all.max_nw)), n);
  if (status == 0)
    status = host->metric(host, METRIC_ENERGY, NULL, mill_real(joules_of(p->all.energy)), n);
  return status;
}

/* ------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = power_stats_open,
  .process = power_stats_process,
  .flush = power_stats_flush,
  .report = power_stats_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = power_stats_report_run,
};

static const MillOption options[] = { FOLD_NUMBERS_OPTION(Options, fold_numbers) };

static const MillNotice notices[] = {
  MILL_INFO(NOTHING, "the power of {lane} is unknown", "power and energy leave it out",
            "record the trace with power, and run pec before this stage",
            "Power comes from counters named Power with a value Watts, which pec makes of the "
            "readings in Power or charge of device events. It takes two readings."),
};

static const MillRead reads[] = {
  { "Watts", MILL_AS_REAL, MILL_KIND(MILL_COUNTER) },
  { "power_until_ns", MILL_AS_INT, MILL_KIND(MILL_COUNTER) },
  { "power_process", MILL_AS_ANY, MILL_KIND(MILL_COUNTER) },
};

static const MillColumn power_columns[] = {
  MILL_KEY_BRIEF(PowerRow, name, "name", NULL, "Kernel; " NO_KERNEL " for times in which none ran"),
  MILL_BRIEF(PowerRow, calls, "calls", "count", "Number of calls"),
  MILL_COLUMN(PowerRow, time_ns, "time", "ns", 0, "Its time while the power was known"),
  MILL_BRIEF(PowerRow, mean, "mean", "W", "Its energy over this time"),
  MILL_BRIEF(PowerRow, max, "max", "W", "Highest power of the device while it ran"),
  MILL_COLUMN(PowerRow, energy, "energy", "J", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Its share of the energy; kernels that run at one time share equally"),
};

static const MillColumn load_columns[] = {
  MILL_KEY_BRIEF(LoadRow, when, "when", NULL, "always, while kernels ran, or while none did"),
  MILL_BRIEF(LoadRow, time_ns, "time", "ns", "Time of this state while the power was known"),
  MILL_COLUMN(LoadRow, nonzero_time_ns, "nonzero_time", "ns", 0,
              "Time of this state with a power above 0"),
  MILL_BRIEF(LoadRow, mean, "mean", "W", "Energy over time"),
  MILL_COLUMN(LoadRow, mean_nonzero, "mean_nonzero", "W", 0, "Energy over nonzero_time"),
  MILL_BRIEF(LoadRow, min, "min", "W", "Smallest power above 0"),
  MILL_BRIEF(LoadRow, median, "median", "W",
             "Power that was not exceeded for half of nonzero_time"),
  MILL_BRIEF(LoadRow, max, "max", "W", "Highest power"),
};

static const MillColumn series_columns[] = {
  MILL_KEY(SeriesRow, time_ns, "time", "ns", "Begin of the bin"),
  MILL_COLUMN(SeriesRow, mean, "mean", "W", 0, "Power over the time in which it was known"),
  MILL_COLUMN(SeriesRow, max, "max", "W", 0, "Highest power"),
};

static const MillTable tables[] = {
  [TABLE_POWER] = { .per = MILL_PER_LANE,
                    .brief_rows = 10,
                    .name = "power",
                    .help = "Power and energy by kernel, for each rank",
                    .order = "-energy,name",
                    .columns = MILL_ROWS(power_columns) },
  [TABLE_LOAD] = { .per = MILL_PER_LANE,
                   .name = "power-load",
                   .help = "Power with and without kernels, for each rank",
                   .columns = MILL_ROWS(load_columns) },
  [TABLE_SERIES] = { .per = MILL_PER_LANE,
                     .name = "power-series",
                     .help = "Power over time, for each rank, in at most 2,000 bins",
                     .columns = MILL_ROWS(series_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_POWER] = { .per = MILL_PER_RUN,
                     .better = MILL_LOWER,
                     .kind = MILL_REAL,
                     .name = "power",
                     .unit = "W",
                     .stats = "mean,max",
                     .help = "Power of a device: energy of all ranks divided by the time in which "
                             "their power is known" },
  [METRIC_ENERGY] = { .per = MILL_PER_RUN,
                      .better = MILL_LOWER,
                      .kind = MILL_REAL,
                      .name = "energy",
                      .unit = "J",
                      .help = "Energy of all ranks while their power is known" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_LINE,
    .name = "power",
    .title = "Power over time",
    .table = "power-series",
    .x = "time",
    .y = "mean",
    .y_low = "mean",
    .y_high = "max",
    .y_label = "Power: mean to maximum",
    .x_label = "Time",
    .flags = MILL_FIGURE_STEP | MILL_FIGURE_MOMENTS },
};

static const char *const needs[] = { "power.counters", "order.lane", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "power-stats",
  .family = "power",
  .version = "1.0.0",
  .tag = "PSTAT",
  .title = "Power and energy by kernel and over time",
  .help =
      "A value of the counter Power holds for an interval. The energy of each interval is shared "
      "by the kernels that run in it, by the time that they run; the rest belongs to no kernel.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
