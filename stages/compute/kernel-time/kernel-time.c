/* Time of device work by name: total, share, calls and the distribution of durations, for every
 * lane and for the run. All sums are integers, so that any division of the work gives the same
 * bytes; percentiles are exact up to 2 million calls, above that within 0.1 % (or exact with
 * exact=true, at 8 bytes per call).  Durations are added up as they are: work that runs at the
 * same time on two streams counts twice (torch/gpu-timeline does not). */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/dist.h"
#include "kit/state/instance.h"
#include "kit/text/fold.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/state/symclass.h"
#include "kit/text/words.h"

enum { NOTICE_NOTHING = 1, NOTICE_EMPTY };
enum { TABLE_RUN, TABLE_LANE };
enum { METRIC_TIME, METRIC_CALLS, METRIC_NAMES, METRIC_DURATION };
enum { NO = 1, YES = 2 }; /* classes of symbols */

typedef struct Options {
  const MillPattern *select, *categories;
  bool exact, fold_numbers, expected;
  int64_t exact_up_to;
  MillList by;
} Options;

typedef struct KernelTime {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  Hists hists; /* of all names: exact together */
  SymClass names, cats;
  FoldedNames folded;
  Keyed *states; /* Dist, by name */
} KernelTime;

static int kernel_time_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self, (void)level;
  KernelTime *k = instance_new(KernelTime, host, out_instance);
  if (!k) return -MILL_LIMIT;
  k->options = *(const Options *)options;
  k->folded.common = k->common;
  hists_init(&k->hists, k->common,
             k->options.exact ? HIST_NO_BOUND : (uint64_t)k->options.exact_up_to);
  k->states = keyed_new(host->common, sizeof(Dist));
  return k->states ? 0 : -MILL_LIMIT;
}

/* ---- which events */

static bool is_one_of(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strcmp(text, *words) == 0) return true;
  return false;
}

/* Without patterns: what Kineto calls device work (also in its older spelling), by category, or
 * AIU kernels, by name. */
static bool cat_is_selected(const KernelTime *k, MillSym cat)
{
  static const char *const device[] = { "kernel", "gpu_memcpy", "gpu_memset",      "Kernel",
                                        "Memcpy", "Memset",     "mtia_ccp_events", NULL };
  size_t len;
  if (k->options.categories) return k->common->match_sym(k->common, k->options.categories, cat);
  return !k->options.select && is_one_of(k->common->symbol_text(k->common, cat, &len), device);
}

static bool name_is_selected(const KernelTime *k, MillSym name)
{
  size_t len;
  if (k->options.select) return k->common->match_sym(k->common, k->options.select, name);
  if (k->options.categories) return false;
  const char *text = k->common->symbol_text(k->common, name, &len);
  return words_end_with(text, len, "Cmpt Exec");
}

static bool class_of(KernelTime *k, SymClass *cache, MillSym sym,
                     bool (*ask)(const KernelTime *, MillSym))
{
  uint8_t known = symclass_get(cache, sym);
  if (!known) {
    known = ask(k, sym) ? YES : NO;
    symclass_put(k->common, cache, sym, known);
  }
  return known == YES;
}

static bool is_selected(KernelTime *k, const MillEvent *e)
{
  bool by_cat = class_of(k, &k->cats, e->cat, cat_is_selected);
  if (k->options.select && k->options.categories)
    return by_cat && class_of(k, &k->names, e->name, name_is_selected);
  return by_cat || class_of(k, &k->names, e->name, name_is_selected);
}

/* ---- adding up */

static int kernel_time_process(void *instance, MillBatch *b)
{
  KernelTime *k = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || !is_selected(k, e)) continue;
    MillSym name = k->options.fold_numbers ? fold_name(&k->folded, e->name) : e->name;
    Dist *durations = keyed_get_sym(k->states, name);
    if (!durations || !dist_add(durations, &k->hists, e->dur_ns)) return -MILL_LIMIT;
  }
  return 0;
}

static int kernel_time_flush(void *instance, MillBatch *b)
{
  KernelTime *k = instance;
  (void)b;
  if (keyed_count(k->states) == 0)
    mill_note(k->common, k->options.expected ? NOTICE_EMPTY : NOTICE_NOTHING);
  return 0;
}

/* ---- summaries */

static const StateField kernel_time_fields[] = {
  STATE_HISTS(KernelTime, hists),
  STATE_KEYED(KernelTime, states, dist_state),
};
static const StateType kernel_time_state = STATE_TYPE(KernelTime, kernel_time_fields);
STATE_RESULT(KernelTime, kernel_time_state)

/* ---- results */

static __int128 total_of(KernelTime *k, const KeyedEntry *const *entries)
{
  __int128 total = 0;
  for (uint32_t i = 0; i < keyed_count(k->states); i++)
    total += ((Dist *)entries[i]->state)->moments.sum;
  return total;
}

