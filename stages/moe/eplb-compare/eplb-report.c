/* Rows and metrics of the comparison; see eplb-report.h. */
/* SPDX-License-Identifier: MIT */
#include "eplb-report.h"

#include <math.h>
#include <string.h>

#include "eplb-insights.h"
#include "eplb-object.h"
#include "eplb-rows.h"

static const char *const labels[N_SIDES] = { "off", "on" };
static const char *const classes[N_CLASSES] = {
  "all", "moe", "fused-moe", "nccl", "all-to-all", "all-reduce", "attention", "cache", "other",
};

static double real_if(bool exists, double v) { return exists ? v : (double)NAN; }
static int64_t int_if(bool exists, int64_t v) { return exists ? v : MILL_NO_INT; }

/* ---- kernel-class */

typedef struct ClassRow {
  const char *label;
  int64_t position;
  const char *class;
  int64_t kernels, total_ns;
  double share;
  int64_t count;
  double avg_ns, med_ns;
  int64_t min_ns, max_ns;
  double std_ns;
} ClassRow;

/* The label is NULL of a table that has none. */
static int class_row(const MillStageHost *host, const KernelSide *side, const char *label,
                     uint32_t class)
{
  const KernelSums *sums = &side->sums[class];
  double share, avg, std;
  bool has_share = eplb_share(&side->sums[CLASS_ALL], sums, &share);
  bool has_avg = kernel_sums_mean(sums, &avg), has_std = kernel_sums_std(sums, &std);
  const ClassRow row = {
    .label = label,
    .position = class,
    .class = classes[class],
    .kernels = sums->rows,
    .total_ns = sums->total_ns,
    .share = real_if(has_share, share),
    .count = sums->count,
    .avg_ns = real_if(has_avg, avg),
    .med_ns = real_if(sums->rows && sums->has_med, sums->med_ns),
    .min_ns = int_if(sums->has_min, sums->min_ns),
    .max_ns = int_if(sums->has_max, sums->max_ns),
    .std_ns = real_if(has_std, std),
  };
  return sums->rows ? mill_row(host, TABLE_CLASS, &row) : 0;
}

static int class_rows(const MillStageHost *host, const KernelSide *side, const char *label)
{
  int status = 0;
  for (uint32_t class = 0; class < N_CLASSES && status == 0; class ++)
    status = class_row(host, side, label, class);
  return status;
}

/* ---- eplb-top */

typedef struct TopRow {
  const char *label;
  int64_t place;
  MillText kernel;
  int64_t total_ns, count;
  double share;
} TopRow;

static int top_rows(const MillStageHost *host, const KernelSide *side, const char *label,
                    uint32_t top)
{
  const TopKernel *kernels[TOP_MAX];
  int status = 0, n = kernel_side_top(side, top, kernels);
  double all_ns = (double)side->sums[CLASS_ALL].total_ns;
  if (n < 0) return n;
  for (int i = 0; i < n && status == 0; i++) {
    const TopKernel *k = kernels[i];
    const TopRow row = {
      .label = label,
      .place = i + 1,
      .kernel = { k->name, k->len },
      .total_ns = k->total_ns,
      .count = k->count,
      .share = real_if(all_ns > 0, (double)k->total_ns / all_ns * 100),
    };
    status = mill_row(host, TABLE_TOP, &row);
  }
  return status;
}

/* ---- eplb-compare */

typedef struct CompareRow {
  const char *row, *unit;
  double off, on, change;
  const char *verdict;
  int64_t position;
} CompareRow;

static int compare_rows(const MillStageHost *host, const EplbRow *rows, uint32_t n)
{
  static const char *const verdicts[] = { "neutral", "better", "worse", "same" };
  int status = 0;
  for (uint32_t i = 0; i < n && status == 0; i++) {
    const EplbRow *row = &rows[i];
    const CompareRow cells = {
      .row = row->name,
      .unit = row->unit,
      .off = row->off,
      .on = row->on,
      .change = row->change_pct,
      .verdict = verdicts[row->verdict],
      .position = i + 1,
    };
    status = mill_row(host, TABLE_COMPARE, &cells);
  }
  return status;
}

/* ---- metrics */

static int change_metric(const MillStageHost *host, const KernelSums *off, const KernelSums *on)
{
  double change = eplb_change((double)off->total_ns, (double)on->total_ns);
  if (off->total_ns <= 0)
    return host->no_metric(host, METRIC_CHANGE, NULL, "the table labelled off has no kernel time");
  return host->metric(host, METRIC_CHANGE, NULL, mill_real(change),
                      (uint64_t)(off->rows + on->rows));
}

static void add_columns(GString *to, int64_t columns)
{
  static const char *const names[] = { "Min", "Max", "StdDev", "Time (%)" };
  const char *before = "";
  for (uint32_t i = 0; i < MILL_COUNT(names); i++) {
    if (!(columns >> i & 1)) continue;
    g_string_append_printf(to, "%s%s", before, names[i]);
    before = ", ";
  }
}

