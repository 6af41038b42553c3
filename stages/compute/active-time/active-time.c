/* How much of its time each rank's device computed, and how much of its communication that did not hide.  Events come
 * in order of their start, so that it takes no more than the latest ends seen so far: where one is before another,
 * the time in between is active, or exposed. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "bins.h"
#include "kit/declare/rows.h"
#include "kit/trace/by-process.h"
#include "kit/numbers/clip.h"
#include "kit/devices/device.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"

enum { TABLE_ACTIVE, TABLE_ACTIVITY };
enum { BINS_A_KERNEL = 16 }; /* at most */

enum { NOTICE_OVERLAP = 1 };

typedef enum Work { OTHER, KERNEL, COMM } Work;

typedef struct Device { /* of a process */
  uint64_t n_kernels;
  int64_t kernel_ns, busy_ns;
  int64_t first_ns, last_ns; /* start of the first kernel, latest end of one */
  int64_t seen_ns;           /* all before it is accounted for */
  int64_t comm_end_ns;       /* latest end of communication */
  int64_t comm_ns, exposed_ns;
  bool has_comm;
  Bins bins; /* of kernels */
  bool begun;
} Device;

typedef struct ActiveTime {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords words;
  ByProcess devices;
  uint64_t n_kernels; /* of all devices, on the run level of all lanes */
  int64_t busy_ns, elapsed_ns;
} ActiveTime;

static int active_time_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self, (void)options, (void)level;
  ActiveTime *a = instance_new(ActiveTime, host, out_instance);
  if (!a) return -MILL_LIMIT;
  device_open(&a->words, a->common);
  return by_process_open(&a->devices, a->common, sizeof(Device)) ? 0 : -MILL_LIMIT;
}

/* ---- events */

/* Torch calls the kernels of collectives kernels, too; of an AIU one that computes is no transfer. */
static Work work_of(ActiveTime *a, const MillBatch *b, const MillEvent *e)
{
  DeviceWords *d = &a->words;
  if (!device_has(d, b, e)) return OTHER;
  if (device_computes(d, e)) return d->is_named && device_communicates(d, b, e) ? COMM : KERNEL;
  return !d->is_named && device_communicates(d, b, e) ? COMM : OTHER;
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
static void account(Device *d, int64_t until_ns)
{
  int64_t kernels_ns = d->n_kernels ? earlier(d->last_ns, until_ns) : INT64_MIN;
  int64_t comm_ns = d->has_comm ? earlier(d->comm_end_ns, until_ns) : INT64_MIN;
  bins_add(&d->bins, d->seen_ns, kernels_ns);
  d->busy_ns = add_clipped(d->busy_ns, span(d->seen_ns, kernels_ns));
  d->comm_ns = add_clipped(d->comm_ns, span(d->seen_ns, comm_ns));
  d->exposed_ns = add_clipped(d->exposed_ns, span(later(d->seen_ns, kernels_ns), comm_ns));
  d->seen_ns = later(d->seen_ns, until_ns);
}

static void add_kernel(Device *d, const MillEvent *e, int64_t end_ns)
{
  if (d->n_kernels == 0) {
    d->first_ns = e->ts_ns;
    d->last_ns = end_ns;
  }
  d->n_kernels++;
  d->kernel_ns = add_clipped(d->kernel_ns, e->dur_ns);
  d->last_ns = later(d->last_ns, end_ns);
}

static void add_comm(Device *d, int64_t end_ns)
{
  d->comm_end_ns = d->has_comm ? later(d->comm_end_ns, end_ns) : end_ns;
  d->has_comm = true;
}

static bool add_work(ActiveTime *a, const MillEvent *e, Work work)
{
  Device *d = by_process_of(&a->devices, e->track);
  if (!d) return false;
  if (!d->begun) d->seen_ns = INT64_MIN;
  d->begun = true;
  account(d, e->ts_ns);
  if (work == KERNEL) add_kernel(d, e, interval_end(e->ts_ns, e->dur_ns));
  if (work == COMM) add_comm(d, interval_end(e->ts_ns, e->dur_ns));
  return true;
}

static int active_time_process(void *instance, MillBatch *b)
{
  ActiveTime *a = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    Work work = work_of(a, b, e);
    if (work != OTHER && !add_work(a, e, work)) return -MILL_LIMIT;
  }
  return 0;
}

