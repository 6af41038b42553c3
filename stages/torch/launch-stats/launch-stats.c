/* How long calls take, how long what they launch, and how long it waits in between; what looks odd in that; and what operators
 * wait for.  One sample for each piece of device work whose call is known.  Events may come in any order. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <stdlib.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/dist.h"
#include "kit/numbers/interval.h"
#include "kit/state/keyed.h"
#include "kit/numbers/moments.h"
#include "kit/state/ranked.h"
#include "kit/state/state.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"

enum { NOTICE_NOTHING = 1, BINNED };
enum { TABLE_STATS, TABLE_FLAGS, TABLE_DELAYS };
enum { METRIC_DELAY };
enum { CALL, DEVICE, DELAY, N_VALUES };
enum { SHORT_KERNEL, LONG_CALL, LONG_DELAY, N_FLAGS };
static const char *const value_names[N_VALUES] = { "call", "device", "delay" };
static const char *const flag_names[N_FLAGS] = { "short_kernel", "long_call", "long_delay" };

typedef struct Options {
  int64_t long_call_ns, long_delay_ns, exact_up_to;
} Options;

typedef struct DelayKey {
  MillSym op, list; /* of its work */
} DelayKey;

typedef struct OpDelay {
  Moments to_call, to_device;
} OpDelay;

typedef struct Launch {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  TorchWords words;
  MillSym call_start, call_dur, op, op_start, list;
  Hists hists;
  Dist values[N_VALUES];
  int64_t flags[N_FLAGS];
  Keyed *delays; /* OpDelay, by DelayKey; keys of text would take most of the memory */
} Launch;

static int launch_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level;
  Launch *l = instance_new(Launch, host, out_instance);
  if (!l) return -MILL_LIMIT;
  l->words.common = host->common;
  l->options = *(const Options *)options;
  l->call_start = tree_key(l->common, TREE_CALL_START);
  l->call_dur = tree_key(l->common, TREE_CALL_DUR);
  l->op = tree_key(l->common, TREE_OP);
  l->op_start = tree_key(l->common, TREE_OP_START);
  l->list = tree_key(l->common, TREE_LIST);
  hists_init(&l->hists, l->common, (uint64_t)l->options.exact_up_to);
  l->delays = keyed_new(l->common, sizeof(OpDelay));
  return l->delays ? 0 : -MILL_LIMIT;
}

/* ---- adding up */

static bool add_delay(Launch *l, const MillBatch *b, const MillEvent *e, int64_t call_ns)
{
  int64_t op_ns;
  MillSym op = tree_sym(l->common, b, e, l->op);
  if (!op || !mill_attr_int(b, e, l->op_start, &op_ns)) return true;
  const DelayKey key = { op, tree_sym(l->common, b, e, l->list) };
  OpDelay *d = keyed_get(l->delays, (const char *)&key, sizeof key);
  if (!d) return false;
  moments_add(&d->to_call, interval_span(op_ns, call_ns));
  moments_add(&d->to_device, interval_span(call_ns, e->ts_ns));
  return true;
}

static bool add_sample(Launch *l, const MillBatch *b, const MillEvent *e, int64_t call_ns,
                       int64_t call_dur_ns)
{
  int64_t delay_ns = interval_span(interval_end(call_ns, call_dur_ns), e->ts_ns);
  if (delay_ns < 0) delay_ns = 0;
  const int64_t values[N_VALUES] = { call_dur_ns, e->dur_ns, delay_ns };
  l->flags[SHORT_KERNEL] += e->dur_ns < call_dur_ns;
  l->flags[LONG_CALL] += call_dur_ns > l->options.long_call_ns;
  l->flags[LONG_DELAY] += delay_ns > l->options.long_delay_ns;
  for (int i = 0; i < N_VALUES; i++)
    if (!dist_add(&l->values[i], &l->hists, values[i])) return false;
  return add_delay(l, b, e, call_ns);
}

static int launch_process(void *instance, MillBatch *b)
{
  Launch *l = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    int64_t call_ns, call_dur_ns;
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (!torch_is_device(torch_kind(&l->words, e))) continue;
    if (!mill_attr_int(b, e, l->call_start, &call_ns) ||
        !mill_attr_int(b, e, l->call_dur, &call_dur_ns))
      continue;
    if (!add_sample(l, b, e, call_ns, call_dur_ns)) return -MILL_LIMIT;
  }
  return 0;
}

static uint64_t samples(const Launch *l) { return l->values[DELAY].moments.n; }

static int launch_flush(void *instance, MillBatch *b)
{
  const Launch *l = instance;
  (void)b;
  if (samples(l) == 0) mill_note(l->common, NOTICE_NOTHING);
  return 0;
}

/* ---- summaries: of the delays alone, for the metric */