/* "the kernel table labelled off lacks Min, Max"; NULL: none lacks any. */
static char *lacking_columns(const KernelSide sides[N_SIDES])
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (uint32_t which = 0; which < N_SIDES; which++) {
    int64_t columns = 0;
    for (uint32_t i = 0; i < sides[which].n_tables; i++)
      columns |= kernel_table_lacks(&sides[which].tables[i]);
    if (!columns) continue;
    g_string_append_printf(text, "%sthe kernel table labelled %s lacks ", text->len ? "; " : "",
                           labels[which]);
    add_columns(text, columns);
  }
  return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

static int object_metric(const MillStageHost *host, const KernelSide sides[N_SIDES])
{
  GString *object = eplb_object(sides);
  if (!object) return -MILL_LIMIT;
  MillValue value = mill_text(object->str, object->len);
  value.type = MILL_JSON;
  int64_t rows = sides[SIDE_OFF].sums[CLASS_ALL].rows + sides[SIDE_ON].sums[CLASS_ALL].rows;
  int status = host->metric(host, METRIC_OBJECT, NULL, value, (uint64_t)rows);
  g_autofree char *lacking = lacking_columns(sides);
  if (status == 0 && lacking)
    status = host->no_metric(host, METRIC_ORIGINAL, NULL, lacking);
  else if (status == 0)
    status = host->metric(host, METRIC_ORIGINAL, NULL, value, (uint64_t)rows);
  g_string_free(object, TRUE);
  return status;
}

static int count_metrics(const MillStageHost *host, int64_t improved, int64_t changed)
{
  int status = host->metric(host, METRIC_IMPROVED, NULL, mill_int(improved), (uint64_t)changed);
  if (status < 0) return status;
  return host->metric(host, METRIC_COMPARED, NULL, mill_int(changed), (uint64_t)changed);
}

int eplb_report(const MillStageHost *host, const KernelSide sides[N_SIDES], uint32_t top)
{
  EplbRow rows[EPLB_ROWS_MAX];
  uint32_t n = eplb_rows(sides, rows);
  int64_t improved = 0, changed = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!rows[i].counted) continue;
    improved += rows[i].verdict == EPLB_BETTER;
    changed += rows[i].verdict == EPLB_BETTER || rows[i].verdict == EPLB_WORSE;
  }
  int status = compare_rows(host, rows, n);
  for (uint32_t which = 0; which < N_SIDES && status == 0; which++)
    status = class_rows(host, &sides[which], labels[which]);
  for (uint32_t which = 0; which < N_SIDES && status == 0; which++)
    status = top_rows(host, &sides[which], labels[which], top);
  if (status == 0) status = eplb_insights(host, TABLE_INSIGHTS, sides, improved, changed);
  if (status == 0)
    status = change_metric(host, &sides[SIDE_OFF].sums[CLASS_ALL], &sides[SIDE_ON].sums[CLASS_ALL]);
  if (status == 0) status = count_metrics(host, improved, changed);
  return status == 0 ? object_metric(host, sides) : status;
}

int eplb_report_alone(const MillStageHost *host, const KernelSide *side, uint32_t top)
{
  static const char why[] = "there is only one kernel table, so nothing is compared";
  int status = class_rows(host, side, NULL);
  if (status == 0) status = top_rows(host, side, NULL, top);
  if (status == 0) status = eplb_insights_alone(host, TABLE_INSIGHTS, side);
  for (uint32_t metric = 0; metric < N_METRICS && status == 0; metric++)
    status = host->no_metric(host, metric, NULL, why);
  return status;
}

/* ---- declarations */

static const MillColumn compare_columns[] = {
  MILL_KEY_BRIEF(CompareRow, row, "row", NULL, "Name of the compared value"),
  MILL_BRIEF(CompareRow, unit, "unit", NULL, "Unit of off and on"),
  MILL_BRIEF(CompareRow, off, "off", NULL, "Value without EPLB"),
  MILL_BRIEF(CompareRow, on, "on", NULL, "Value with EPLB"),
  MILL_BRIEF(CompareRow, change, "change", "pct",
             "(on - off) / off; empty from 0 to something else"),
  MILL_BRIEF(CompareRow, verdict, "verdict", NULL,
             "better: on is lower; worse: on is higher; same: equal; neutral: neither direction is "
             "better"),
  MILL_COLUMN(CompareRow, position, "position", NULL, 0, "Order of the rows"),
};