static int64_t elapsed_ns(const Device *d)
{
  return d->n_kernels ? span(d->first_ns, d->last_ns) : 0;
}

#define MOST_OVERLAP 0.05 /* of the time that kernels ran: stamps are rounded */

/* An AIU computes one kernel at a time; devices that torch knows run several. */
static void check_overlap(const ActiveTime *a, const Device *d)
{
  double kernel_ns = (double)d->kernel_ns, busy_ns = (double)d->busy_ns;
  if (a->words.is_named || kernel_ns <= busy_ns * (1 + MOST_OVERLAP)) return;
  const MillNamed values[] = { { "kernels_ns", mill_int(d->kernel_ns) },
                               { "busy_ns", mill_int(d->busy_ns) } };
  a->common->note(a->common, NOTICE_OVERLAP, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static int active_time_flush(void *instance, MillBatch *b)
{
  ActiveTime *a = instance;
  const KeyedEntry *const *devices = keyed_sorted(a->devices.states);
  (void)b;
  for (uint32_t i = 0; devices && i < keyed_count(a->devices.states); i++) {
    Device *d = devices[i]->state;
    account(d, INT64_MAX);
    check_overlap(a, d);
    a->n_kernels += d->n_kernels;
    a->busy_ns = add_clipped(a->busy_ns, d->busy_ns);
    a->elapsed_ns = add_clipped(a->elapsed_ns, elapsed_ns(d));
  }
  return devices ? 0 : -MILL_LIMIT;
}

/* ---- results */

static const StateField active_fields[] = {
  STATE_SUM(ActiveTime, n_kernels),
  STATE_SUM(ActiveTime, busy_ns),
  STATE_SUM(ActiveTime, elapsed_ns),
};
static const StateType active_state = STATE_TYPE(ActiveTime, active_fields);
STATE_RESULT(ActiveTime, active_state)

static double active_share(int64_t busy, int64_t elapsed)
{
  return elapsed > 0 ? (double)busy / (double)elapsed * 100 : (double)NAN;
}

typedef struct ActivityRow {
  MillText process;
  int64_t start_ns, end_ns;
  double active;
} ActivityRow;

/* Many ranks of few kernels each would be mostly empty bins. */
static int report_bins(const ActiveTime *a, Device *d, MillText process)
{
  int status = 0;
  bins_fit(&d->bins, d->n_kernels < BINS_MOST ? d->n_kernels * BINS_A_KERNEL : BINS_MOST);
  for (uint32_t i = 0; i < d->bins.n && status == 0; i++) {
    Bin bin = bins_at(&d->bins, i);
    const ActivityRow row = { process, bin.start_ns, bin.end_ns, bin.percent };
    status = mill_row(a->host, TABLE_ACTIVITY, &row);
  }
  return status;
}

typedef struct ActiveRow {
  MillText process;
  int64_t kernel_ns, busy_ns, elapsed_ns, start_ns, end_ns;
  double active;
  int64_t comm_ns, exposed_ns;
} ActiveRow;

static int report_device(const ActiveTime *a, const KeyedEntry *entry)
{
  Device *d = entry->state;
  if (d->n_kernels == 0 && (a->n_kernels == 0 || !d->has_comm)) return 0;
  const ActiveRow row = {
    .process = by_process_text(entry),
    .kernel_ns = d->kernel_ns,
    .busy_ns = d->busy_ns,
    .elapsed_ns = elapsed_ns(d),
    .start_ns = d->n_kernels ? d->first_ns : MILL_NO_INT,
    .end_ns = d->n_kernels ? d->last_ns : MILL_NO_INT,
    .active = active_share(d->busy_ns, elapsed_ns(d)),
    .comm_ns = d->comm_ns,
    .exposed_ns = d->exposed_ns,
  };
  int status = mill_row(a->host, TABLE_ACTIVE, &row);
  return status == 0 && d->n_kernels ? report_bins(a, d, row.process) : status;
}

static int active_time_report(void *instance)
{
  const ActiveTime *a = instance;
  const KeyedEntry *const *devices = keyed_sorted(a->devices.states);
  int status = devices ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(a->devices.states); i++)
    status = report_device(a, devices[i]);
  return status;
}

static int active_time_report_run(void *instance)
{
  const ActiveTime *a = instance;
  double share = active_share(a->busy_ns, a->elapsed_ns);
  if (isnan(share))
    return a->host->no_metric(a->host, 0, NULL,
                              "there are no kernels, or all of them begin and end at one time");
  return a->host->metric(a->host, 0, NULL, mill_real(share), a->n_kernels);
}

/* ---- the descriptor */

static const MillRead reads[] = { DEVICE_READS };

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_OVERLAP,
      "kernels of {count} device[|s] overlap (first: {lane}, {kernels_ns} ns of kernels in "
      "{busy_ns} ns)",
      "kernel times add up to more than the device ran; active time and its share are right",
      "check whether a trace, or its events, are there twice, and that each device has a process "
      "of its own",
      "A device computes one kernel at a time. Its kernels took more than 5 % longer than the time "
      "in which any of them ran. The same events were given twice, as a file and its copy, two "
      "devices share a process, or the times of kernels are wrong."),
};

