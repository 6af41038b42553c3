/* Rows and metrics of the comparison; see eplb-report.h. */
#include "eplb-report.h"

#include <math.h>
#include <string.h>

#include "base/num-digits.h"
#include "eplb-object.h"
#include "eplb-rows.h"

static const char *const labels[N_SIDES] = { "off", "on" };
static const char *const classes[N_CLASSES] = {
  "all", "moe", "fused-moe", "nccl", "all-to-all", "all-reduce", "attention", "cache", "other",
};

static MillValue text(const char *s) { return mill_text(s, strlen(s)); }
static MillValue real(double v) { return isfinite(v) ? mill_real(v) : mill_none(); }
static MillValue real_if(bool exists, double v) { return exists ? mill_real(v) : mill_none(); }
static MillValue int_if(bool exists, int64_t v) { return exists ? mill_int(v) : mill_none(); }

/* ---- kernel-class */

static int class_row(const MillStageHost *host, const KernelSide *side, uint32_t which,
                     uint32_t class)
{
  const KernelSums *sums = &side->sums[class];
  double share, avg, std;
  bool has_share = eplb_share(&side->sums[CLASS_ALL], sums, &share);
  bool has_avg = kernel_sums_mean(sums, &avg), has_std = kernel_sums_std(sums, &std);
  const MillValue cells[] = {
    text(labels[which]),
    mill_int(class),
    text(classes[class]),
    mill_int(sums->rows),
    mill_int(sums->total_ns),
    real_if(has_share, share),
    mill_int(sums->count),
    real_if(has_avg, avg),
    real_if(sums->rows && sums->has_med, sums->med_ns),
    int_if(sums->has_min, sums->min_ns),
    int_if(sums->has_max, sums->max_ns),
    real_if(has_std, std),
  };
  return sums->rows ? host->row(host, TABLE_CLASS, cells, MILL_COUNT(cells)) : 0;
}

static int class_rows(const MillStageHost *host, const KernelSide sides[N_SIDES])
{
  int status = 0;
  for (uint32_t which = 0; which < N_SIDES; which++)
    for (uint32_t class = 0; class < N_CLASSES && status == 0; class ++)
      status = class_row(host, &sides[which], which, class);
  return status;
}

/* ---- eplb-top */

static int top_rows(const MillStageHost *host, const KernelSide *side, uint32_t which, uint32_t top)
{
  const TopKernel *kernels[TOP_MAX];
  int status = 0, n = kernel_side_top(side, top, kernels);
  double all_ns = (double)side->sums[CLASS_ALL].total_ns;
  if (n < 0) return n;
  for (int i = 0; i < n && status == 0; i++) {
    const TopKernel *k = kernels[i];
    const MillValue cells[] = {
      text(labels[which]),        mill_int(i + 1),
      mill_text(k->name, k->len), mill_int(k->total_ns),
      mill_int(k->count),         real_if(all_ns > 0, (double)k->total_ns / all_ns * 100),
    };
    status = host->row(host, TABLE_TOP, cells, MILL_COUNT(cells));
  }
  return status;
}

/* ---- eplb-compare */

static int compare_rows(const MillStageHost *host, const EplbRow *rows, uint32_t n)
{
  static const char *const verdicts[] = { "neutral", "better", "worse", "same" };
  int status = 0;
  for (uint32_t i = 0; i < n && status == 0; i++) {
    const EplbRow *row = &rows[i];
    const MillValue cells[] = {
      text(row->name),    text(row->unit),       mill_real(row->off),
      mill_real(row->on), real(row->change_pct), text(verdicts[row->verdict]),
      mill_int(i + 1),
    };
    status = host->row(host, TABLE_COMPARE, cells, MILL_COUNT(cells));
  }
  return status;
}

/* ---- eplb-insights */

static int insight(const MillStageHost *host, const char *name, MillValue off, MillValue on,
                   double change, MillValue words)
{
  const MillValue cells[] = { text(name), off, on, real(change), words };
  return host->row(host, TABLE_INSIGHTS, cells, MILL_COUNT(cells));
}

static bool alltoall_per_moe(const KernelSide *side, double *out)
{
  const KernelSums *alltoall = &side->sums[CLASS_ALLTOALL], *fused = &side->sums[CLASS_FUSED];
  if (alltoall->rows == 0 || fused->total_ns <= 0) return false;
  *out = (double)alltoall->total_ns / (double)fused->total_ns;
  return true;
}