static const StateField launch_fields[] = {
  STATE_HISTS(Launch, hists),
  STATE_PART(Launch, values, dist_state),
};
static const StateType launch_state = STATE_TYPE(Launch, launch_fields);
STATE_RESULT(Launch, launch_state)

/* ---- results */

typedef struct StatRow {
  const char *value;
  int64_t calls;
  double mean_ns, std_ns;
  int64_t min_ns;
  double p25_ns, p50_ns, p75_ns;
  int64_t max_ns;
} StatRow;

static int report_values(Launch *l)
{
  int status = 0;
  for (int i = 0; i < N_VALUES && status == 0; i++) {
    Dist *d = &l->values[i];
    const StatRow row = {
      .value = value_names[i],
      .calls = (int64_t)d->moments.n,
      .mean_ns = dist_mean(d),
      .std_ns = dist_std(d),
      .min_ns = d->moments.min,
      .p25_ns = dist_percentile(d, 25),
      .p50_ns = dist_percentile(d, 50),
      .p75_ns = dist_percentile(d, 75),
      .max_ns = d->moments.max,
    };
    status = mill_row(l->host, TABLE_STATS, &row);
  }
  return status;
}

typedef struct FlagRow {
  const char *flag;
  int64_t calls;
  double share;
} FlagRow;

static int report_flags(const Launch *l)
{
  int status = 0;
  for (int i = 0; i < N_FLAGS && status == 0; i++) {
    const FlagRow row = {
      .flag = flag_names[i],
      .calls = l->flags[i],
      .share = percent_of(l->flags[i], samples(l)),
    };
    status = mill_row(l->host, TABLE_FLAGS, &row);
  }
  return status;
}

typedef struct DelayRow {
  MillText op, kernels;
  int64_t calls;
  double op_to_call_ns, call_to_device_ns;
} DelayRow;

typedef struct Delay {
  int64_t wait_ns; /* all of it */
  MillText op, kernels;
  const OpDelay *of;
} Delay;

static MillText text_of(const Launch *l, MillSym sym)
{
  MillText text = { NULL, 0 };
  text.text = l->common->symbol_text(l->common, sym, &text.len);
  return text;
}

static int compare_texts(MillText a, MillText b)
{
  const int order = memcmp(a.text, b.text, a.len < b.len ? a.len : b.len);
  return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The longest wait first. */
static int compare_delays(const void *p, const void *q)
{
  const Delay *a = p, *b = q;
  if (a->wait_ns != b->wait_ns) return a->wait_ns > b->wait_ns ? -1 : 1;
  const int order = compare_texts(a->op, b->op);
  return order ? order : compare_texts(a->kernels, b->kernels);
}

static Delay delay_of(const Launch *l, const KeyedEntry *entry)
{
  const OpDelay *d = entry->state;
  DelayKey key;
  memcpy(&key, entry->key, sizeof key);
  return (Delay){ .wait_ns = add_clipped(moments_sum(&d->to_call), moments_sum(&d->to_device)),
                  .op = text_of(l, key.op),
                  .kernels = text_of(l, key.list),
                  .of = d };
}

static int report_delays(Launch *l)
{
  const uint32_t n = keyed_count(l->delays);
  const KeyedEntry *const *entries = keyed_sorted(l->delays);
  Delay *delays = l->common->scratch(l->common, (n + (size_t)1) * sizeof *delays);
  int status = 0;
  if (!entries || !delays) return -MILL_LIMIT;
  for (uint32_t i = 0; i < n; i++) delays[i] = delay_of(l, entries[i]);
  qsort(delays, n, sizeof *delays, compare_delays);
  for (uint32_t i = 0; i < n && status == 0; i++) {
    const OpDelay *d = delays[i].of;
    const DelayRow row = {
      .op = delays[i].op,
      .kernels = delays[i].kernels,
      .calls = (int64_t)d->to_call.n,
      .op_to_call_ns = moments_mean_or_none(&d->to_call),
      .call_to_device_ns = moments_mean_or_none(&d->to_device),
    };
    status = mill_row(l->host, TABLE_DELAYS, &row);
  }
  return status;
}

static int launch_report(void *instance)
{
  Launch *l = instance;
  if (samples(l) == 0) return 0;
  hists_note(&l->hists, BINNED);
  int status = report_values(l);
  if (status == 0) status = report_flags(l);
  return status == 0 ? report_delays(l) : status;
}

static int launch_report_run(void *instance)
{
  Launch *l = instance;
  Dist *d = &l->values[DELAY];
  if (!hists_settle(&l->hists)) return -MILL_LIMIT;
  if (samples(l) == 0)
    return l->host->no_metric(l->host, METRIC_DELAY, NULL, "no device work has a call");
  int status = l->host->metric(l->host, METRIC_DELAY, "mean", mill_real(dist_mean(d)), samples(l));
  if (status == 0)
    status = l->host->metric(l->host, METRIC_DELAY, "p50", mill_real(dist_percentile(d, 50)),
                             samples(l));
  return status == 0 ? l->host->metric(l->host, METRIC_DELAY, "p99",
                                       mill_real(dist_percentile(d, 99)), samples(l))
                     : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, long_call_ns, "long-call", "50us",
                       "0:", "Longer calls are flagged"),
  MILL_DURATION_OPTION(Options, long_delay_ns, "long-delay", "100us",
                       "0:", "Longer delays are flagged"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
                  "Percentiles are exact up to this many values, three for each launch, 8 bytes "
                  "each; with more values they are within 0.1 %"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "no device work of {lane} has a call", "launch-stats leaves it out",
            "record host and device: ProfilerActivity.CPU and ProfilerActivity.CUDA",
            "Device work is linked to calls by correlation or by flows. The trace lacks calls, "
            "device work, or both of these."),
  HIST_NOTICE(BINNED),
};