static const MillColumn class_columns[] = {
  MILL_KEY_BRIEF(ClassRow, label, "label", NULL, "off or on"),
  MILL_COLUMN(ClassRow, position, "position", NULL, 0, "Order of the classes"),
  MILL_KEY_BRIEF(ClassRow, class, "class", NULL,
                 "Class by the kernel's name; a kernel may have several"),
  MILL_BRIEF(ClassRow, kernels, "kernels", "count", "Rows of the kernel table"),
  MILL_COLUMN(ClassRow, total_ns, "total", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Sum of their times"),
  MILL_BRIEF(ClassRow, share, "share", "percent", "Share of the time of all kernels of the side"),
  MILL_BRIEF(ClassRow, count, "count", "count", "Number of calls"),
  MILL_COLUMN(ClassRow, avg_ns, "avg", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Time of a call: total / count"),
  MILL_COLUMN(ClassRow, med_ns, "med", "ns", MILL_COLUMN_LOWER,
              "Median time of a call; empty for more than one kernel"),
  MILL_COLUMN(ClassRow, min_ns, "min", "ns", 0, "Shortest call"),
  MILL_COLUMN(ClassRow, max_ns, "max", "ns", MILL_COLUMN_LOWER, "Longest call"),
  MILL_COLUMN(ClassRow, std_ns, "std", "ns", 0,
              "Standard deviation of all calls, merged from the rows"),
};

static const MillColumn top_columns[] = {
  MILL_KEY_BRIEF(TopRow, label, "label", NULL, "off or on"),
  MILL_KEY_BRIEF(TopRow, place, "place", NULL, "Position by time; 1 is the longest"),
  MILL_BRIEF(TopRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_COLUMN(TopRow, total_ns, "total", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Time of all calls"),
  MILL_BRIEF(TopRow, count, "count", "count", "Number of calls"),
  MILL_BRIEF(TopRow, share, "share", "percent", "Share of the time of all kernels of the side"),
};

const MillTable eplb_tables[4] = {
  [TABLE_INSIGHTS] = { .per = MILL_PER_RUN,
                       .brief_rows = 12,
                       .name = "eplb-insights",
                       .help = "Effect of EPLB: the time of all kernels, where it changed, and its "
                               "balance",
                       .order = "position",
                       .columns = MILL_ROWS(eplb_insight_columns) },
  [TABLE_COMPARE] = { .per = MILL_PER_RUN,
                      .brief_rows = 24,
                      .name = "eplb-compare",
                      .help = "Kernel times without and with expert load balancing",
                      .order = "position",
                      .columns = MILL_ROWS(compare_columns) },
  [TABLE_CLASS] = { .per = MILL_PER_RUN,
                    .name = "kernel-class",
                    .help = "Kernel time of each side by class of kernel",
                    .order = "label,position",
                    .columns = MILL_ROWS(class_columns) },
  [TABLE_TOP] = { .per = MILL_PER_RUN,
                  .name = "eplb-top",
                  .help = "Kernels of each side with the largest times",
                  .columns = MILL_ROWS(top_columns) },
};

const MillMetric eplb_metrics[N_METRICS] = {
  [METRIC_CHANGE] = { .per = MILL_PER_RUN,
                      .better = MILL_LOWER,
                      .kind = MILL_REAL,
                      .inputs = MILL_INPUTS_PAIR,
                      .name = "eplb_change",
                      .unit = "percent",
                      .help = "Change of the time of all kernels by EPLB: (on - off) / off" },
  [METRIC_IMPROVED] = { .per = MILL_PER_RUN,
                        .better = MILL_HIGHER,
                        .kind = MILL_INT,
                        .inputs = MILL_INPUTS_PAIR,
                        .name = "eplb_improved",
                        .unit = "count",
                        .help =
                            "Number of counted rows of the table eplb-compare that are better with "
                            "EPLB; totals of other rows do not count" },
  [METRIC_COMPARED] = { .per = MILL_PER_RUN,
                        .better = MILL_NEITHER,
                        .kind = MILL_INT,
                        .inputs = MILL_INPUTS_PAIR,
                        .name = "eplb_compared",
                        .unit = "count",
                        .help = "Number of counted rows of the table eplb-compare that are better "
                                "or worse with EPLB; equal rows do not count" },
  [METRIC_OBJECT] = { .per = MILL_PER_RUN,
                      .better = MILL_NEITHER,
                      .kind = MILL_JSON,
                      .inputs = MILL_INPUTS_PAIR,
                      .name = "eplb_comparison",
                      .help = "Both kernel tables by class, and the number of improved values: an "
                              "object with the definitions of CCL-Bench, null if a table lacks a "
                              "column" },
  [METRIC_ORIGINAL] = { .per = MILL_PER_RUN,
                        .better = MILL_NEITHER,
                        .kind = MILL_JSON,
                        .inputs = MILL_INPUTS_PAIR,
                        .name = "communication_overhead",
                        .aliases = "communicationOverhead",
                        .help = "The object eplb_comparison, for tables that have all columns that "
                                "it needs" },
};

const MillFigure eplb_figures[2] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "eplb-classes",
    .title = "Kernel time by class without and with EPLB",
    .table = "kernel-class",
    .x = "class",
    .y = "total",
    .series = "label" },
  { .kind = MILL_FIGURE_BAR,
    .name = "eplb-change",
    .title = "Change by EPLB",
    .table = "eplb-compare",
    .x = "row",
    .y = "change",
    .series = "verdict",
    .colors = "better=#009e73,worse=#d55e00,neutral=#999999,same=#999999" },
};