static bool spread(const KernelSide *side, double *out)
{
  return eplb_cv(&side->sums[CLASS_FUSED], out);
}

static bool stragglers(const KernelSide *side, double *out)
{
  return eplb_max_min(&side->sums[CLASS_FUSED], out);
}

static int insight_rows(const MillStageHost *host, const KernelSide sides[N_SIDES])
{
  static const struct {
    const char *name, *less, *more, *same;
    bool (*value)(const KernelSide *, double *);
  } insights[] = {
    { "fused_moe_max_min", "milder stragglers", "worse stragglers", "the same stragglers",
      stragglers },
    { "fused_moe_cv", "calls of the fused MoE kernels vary less",
      "calls of the fused MoE kernels vary more", "calls of the fused MoE kernels vary as much",
      spread },
    { "alltoall_per_fused_moe", "less all-to-all for the same expert work",
      "more all-to-all for the same expert work", "as much all-to-all for the same expert work",
      alltoall_per_moe },
  };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(insights) && status == 0; i++) {
    double off, on;
    if (!insights[i].value(&sides[SIDE_OFF], &off) || !insights[i].value(&sides[SIDE_ON], &on))
      continue;
    const char *words = on < off   ? insights[i].less
                        : on > off ? insights[i].more
                                   : insights[i].same;
    status = insight(host, insights[i].name, mill_real(off), mill_real(on), eplb_change(off, on),
                     text(words));
  }
  return status;
}

/* Limits of the original: above 0.6 and above 0.4 of the rows that changed. */
static const char *verdict_words(int64_t improved, int64_t changed)
{
  if (changed == 0) return "nothing to judge";
  if (10 * improved > 6 * changed) return "significant benefit";
  if (10 * improved > 4 * changed) return "mixed, may need tuning";
  return "overhead may outweigh the benefit";
}

static int verdict_row(const MillStageHost *host, int64_t improved, int64_t changed)
{
  char words[128];
  const char *verdict = verdict_words(improved, changed);
  size_t len = strlen(verdict);
  memcpy(words, verdict, len);
  memcpy(words + len, ": ", 2);
  len += 2;
  len += digits_write(words + len, improved);
  memcpy(words + len, " of ", 4);
  len += 4;
  len += digits_write(words + len, changed);
  memcpy(words + len, " better", 7);
  return insight(host, "verdict", mill_none(), mill_none(), (double)NAN, mill_text(words, len + 7));
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

static int object_metric(const MillStageHost *host, const KernelSide sides[N_SIDES])
{
  GString *object = eplb_object(sides);
  if (!object) return -MILL_LIMIT;
  MillValue value = mill_text(object->str, object->len);
  value.type = MILL_JSON;
  int64_t rows = sides[SIDE_OFF].sums[CLASS_ALL].rows + sides[SIDE_ON].sums[CLASS_ALL].rows;
  int status = host->metric(host, METRIC_OBJECT, NULL, value, (uint64_t)rows);
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
    improved += rows[i].verdict == EPLB_BETTER;
    changed += rows[i].verdict == EPLB_BETTER || rows[i].verdict == EPLB_WORSE;
  }
  int status = compare_rows(host, rows, n);
  if (status == 0) status = class_rows(host, sides);
  for (uint32_t which = 0; which < N_SIDES && status == 0; which++)
    status = top_rows(host, &sides[which], which, top);
  if (status == 0) status = verdict_row(host, improved, changed);
  if (status == 0) status = insight_rows(host, sides);
  if (status == 0) status = count_metrics(host, improved, changed);
  if (status == 0)
    status = change_metric(host, &sides[SIDE_OFF].sums[CLASS_ALL], &sides[SIDE_ON].sums[CLASS_ALL]);
  return status == 0 ? object_metric(host, sides) : status;
}

/* ---- declarations */

static const MillColumn compare_columns[] = {
  { "row", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "What is compared" },
  MILL_BRIEF("unit", NULL, MILL_TEXT, "Of off and on"),
  MILL_BRIEF("off", NULL, MILL_REAL, "Value without EPLB"),
  MILL_BRIEF("on", NULL, MILL_REAL, "Value with EPLB"),
  MILL_BRIEF("change", "pct", MILL_REAL, "(on - off) / off; empty from 0 to something else"),
  MILL_BRIEF("verdict", NULL, MILL_TEXT,
             "better: on is lower; worse; same: equal; neutral: not judged"),
  MILL_COLUMN("position", NULL, MILL_INT, "Order of the rows"),
};

