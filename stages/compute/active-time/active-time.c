/* How much of its time each rank's device computed, and how much of its communication that did not hide.  Events come
 * in order of their start, so that it takes no more than the latest ends seen so far: where one is before another,
 * the time in between is active, or exposed. */
#include <stagemill/stage.h>
#include <string.h>

#include "bins.h"
#include "lib/clip.h"
#include "lib/device.h"
#include "lib/interval.h"

enum { TABLE_ACTIVE, TABLE_ACTIVITY };
enum { BINS_A_KERNEL = 16 }; /* at most */

typedef enum Work { OTHER, KERNEL, COMM } Work;

typedef struct ActiveTime {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords words;
  uint64_t n_kernels; /* here and below, on the run level: of all lanes */
  int64_t kernel_ns, elapsed_ns;
  int64_t first_ns, last_ns; /* start of the first kernel, latest end of one */
  int64_t seen_ns;           /* all before it is accounted for */
  int64_t comm_end_ns;       /* latest end of communication */
  int64_t comm_ns, exposed_ns;
  bool has_comm;
  Bins bins; /* of kernels */
} ActiveTime;

static int active_time_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self, (void)options, (void)level;
  ActiveTime *a = mill_new(host->common, sizeof *a);
  if (!a) return -MILL_LIMIT;
  a->host = host;
  a->common = host->common;
  a->seen_ns = INT64_MIN;
  device_open(&a->words, a->common);
  *out_instance = a;
  return 0;
}

/* ---- events */

/* Torch calls the kernels of collectives kernels, too; of an AIU one that computes is no transfer. */
static Work work_of(ActiveTime *a, const MillBatch *b, const MillEvent *e)
{
  DeviceWords *d = &a->words;
  if (!device_has(d, b, e)) return OTHER;
  if (device_computes(d, e)) return d->is_torch && device_communicates(d, b, e) ? COMM : KERNEL;
  return !d->is_torch && device_communicates(d, b, e) ? COMM : OTHER;
}

static int64_t span(int64_t start_ns, int64_t end_ns)
{
  int64_t ns;
  if (end_ns <= start_ns) return 0;
  return __builtin_sub_overflow(end_ns, start_ns, &ns) ? INT64_MAX : ns;
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* Nothing begins any more before this time: up to it kernels ran until last_ns, transfers until comm_end_ns. */
static void account(ActiveTime *a, int64_t until_ns)
{
  int64_t kernels_ns = a->n_kernels ? earlier(a->last_ns, until_ns) : INT64_MIN;
  int64_t comm_ns = a->has_comm ? earlier(a->comm_end_ns, until_ns) : INT64_MIN;
  bins_add(&a->bins, a->seen_ns, kernels_ns);
  a->comm_ns = add_clipped(a->comm_ns, span(a->seen_ns, comm_ns));
  a->exposed_ns = add_clipped(a->exposed_ns, span(later(a->seen_ns, kernels_ns), comm_ns));
  a->seen_ns = later(a->seen_ns, until_ns);
}

static void add_kernel(ActiveTime *a, const MillEvent *e, int64_t end_ns)
{
  if (a->n_kernels == 0) {
    a->first_ns = e->ts_ns;
    a->last_ns = end_ns;
  }
  a->n_kernels++;
  a->kernel_ns = add_clipped(a->kernel_ns, e->dur_ns);
  a->last_ns = later(a->last_ns, end_ns);
}

static void add_comm(ActiveTime *a, int64_t end_ns)
{
  a->comm_end_ns = a->has_comm ? later(a->comm_end_ns, end_ns) : end_ns;
  a->has_comm = true;
}

static int active_time_process(void *instance, MillBatch *b)
{
  ActiveTime *a = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    Work work = work_of(a, b, e);
    if (work == OTHER) continue;
    account(a, e->ts_ns);
    if (work == KERNEL) add_kernel(a, e, interval_end(e->ts_ns, e->dur_ns));
    if (work == COMM) add_comm(a, interval_end(e->ts_ns, e->dur_ns));
  }
  return 0;
}

static int active_time_flush(void *instance, MillBatch *b)
{
  ActiveTime *a = instance;
  (void)b;
  account(a, INT64_MAX);
  a->elapsed_ns = a->n_kernels ? span(a->first_ns, a->last_ns) : 0;
  return 0;
}

/* ---- results */

static int active_time_save_result(void *instance)
{
  const ActiveTime *a = instance;
  a->host->put_int(a->host, (int64_t)a->n_kernels);
  a->host->put_int(a->host, a->kernel_ns);
  a->host->put_int(a->host, a->elapsed_ns);
  return 0;
}