static const MillColumn stat_columns[] = {
  MILL_KEY_BRIEF(StatRow, value, "value", NULL,
                 "call: its duration; device: duration of the device work; delay: from the end of "
                 "the call to the device work"),
  MILL_BRIEF(StatRow, calls, "calls", "count", "Device work with a call"),
  MILL_BRIEF(StatRow, mean_ns, "mean", "ns", "Mean"),
  MILL_COLUMN(StatRow, std_ns, "std", "ns", 0, "Standard deviation (n - 1); empty for one"),
  MILL_COLUMN(StatRow, min_ns, "min", "ns", 0, "Shortest"),
  MILL_COLUMN(StatRow, p25_ns, "p25", "ns", 0, "25th percentile"),
  MILL_BRIEF(StatRow, p50_ns, "p50", "ns", "Median"),
  MILL_COLUMN(StatRow, p75_ns, "p75", "ns", 0, "75th percentile"),
  MILL_BRIEF(StatRow, max_ns, "max", "ns", "Longest"),
};
static const MillColumn flag_columns[] = {
  MILL_KEY_BRIEF(FlagRow, flag, "flag", NULL,
                 "short_kernel: shorter than its call; long_call; long_delay"),
  MILL_BRIEF(FlagRow, calls, "calls", "count", "Device events with this flag"),
  MILL_BRIEF(FlagRow, share, "share", "percent", "Share of all device work with a call"),
};
static const MillColumn delay_columns[] = {
  MILL_KEY(DelayRow, op, "op", NULL, "Name of the operator"),
  MILL_KEY(DelayRow, kernels, "kernels", NULL, "All device work of one call, in order of start"),
  MILL_COLUMN(DelayRow, calls, "calls", "count", 0, "Number of device events"),
  MILL_COLUMN(DelayRow, op_to_call_ns, "op_to_call", "ns", 0,
              "Mean time from the start of the operator to that of the call"),
  MILL_COLUMN(DelayRow, call_to_device_ns, "call_to_device", "ns", 0,
              "Mean time from the start of the call to that of the work"),
};
static const MillTable tables[] = {
  [TABLE_STATS] = { .per = MILL_PER_LANE,
                    .brief_rows = 6,
                    .name = "launch-stats",
                    .help = "Calls, the device work that they launched, and the delay between",
                    .columns = MILL_ROWS(stat_columns) },
  [TABLE_FLAGS] = { .per = MILL_PER_LANE,
                    .brief_rows = 6,
                    .name = "launch-flags",
                    .help = "Unusual launches",
                    .columns = MILL_ROWS(flag_columns) },
  [TABLE_DELAYS] = { .per = MILL_PER_LANE,
                     .name = "op-delay",
                     .help = "Time from an operator to its device work",
                     .columns = MILL_ROWS(delay_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_DELAY] = { .per = MILL_PER_RUN,
                     .better = MILL_LOWER,
                     .kind = MILL_REAL,
                     .name = "launch_delay",
                     .unit = "ns",
                     .stats = "mean,p50,p99",
                     .help = "Time from the end of a call to the start of the device work that it "
                             "launched, at least 0",
                     .headline = "p50,p99" },
};

static const MillRead reads[] = {
  TREE_READ(TREE_CALL_START), TREE_READ(TREE_CALL_DUR), TREE_READ(TREE_OP),
  TREE_READ(TREE_OP_START),   TREE_READ(TREE_LIST),
};

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.launch-stats", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = launch_open,
  .process = launch_process,
  .flush = launch_flush,
  .report = launch_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = launch_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "launch-stats",
  .family = "torch",
  .version = "1.0.0",
  .tag = "LAUNCH",
  .title = "Calls, the device work that they launched, and the delay between",
  .help = "Shows, for device work, the duration of its call, its own duration, and its wait. Flags "
          "unusual launches. Shows the time from operators to their device work.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