typedef struct KernelTimeRow {
  MillText name;
  int64_t total_ns;
  double share;
  int64_t calls;
  double mean_ns, median_ns, p90_ns, p99_ns;
  int64_t min_ns, max_ns;
  double std_ns;
  const char *method;
} KernelTimeRow;

static int write_row(KernelTime *k, uint32_t table, const KeyedEntry *entry, double total)
{
  Dist *d = entry->state;
  const Moments *m = &d->moments;
  const char *method = hist_method(&k->hists);
  const KernelTimeRow row = {
    .name = { entry->key, entry->len },
    .total_ns = moments_sum(m),
    .share = total > 0 ? (double)m->sum / total * 100 : (double)NAN,
    .calls = (int64_t)m->n,
    .mean_ns = dist_mean(d),
    .median_ns = dist_percentile(d, 50),
    .p90_ns = dist_percentile(d, 90),
    .p99_ns = dist_percentile(d, 99),
    .min_ns = m->min,
    .max_ns = m->max,
    .std_ns = dist_std(d),
    .method = method,
  };
  return mill_row(k->host, table, &row);
}

static const char *const duration_stats[] = { "mean", "p50", "p90", "p99", "min", "max", "std" };

static int write_durations(KernelTime *k, Dist *d)
{
  const double values[] = {
    dist_mean(d),
    dist_percentile(d, 50),
    dist_percentile(d, 90),
    dist_percentile(d, 99),
    (double)d->moments.min,
    (double)d->moments.max,
    dist_std(d),
  };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(values) && status == 0; i++)
    status = isnan(values[i]) ? k->host->no_metric(k->host, METRIC_DURATION, duration_stats[i],
                                                   "a standard deviation needs two calls")
                              : k->host->metric(k->host, METRIC_DURATION, duration_stats[i],
                                                mill_real(values[i]), d->moments.n);
  return status;
}

static int write_no_metrics(KernelTime *k)
{
  int status = 0;
  for (uint32_t metric = METRIC_TIME; metric <= METRIC_DURATION && status == 0; metric++)
    status = k->host->no_metric(k->host, metric, NULL,
                                "there are no device events (see options select and categories)");
  return status;
}

/* Of all names together, by the same method as each. */
static int write_distribution(KernelTime *k, const Moments *m, const KeyedEntry *const *entries)
{
  Hists alone;
  Dist all = { .moments = *m };
  hists_init(&alone, k->common, k->hists.binned ? 0 : HIST_NO_BOUND);
  hist_init(&all.hist, &alone);
  bool fits = hist_expect(&all.hist, m->n);
  for (uint32_t i = 0; i < keyed_count(k->states) && fits; i++)
    fits = hist_merge(&all.hist, &((Dist *)entries[i]->state)->hist);
  int status = fits ? write_durations(k, &all) : -MILL_LIMIT;
  hists_clear(&alone);
  return status;
}

static int write_metrics(KernelTime *k, const KeyedEntry *const *entries)
{
  Moments all = { 0 };
  uint32_t n = keyed_count(k->states);
  if (n == 0) return write_no_metrics(k);
  for (uint32_t i = 0; i < n; i++) moments_merge(&all, &((Dist *)entries[i]->state)->moments);
  int status = write_distribution(k, &all, entries);
  if (status == 0)
    status = k->host->metric(k->host, METRIC_TIME, NULL, mill_int(moments_sum(&all)), all.n);
  if (status == 0)
    status = k->host->metric(k->host, METRIC_CALLS, NULL, mill_int((int64_t)all.n), all.n);
  if (status == 0) status = k->host->metric(k->host, METRIC_NAMES, NULL, mill_int(n), all.n);
  return status;
}

static int write_rows(KernelTime *k, uint32_t table, const KeyedEntry *const *entries)
{
  double total = (double)total_of(k, entries);
  int status = 0;
  for (uint32_t i = 0; i < keyed_count(k->states) && status == 0; i++)
    status = write_row(k, table, entries[i], total);
  return status;
}

static int kernel_time_report(void *instance)
{
  KernelTime *k = instance;
  const KeyedEntry *const *entries = keyed_sorted(k->states);
  return entries ? write_rows(k, TABLE_LANE, entries) : -MILL_LIMIT;
}

static int kernel_time_report_run(void *instance)
{
  KernelTime *k = instance;
  const KeyedEntry *const *entries = keyed_sorted(k->states);
  if (!entries || !hists_settle(&k->hists)) return -MILL_LIMIT;
  int status = write_rows(k, TABLE_RUN, entries);
  return status == 0 ? write_metrics(k, entries) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, select, "select", "",
                    "Names to count; with categories, both must match"),
  MILL_REGEX_OPTION(
      Options, categories, "categories", "",
      "Categories to count. If both options are empty: device events of Kineto traces and AIU "
      "kernels"),
  FOLD_NUMBERS_OPTION(Options, fold_numbers),
  MILL_BOOL_OPTION(Options, exact, "exact", "false",
                   "Exact percentiles for any number of calls; 8 bytes each"),
  MILL_INT_OPTION(
      Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "calls",
      "Percentiles are exact up to this many calls, 8 bytes each; with more calls they are within "
      "0.1 %"),
  MILL_BOOL_OPTION(Options, expected, "expected", "false",
                   "Warn where there is nothing to count: no other stage shows anything"),
  MILL_BY_OPTION(Options, by),
};