static int active_time_merge_result(void *instance)
{
  ActiveTime *a = instance;
  a->n_kernels += (uint64_t)a->host->get_int(a->host);
  a->kernel_ns = add_clipped(a->kernel_ns, a->host->get_int(a->host));
  a->elapsed_ns = add_clipped(a->elapsed_ns, a->host->get_int(a->host));
  return 0;
}

static MillValue active_share(const ActiveTime *a)
{
  if (a->elapsed_ns == 0) return mill_none();
  return mill_real((double)a->kernel_ns / (double)a->elapsed_ns * 100);
}

/* Many ranks of few kernels each would be mostly empty bins. */
static int report_bins(ActiveTime *a)
{
  int status = 0;
  bins_fit(&a->bins, a->n_kernels < BINS_MOST ? a->n_kernels * BINS_A_KERNEL : BINS_MOST);
  for (uint32_t i = 0; i < a->bins.n && status == 0; i++) {
    Bin bin = bins_at(&a->bins, i);
    const MillValue cells[] = { mill_int(bin.start_ns), mill_int(bin.end_ns),
                                mill_real(bin.percent) };
    status = a->host->row(a->host, TABLE_ACTIVITY, cells, MILL_COUNT(cells));
  }
  return status;
}

static int active_time_report(void *instance)
{
  ActiveTime *a = instance;
  if (a->n_kernels == 0) return 0;
  const MillValue cells[] = { mill_int(a->kernel_ns), mill_int(a->elapsed_ns),
                              mill_int(a->first_ns),  mill_int(a->last_ns),
                              active_share(a),        mill_int(a->comm_ns),
                              mill_int(a->exposed_ns) };
  int status = a->host->row(a->host, TABLE_ACTIVE, cells, MILL_COUNT(cells));
  return status == 0 ? report_bins(a) : status;
}

static int active_time_report_run(void *instance)
{
  const ActiveTime *a = instance;
  MillValue share = active_share(a);
  if (share.type == MILL_NONE)
    return a->host->no_metric(a->host, 0, NULL,
                              "there are no kernels, or all of them are at one time");
  return a->host->metric(a->host, 0, NULL, share, a->n_kernels);
}

/* ---- the descriptor */

static const MillRead reads[] = { DEVICE_READS };

static const MillColumn active_columns[] = {
  { "kernel_time", "ns", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
    "Sum of the durations of kernels" },
  { "elapsed", "ns", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
    "From the start of the first kernel to the end of the last" },
  MILL_COLUMN("start", "ns", MILL_INT, "Start of the first kernel"),
  MILL_COLUMN("end", "ns", MILL_INT, "End of the last kernel"),
  { "active", "percent", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
    "Kernel time of the time elapsed" },
  { "comm", "ns", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
    "Time in which there was communication" },
  { "exposed_comm", "ns", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
    "Of that, time in which no kernel ran" },
};

static const MillColumn activity_columns[] = {
  MILL_KEY("start", "ns", MILL_INT, "Start of the bin"),
  MILL_COLUMN("end", "ns", MILL_INT, "Its end"),
  MILL_COLUMN("active", "percent", MILL_REAL, "Share of the bin in which a kernel ran"),
};

static const MillTable tables[] = {
  [TABLE_ACTIVE] = { .per = MILL_PER_LANE,
                     .brief_rows = 8,
                     .name = "active-time",
                     .help = "How much of its time each rank's device computed",
                     .columns = MILL_ROWS(active_columns) },
  [TABLE_ACTIVITY] = { .per = MILL_PER_LANE,
                       .name = "activity",
                       .help = "When each rank's device computed, in at most 2,000 bins, and 16 a "
                               "kernel",
                       .columns = MILL_ROWS(activity_columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_HIGHER,
    .kind = MILL_REAL,
    .name = "active_share",
    .unit = "percent",
    .help = "Kernel time of the time from the first kernel to the last, over all ranks" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_DENSITY,
    .name = "activity",
    .title = "When each rank's device computed",
    .table = "activity",
    .x = "start",
    .y = "rank",
    .value = "active",
    .reduce = "mean",
    .x_label = "Time",
    .flags = MILL_FIGURE_MOMENTS,
    .value_label = "Active" },
};

static const char *const needs[] = { "slices", "order.lane", NULL };
static const char *const provides[] = { "table.active-time", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = active_time_open,
  .process = active_time_process,
  .flush = active_time_flush,
  .report = active_time_report,
  .save_result = active_time_save_result,
  .merge_result = active_time_merge_result,
  .report_run = active_time_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .name = "active-time",
  .family = "compute",
  .version = "1.0.0",
  .tag = "ACTIVE",
  .title = "How much of its time a device computed",
  .help =
      "Kernel time of the time from the first kernel to the last, and how much communication no "
      "kernel hid, for each rank; and when the device computed, in bins.",
  .needs = needs,
  .provides = provides,
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
