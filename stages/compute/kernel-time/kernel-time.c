/* Time of device work by name: total, share, calls and the distribution of durations, for every
 * lane and for the run. All sums are integers, so that any division of the work gives the same
 * bytes; percentiles are exact up to 256 calls of a name, above that within 0.8 % (or exact with
 * exact=true, at 8 bytes a call).  Durations are added up as they are: work that runs at the
 * same time on two streams counts twice (torch/gpu-timeline does not). */
#include <stagemill/stage.h>

#include "lib/hist.h"
#include "lib/keyed.h"
#include "lib/moments.h"
#include "lib/symclass.h"

enum { NOTICE_NOTHING = 1 };
enum { TABLE_RUN, TABLE_LANE };
enum { METRIC_TIME, METRIC_CALLS, METRIC_NAMES, METRIC_DURATION };
enum { NO = 1, YES = 2 }; /* classes of symbols */
enum { SAVED_VERSION = 2 };

typedef struct Options {
  const MillPattern *select, *categories;
  bool exact;
} Options;

typedef struct Name {
  Moments moments;
  Hist hist;
} Name;

typedef struct KernelTime {
  const MillHost *host;
  Options options;
  uint64_t bound; /* of exact percentiles */
  bool is_lane;
  SymClass names, cats;
  Keyed *states; /* Name, by name */
} KernelTime;

static int out_of_memory(const KernelTime *k)
{
  return mill_fail(k->host, MILL_LIMIT, "the durations by name do not fit into memory",
                   "leave exact=false, or select fewer names");
}

static void clear_name(void *state) { hist_clear(&((Name *)state)->hist); }

static int kernel_time_open(const MillStage *self, const MillHost *host, const void *options,
                            void **out_instance)
{
  (void)self;
  MillLane lane = { .size = sizeof lane };
  KernelTime *k = calloc(1, sizeof *k);
  if (!k) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  host->lane(host, MILL_NO_LANE, &lane);
  k->host = host;
  k->options = *(const Options *)options;
  k->bound = k->options.exact ? HIST_NO_BOUND : HIST_EXACT;
  k->is_lane = lane.index != MILL_NO_LANE;
  k->states = keyed_new(sizeof(Name), clear_name);
  *out_instance = k;
  return k->states ? 0 : out_of_memory(k);
}

static void kernel_time_close(void *instance)
{
  KernelTime *k = instance;
  symclass_clear(&k->names);
  symclass_clear(&k->cats);
  keyed_free(k->states);
  free(k);
}

/* ---- which events */

static bool ends_with(const char *text, size_t len, const char *end)
{
  size_t n = strlen(end);
  return len >= n && memcmp(text + len - n, end, n) == 0;
}

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
  if (k->options.categories) return k->host->match_sym(k->host, k->options.categories, cat);
  return !k->options.select && is_one_of(k->host->symbol_text(k->host, cat, &len), device);
}

static bool name_is_selected(const KernelTime *k, MillSym name)
{
  size_t len;
  if (k->options.select) return k->host->match_sym(k->host, k->options.select, name);
  if (k->options.categories) return false;
  const char *text = k->host->symbol_text(k->host, name, &len);
  return ends_with(text, len, "Cmpt Exec");
}

static bool class_of(KernelTime *k, SymClass *cache, MillSym sym,
                     bool (*ask)(const KernelTime *, MillSym))
{
  uint8_t known = symclass_get(cache, sym);
  if (!known) {
    known = ask(k, sym) ? YES : NO;
    symclass_put(cache, sym, known);
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
    Name *name = keyed_get_sym(k->states, k->host, e->name);
    if (!name) return out_of_memory(k);
    if (name->hist.n == 0) hist_init(&name->hist, k->bound, HIST_BINS);
    moments_add(&name->moments, e->dur_ns);
    if (!hist_add(&name->hist, e->dur_ns)) return out_of_memory(k);
  }
  return 0;
}