static const MillColumn active_columns[] = {
  MILL_KEY_BRIEF(ActiveRow, process, "process", NULL, "Each process is a device"),
  MILL_COLUMN(ActiveRow, kernel_ns, "kernel_time", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Sum of the durations of kernels"),
  MILL_COLUMN(ActiveRow, busy_ns, "busy", "ns", MILL_COLUMN_LOWER, "Time in which a kernel ran"),
  MILL_COLUMN(ActiveRow, elapsed_ns, "elapsed", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "From the start of the first kernel to the end of the last"),
  MILL_COLUMN(ActiveRow, start_ns, "start", "ns", 0, "Start of the first kernel"),
  MILL_COLUMN(ActiveRow, end_ns, "end", "ns", 0, "End of the last kernel"),
  MILL_COLUMN(ActiveRow, active, "active", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Share of the elapsed time in which a kernel ran"),
  MILL_COLUMN(ActiveRow, comm_ns, "comm", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Time with communication"),
  MILL_COLUMN(ActiveRow, exposed_ns, "exposed_comm", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Time with communication in which no kernel ran"),
};

static const MillColumn activity_columns[] = {
  MILL_KEY(ActivityRow, process, "process", NULL, "Each process is a device"),
  MILL_KEY(ActivityRow, start_ns, "start", "ns", "Start of the bin"),
  MILL_COLUMN(ActivityRow, end_ns, "end", "ns", 0, "Its end"),
  MILL_COLUMN(ActivityRow, active, "active", "percent", 0,
              "Share of the bin in which a kernel ran"),
};

static const MillTable tables[] = {
  [TABLE_ACTIVE] = { .per = MILL_PER_LANE,
                     .brief_rows = 8,
                     .name = "active-time",
                     .help = "Share of its time in which each rank's device computed",
                     .columns = MILL_ROWS(active_columns) },
  [TABLE_ACTIVITY] = { .per = MILL_PER_LANE,
                       .name = "activity",
                       .help = "Share of time in which each rank's device computed, over time; at "
                               "most 2,000 bins, and 16 for each kernel",
                       .columns = MILL_ROWS(activity_columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_HIGHER,
    .kind = MILL_REAL,
    .name = "active_share",
    .unit = "percent",
    .help = "Share of the time from the first kernel to the last in which a kernel ran, over all "
            "devices",
    .headline = MILL_HEADLINE_VALUE },
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
  .save_result = save_result,
  .merge_result = merge_result,
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
  .title = "Share of time in which a device computed",
  .help = "For each process of each rank: the share of the time from the first kernel to the last "
          "in which kernels ran, the communication that no kernel hides, and when the device "
          "computed, in bins.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