static const MillColumn class_columns[] = {
  { "label", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "off or on" },
  MILL_COLUMN("position", NULL, MILL_INT, "Order of the classes"),
  { "class", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF,
    "Class by the kernel's name; a kernel may be of several" },
  MILL_BRIEF("kernels", "count", MILL_INT, "Rows of the kernel table"),
  MILL_BRIEF("total", "ns", MILL_INT, "Their time"),
  MILL_BRIEF("share", "percent", MILL_REAL, "Of the time of all kernels of the side"),
  MILL_BRIEF("count", "count", MILL_INT, "How often they ran"),
  MILL_BRIEF("avg", "ns", MILL_REAL, "Time of a call: total / count"),
  MILL_COLUMN("med", "ns", MILL_REAL, "Median time of a call; empty for more than one kernel"),
  MILL_COLUMN("min", "ns", MILL_INT, "Shortest call"),
  MILL_COLUMN("max", "ns", MILL_INT, "Longest call"),
  MILL_COLUMN("std", "ns", MILL_REAL, "Standard deviation of all calls, merged from the rows"),
};

static const MillColumn top_columns[] = {
  { "label", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "off or on" },
  { "place", NULL, MILL_INT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "1: most time" },
  MILL_BRIEF("kernel", NULL, MILL_TEXT, "Name of the kernel"),
  MILL_BRIEF("total", "ns", MILL_INT, "Its time"),
  MILL_BRIEF("count", "count", MILL_INT, "How often it ran"),
  MILL_BRIEF("share", "percent", MILL_REAL, "Of the time of all kernels of the side"),
};

static const MillColumn insight_columns[] = {
  { "insight", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "What was compared" },
  MILL_BRIEF("off", "ratio", MILL_REAL, "Value without EPLB"),
  MILL_BRIEF("on", "ratio", MILL_REAL, "Value with EPLB"),
  MILL_BRIEF("change", "pct", MILL_REAL, "(on - off) / off"),
  MILL_BRIEF("text", NULL, MILL_TEXT, "What it means"),
};

const MillTable eplb_tables[4] = {
  [TABLE_INSIGHTS] = { .per = MILL_PER_RUN,
                       .brief_rows = 4,
                       .name = "eplb-insights",
                       .help = "Result of the comparison",
                       .order = "-insight",
                       .columns = MILL_ROWS(insight_columns) },
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
                  .help = "The kernels of each side that took most time",
                  .columns = MILL_ROWS(top_columns) },
};

const MillMetric eplb_metrics[4] = {
  [METRIC_IMPROVED] = { .per = MILL_PER_RUN,
                        .better = MILL_HIGHER,
                        .kind = MILL_INT,
                        .inputs = MILL_INPUTS_PAIR,
                        .name = "eplb_improved",
                        .unit = "count",
                        .help =
                            "How many judged rows of the table eplb-compare are better with EPLB" },
  [METRIC_COMPARED] = { .per = MILL_PER_RUN,
                        .better = MILL_NEITHER,
                        .kind = MILL_INT,
                        .inputs = MILL_INPUTS_PAIR,
                        .name = "eplb_compared",
                        .unit = "count",
                        .help = "How many judged rows of the table eplb-compare are better or "
                                "worse with EPLB; equal ones are left out" },
  [METRIC_CHANGE] = { .per = MILL_PER_RUN,
                      .better = MILL_LOWER,
                      .kind = MILL_REAL,
                      .inputs = MILL_INPUTS_PAIR,
                      .name = "eplb_change",
                      .unit = "percent",
                      .help = "Change of the time of all kernels by EPLB: (on - off) / off" },
  [METRIC_OBJECT] = { .per = MILL_PER_RUN,
                      .better = MILL_NEITHER,
                      .kind = MILL_JSON,
                      .inputs = MILL_INPUTS_PAIR,
                      .name = "eplb_comparison",
                      .aliases = "communicationOverhead",
                      .help = "Both kernel tables by class, and how many values improved: an "
                              "object with the original's definitions" },
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
    .annotation = "verdict" },
};