static int kernel_time_flush(void *instance, MillBatch *b)
{
  KernelTime *k = instance;
  (void)b;
  if (keyed_count(k->states) == 0)
    k->host->note(k->host, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- summaries */

static void save_name(void *state, const MillHost *host)
{
  Name *name = state;
  moments_save(&name->moments, host);
  hist_sort(&name->hist); /* whatever order lanes are merged in */
  hist_save(&name->hist, host);
}

static int kernel_time_save(void *instance, uint32_t what)
{
  KernelTime *k = instance;
  if (what != MILL_RESULT) return 0;
  k->host->put_int(k->host, SAVED_VERSION);
  k->host->put_int(k->host, k->options.exact);
  keyed_save(k->states, k->host, save_name);
  return 0;
}

static bool load_name(void *state, const MillHost *host, uint64_t bound)
{
  Name *name = state;
  Moments more;
  moments_load(&more, host);
  moments_merge(&name->moments, &more);
  if (name->hist.n == 0) hist_init(&name->hist, bound, HIST_BINS);
  return hist_load(&name->hist, host);
}

static bool load_bounded(void *state, const MillHost *host)
{
  return load_name(state, host, HIST_EXACT);
}

static bool load_exact(void *state, const MillHost *host)
{
  return load_name(state, host, HIST_NO_BOUND);
}

static int kernel_time_merge(void *instance, uint32_t what)
{
  KernelTime *k = instance;
  if (what != MILL_RESULT) return 0;
  if (k->host->get_int(k->host) != SAVED_VERSION || k->host->get_int(k->host) != k->options.exact)
    return mill_fail(k->host, MILL_STAGE_FAILED,
                     "the summary was made by another version or with other options", NULL);
  return keyed_merge(k->states, k->host, k->options.exact ? load_exact : load_bounded)
             ? 0
             : out_of_memory(k);
}

/* ---- results */

static MillValue real_or_none(bool exists, double v) { return exists ? mill_real(v) : mill_none(); }

static MillValue percentile(Hist *h, double p)
{
  double v = 0;
  bool exists = hist_percentile(h, p, &v);
  return real_or_none(exists, v);
}

static __int128 total_of(KernelTime *k, const KeyedEntry *const *entries)
{
  __int128 total = 0;
  for (uint32_t i = 0; i < keyed_count(k->states); i++)
    total += ((Name *)entries[i]->state)->moments.sum;
  return total;
}

static int write_row(KernelTime *k, const KeyedEntry *entry, double total)
{
  Name *name = entry->state;
  const Moments *m = &name->moments;
  double mean = 0, std = 0;
  bool has_mean = moments_mean(m, &mean), has_std = moments_std_sample(m, &std);
  const MillValue cells[] = {
    mill_text(entry->key, entry->len),
    mill_int(moments_sum(m)),
    real_or_none(total > 0, (double)m->sum / total * 100),
    mill_int((int64_t)m->n),
    real_or_none(has_mean, mean),
    percentile(&name->hist, 50),
    percentile(&name->hist, 90),
    percentile(&name->hist, 99),
    mill_int(m->min),
    mill_int(m->max),
    real_or_none(has_std, std),
  };
  return k->host->row(k->host, k->is_lane ? TABLE_LANE : TABLE_RUN, cells, MILL_COUNT(cells));
}

static const char *const duration_stats[] = { "mean", "p50", "p90", "p99", "min", "max", "std" };

static int write_durations(KernelTime *k, const Moments *m, Hist *h)
{
  double mean = 0, std = 0;
  bool has_mean = moments_mean(m, &mean), has_std = moments_std_sample(m, &std);
  const MillValue values[] = { real_or_none(has_mean, mean),
                               percentile(h, 50),
                               percentile(h, 90),
                               percentile(h, 99),
                               mill_real((double)m->min),
                               mill_real((double)m->max),
                               real_or_none(has_std, std) };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(values) && status == 0; i++)
    status =
        values[i].type == MILL_NONE
            ? k->host->no_metric(k->host, METRIC_DURATION, duration_stats[i], "it takes two calls")
            : k->host->metric(k->host, METRIC_DURATION, duration_stats[i], values[i], m->n);
  return status;
}

static int write_no_metrics(KernelTime *k)
{
  int status = 0;
  for (uint32_t metric = METRIC_TIME; metric <= METRIC_DURATION && status == 0; metric++)
    status = k->host->no_metric(k->host, metric, NULL,
                                "no event is device work (see options select and categories)");
  return status;
}

static int write_metrics(KernelTime *k, const KeyedEntry *const *entries)
{
  Moments all = { 0 };
  Hist hist;
  uint32_t n = keyed_count(k->states);
  if (n == 0) return write_no_metrics(k);
  hist_init(&hist, k->bound, HIST_BINS);
  bool fits = true;
  for (uint32_t i = 0; i < n && fits; i++) {
    Name *name = entries[i]->state;
    moments_merge(&all, &name->moments);
    fits = hist_merge(&hist, &name->hist);
  }
  int status = fits ? write_durations(k, &all, &hist) : out_of_memory(k);
  hist_clear(&hist);
  if (status == 0)
    status = k->host->metric(k->host, METRIC_TIME, NULL, mill_int(moments_sum(&all)), all.n);
  if (status == 0)
    status = k->host->metric(k->host, METRIC_CALLS, NULL, mill_int((int64_t)all.n), all.n);
  if (status == 0) status = k->host->metric(k->host, METRIC_NAMES, NULL, mill_int(n), all.n);
  return status;
}

static int kernel_time_report(void *instance)
{
  KernelTime *k = instance;
  const KeyedEntry *const *entries = keyed_sorted(k->states);
  if (!entries) return out_of_memory(k);
  double total = (double)total_of(k, entries);
  int status = 0;
  for (uint32_t i = 0; i < keyed_count(k->states) && status == 0; i++)
    status = write_row(k, entries[i], total);
  return status == 0 && !k->is_lane ? write_metrics(k, entries) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, select, "select", "",
                    "Names to count; with categories, both must match"),
  MILL_REGEX_OPTION(
      Options, categories, "categories", "",
      "Categories to count.  Neither given: device work of Kineto traces and AIU kernels"),
  MILL_BOOL_OPTION(Options, exact, "exact", "false",
                   "Exact percentiles however many calls; 8 bytes a call"),
};

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTICE_NOTHING, MILL_LEVEL_INFO, "{lane} has no device work",
    "it adds nothing to kernel-time", "choose events with the options select or categories",
    "By default slices of category kernel, gpu_memcpy or gpu_memset count, and those whose name "
    "ends in Cmpt Exec." },
};