#define NO_EVENTS "{lane} has no device events"
#define WHAT_COUNTS                                                                       \
  "By default the stage counts slices of category kernel, gpu_memcpy or gpu_memset, and " \
  "slices whose name ends in Cmpt Exec."

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, NO_EVENTS, "it adds nothing to kernel-time",
            "choose events with the options select or categories", WHAT_COUNTS),
  MILL_WARNING(NOTICE_EMPTY, NO_EVENTS, "it adds nothing to kernel-time",
               "record the device too, or choose events with --set select= or --set categories=",
               WHAT_COUNTS),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(KernelTimeRow, name, "name", NULL, "Name of the kernel"),
  MILL_COLUMN(KernelTimeRow, total_ns, "total", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Sum of its durations"),
  MILL_BRIEF(KernelTimeRow, share, "share", "percent", "Share of the sum over all names"),
  MILL_BRIEF(KernelTimeRow, calls, "calls", "count", "Number of calls"),
  MILL_COLUMN(KernelTimeRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean duration"),
  MILL_COLUMN(KernelTimeRow, median_ns, "median", "ns", MILL_COLUMN_LOWER, "Median duration"),
  MILL_COLUMN(KernelTimeRow, p90_ns, "p90", "ns", MILL_COLUMN_LOWER,
              "90th percentile of the durations"),
  MILL_COLUMN(KernelTimeRow, p99_ns, "p99", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "99th percentile of the durations"),
  MILL_COLUMN(KernelTimeRow, min_ns, "min", "ns", MILL_COLUMN_LOWER, "Shortest duration"),
  MILL_COLUMN(KernelTimeRow, max_ns, "max", "ns", MILL_COLUMN_LOWER, "Longest duration"),
  MILL_COLUMN(KernelTimeRow, std_ns, "std", "ns", 0,
              "Standard deviation (n - 1); empty for one call"),
  MILL_COLUMN(KernelTimeRow, method, "method", NULL, 0,
              "Method of the percentiles: exact, or histogram (within 0.1 %)"),
};
static const MillTable tables[] = {
  [TABLE_RUN] = { .per = MILL_PER_RUN,
                  .brief_rows = 10,
                  .name = "kernel-time",
                  .help = "Time of device events by name, over all ranks",
                  .order = "-total,name",
                  .columns = MILL_ROWS(columns) },
  [TABLE_LANE] = { .per = MILL_PER_LANE,
                   .name = "kernel-time-rank",
                   .help = "Time of device events by name, for each rank",
                   .order = "-total,name",
                   .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  [METRIC_TIME] = { .per = MILL_PER_RUN,
                    .better = MILL_LOWER,
                    .kind = MILL_INT,
                    .name = "kernel_time",
                    .unit = "ns",
                    .help = "Sum of the durations of all device events of all ranks",
                    .headline = MILL_HEADLINE_VALUE },
  [METRIC_CALLS] = { .per = MILL_PER_RUN,
                     .better = MILL_NEITHER,
                     .kind = MILL_INT,
                     .name = "kernel_calls",
                     .unit = "count",
                     .help = "Number of device events" },
  [METRIC_NAMES] = { .per = MILL_PER_RUN,
                     .better = MILL_NEITHER,
                     .kind = MILL_INT,
                     .name = "kernel_names",
                     .unit = "count",
                     .help = "Number of different names of device events" },
  [METRIC_DURATION] = { .per = MILL_PER_RUN,
                        .better = MILL_LOWER,
                        .kind = MILL_REAL,
                        .name = "kernel_duration",
                        .unit = "ns",
                        .stats = "mean,p50,p90,p99,min,max,std",
                        .help = "Duration of one device event",
                        .headline = "p50,p99" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_RANKED,
    .name = "kernel-time",
    .title = "Device time by name",
    .table = "kernel-time",
    .x = "name",
    .y = "total",
    .top = 20 },
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.kernel-time", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = kernel_time_open,
  .process = kernel_time_process,
  .flush = kernel_time_flush,
  .report = kernel_time_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = kernel_time_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "kernel-time",
  .family = "compute",
  .version = "1.0.0",
  .tag = "KTIME",
  .title = "Time of device events by name",
  .help = "Sums the durations of kernels, copies and fills by name, for each rank and over all "
          "ranks, with the distribution of single durations.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