static const MillColumn columns[] = {
  { "name", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "Name of the kernel" },
  { "total", "ns", MILL_INT, MILL_COLUMN_BRIEF, "Sum of its durations" },
  { "share", "percent", MILL_REAL, MILL_COLUMN_BRIEF, "Of the sum over all names" },
  { "calls", "count", MILL_INT, MILL_COLUMN_BRIEF, "How often it ran" },
  { "mean", "ns", MILL_REAL, MILL_COLUMN_BRIEF, "Mean duration" },
  { "median", "ns", MILL_REAL, 0, "Median duration" },
  { "p90", "ns", MILL_REAL, 0, "90th percentile of the durations" },
  { "p99", "ns", MILL_REAL, MILL_COLUMN_BRIEF, "99th percentile of the durations" },
  { "min", "ns", MILL_INT, 0, "Shortest duration" },
  { "max", "ns", MILL_INT, 0, "Longest duration" },
  { "std", "ns", MILL_REAL, 0, "Standard deviation (n - 1); empty for one call" },
};
static const MillTable tables[] = {
  [TABLE_RUN] = { sizeof(MillTable), MILL_PER_RUN, "kernel-time",
                  "Time of device work by name, over all ranks", columns, MILL_COUNT(columns), 10,
                  "-total,name" },
  [TABLE_LANE] = { sizeof(MillTable), MILL_PER_LANE, "kernel-time-rank",
                   "Time of device work by name, for each rank", columns, MILL_COUNT(columns), 0,
                   "-total,name" },
};

static const MillMetric metrics[] = {
  [METRIC_TIME] = { sizeof(MillMetric), MILL_PER_RUN, "kernel_time", "ns", MILL_LOWER, MILL_INT,
                    NULL, NULL, "Sum of the durations of all device work of all ranks" },
  [METRIC_CALLS] = { sizeof(MillMetric), MILL_PER_RUN, "kernel_calls", "count", MILL_NEITHER,
                     MILL_INT, NULL, NULL, "How many pieces of device work ran" },
  [METRIC_NAMES] = { sizeof(MillMetric), MILL_PER_RUN, "kernel_names", "count", MILL_NEITHER,
                     MILL_INT, NULL, NULL, "How many different names device work has" },
  [METRIC_DURATION] = { sizeof(MillMetric), MILL_PER_RUN, "kernel_duration", "ns", MILL_LOWER,
                        MILL_REAL, "mean,p50,p90,p99,min,max,std", NULL,
                        "Duration of one piece of device work" },
};

static const MillFigure figures[] = {
  { .size = sizeof(MillFigure),
    .kind = MILL_FIGURE_PARETO,
    .name = "kernel-time",
    .title = "Device time by name",
    .table = "kernel-time",
    .x = "name",
    .y = "total" },
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.kernel-time", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = kernel_time_open,
  .process = kernel_time_process,
  .flush = kernel_time_flush,
  .save = kernel_time_save,
  .merge = kernel_time_merge,
  .report = kernel_time_report,
  .close = kernel_time_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .name = "kernel-time",
  .family = "compute",
  .version = "1.0.0",
  .tag = "KTIME",
  .title = "Time of device work by name",
  .help = "Adds up the durations of kernels, copies and fills by name, for each rank and over all, "
          "with the distribution "
          "of single durations.",
  .needs = needs,
  .provides = provides,
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .metrics = metrics,
  .n_metrics = MILL_COUNT(metrics),
  .figures = figures,
  .n_figures = MILL_COUNT(figures),
  .ops = &ops,
};
MILL_MODULE(stage, "stagemill", "MIT");
