/* Two measurements of all-reduce strategies against each other: what became slower or faster, and whether the choice
 * of a strategy changed. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "tune/lib/allreduce-names.h"
#include "tune/lib/allreduce.h"

enum { TABLE_COMPARE, TABLE_SUMMARY };
enum { METRIC_SLOWER, METRIC_RATIO };
enum { SLOWER, FASTER, SAME, ADDED, REMOVED, N_VERDICTS };

typedef struct Options {
  ArOptions of;
  const char *threshold;
} Options;

typedef struct Compare {
  const MillStageHost *host;
  ArInputs in;
  double threshold; /* percent */
  ArPoints base, new, all;
  uint64_t counts[N_VERDICTS], best_changed;
  double log_sum; /* of new / base */
} Compare;

static int compare_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self;
  const Options *o = options;
  Compare *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  *out_instance = x;
  int status = ar_percent_read(host->common, "threshold", o->threshold, &x->threshold);
  return status == 0 ? ar_open(&x->in, host, level, &o->of) : status;
}

AR_CALLS(Compare)

/* -------------------------------------------------------------------- rows */

static uint32_t verdict_of(const Compare *x, const ArPoint *base, const ArPoint *new, double change)
{
  if (!base) return ADDED;
  if (!new) return REMOVED;
  return change > x->threshold ? SLOWER : change < -x->threshold ? FASTER : SAME;
}

typedef struct CompareRow {
  int64_t tp;
  MillSym fusion, strategy;
  int64_t hidden_size, num_tokens;
  double base_us, new_us, change;
  const char *verdict;
} CompareRow;

static int point_row(Compare *x, const ArPoint *p)
{
  static const char *const verdicts[] = { "slower", "faster", "same", "added", "removed" };
  const ArPoint *base = ar_points_find(&x->base, p), *new = ar_points_find(&x->new, p);
  double base_us = base ? ar_time(base, x->in.options.repeat) : (double)NAN;
  double new_us = new ? ar_time(new, x->in.options.repeat) : (double)NAN;
  double change = ar_longer(base_us, new_us);
  uint32_t verdict = verdict_of(x, base, new, change);
  x->counts[verdict]++;
  if (base && new) x->log_sum += log(new_us / base_us);
  const CompareRow row = {
    .tp = p->tp,
    .fusion = p->fusion,
    .strategy = p->strategy,
    .hidden_size = p->hidden,
    .num_tokens = p->tokens,
    .base_us = base_us,
    .new_us = new_us,
    .change = change,
    .verdict = verdicts[verdict],
  };
  return mill_row(x->host, TABLE_COMPARE, &row);
}

/* The fastest of a shape among the points of one side. */
static MillSym best_of(const Compare *x, const ArPoints *side, const ArSpan *shape)
{
  const ArPoint *best = NULL;
  double best_us = 0;
  for (size_t i = 0; i < shape->n; i++) {
    const ArPoint *p = ar_points_find(side, shape->at[i]);
    if (!p || p->strategy == x->in.auto_strategy) continue;
    double us = ar_time(p, x->in.options.repeat);
    bool tie =
        best && us == best_us &&
        (x->in.options.repeat == AR_MIN ? p->first_min < best->first_min : p->first < best->first);
    if (best && us >= best_us && !tie) continue;
    best = p;
    best_us = us;
  }
  return best ? best->strategy : 0;
}

static int compare_rows(Compare *x, const ArPoints *all)
{
  ArSpan sorted, section, shape;
  int status = 0;
  if (!ar_sorted(all, &sorted)) return -MILL_LIMIT;
  for (size_t i = 0; i < sorted.n && status == 0; i++) status = point_row(x, sorted.at[i]);
  for (size_t at = 0; status == 0 && ar_next_section(&sorted, &at, &section);)
    for (size_t k = 0; ar_next_shape(&section, &k, &shape);) {
      MillSym base = best_of(x, &x->base, &shape), new = best_of(x, &x->new, &shape);
      x->best_changed += base && new &&base != new;
    }
  return status;
}

typedef struct SummaryRow {
  int64_t compared, added, removed, slower, faster, unchanged;
  double geomean;
  int64_t best_changed;
} SummaryRow;

static int summary(const Compare *x)
{
  uint64_t compared = x->counts[SLOWER] + x->counts[FASTER] + x->counts[SAME];
  double ratio = exp(x->log_sum / (double)compared);
  const SummaryRow row = {
    .compared = (int64_t)compared,
    .added = (int64_t)x->counts[ADDED],
    .removed = (int64_t)x->counts[REMOVED],
    .slower = (int64_t)x->counts[SLOWER],
    .faster = (int64_t)x->counts[FASTER],
    .unchanged = (int64_t)x->counts[SAME],
    .geomean = compared ? ratio : (double)NAN,
    .best_changed = (int64_t)x->best_changed,
  };
  int status = mill_row(x->host, TABLE_SUMMARY, &row);
  if (status == 0)
    status = x->host->metric(x->host, METRIC_SLOWER, NULL, mill_int((int64_t)x->counts[SLOWER]),
                             compared);
  if (status < 0) return status;
  if (compared) return x->host->metric(x->host, METRIC_RATIO, NULL, mill_real(ratio), compared);
  return x->host->no_metric(x->host, METRIC_RATIO, NULL, "no time is in both measurements");
}

static int compare_report_run(void *instance)
{
  Compare *x = instance;
  int64_t sm;
  int status = ar_pick_points(&x->in, "base", &x->base, &sm);
  if (status == 0) status = ar_pick_points(&x->in, "new", &x->new, &sm);
  if (status < 0) return status;
  x->all = (ArPoints){ .common = x->in.common, .keeps_times = x->in.options.repeat == AR_MEDIAN };
  if (!ar_points_join(&x->all, &x->base) || !ar_points_join(&x->all, &x->new)) return -MILL_LIMIT;
  status = compare_rows(x, &x->all);
  return status == 0 ? summary(x) : status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  AR_SM_OPTION(Options, of),
  AR_OP_OPTION(Options, of),
  AR_DTYPE_OPTION(Options, of),
  AR_REPEAT_OPTION(Options, of),
  MILL_STRING_OPTION(Options, threshold, "threshold", "5%",
                     "Times that differ by at most this share are the same"),
};
static const MillNotice notices[] = { AR_NOTICES };
static const MillRead reads[] = { AR_READS };

static const MillColumn compare_columns[] = {
  MILL_KEY_BRIEF(CompareRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(CompareRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY_BRIEF(CompareRow, strategy, "strategy", NULL, "Strategy of the all-reduce"),
  MILL_KEY_BRIEF(CompareRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY_BRIEF(CompareRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_BRIEF(CompareRow, base_us, "base", "us", "Time in the inputs labelled base"),
  MILL_BRIEF(CompareRow, new_us, "new", "us", "Time in the inputs labelled new"),
  MILL_BRIEF(CompareRow, change, "change", "percent", "How much longer the new time is"),
  MILL_BRIEF(CompareRow, verdict, "verdict", NULL, "slower, faster, same, added, removed"),
};

static const MillColumn summary_columns[] = {
  MILL_BRIEF(SummaryRow, compared, "compared", "count",
             "Strategies at shapes that both sides measured"),
  MILL_BRIEF(SummaryRow, added, "added", "count", "Strategies at shapes that only new measured"),
  MILL_BRIEF(SummaryRow, removed, "removed", "count",
             "Strategies at shapes that only base measured"),
  MILL_BRIEF(SummaryRow, slower, "slower", "count",
             "Times that became longer by more than the threshold"),
  MILL_BRIEF(SummaryRow, faster, "faster", "count",
             "Times that became shorter by more than the threshold"),
  MILL_BRIEF(SummaryRow, unchanged, "unchanged", "count",
             "Times that differ by at most the threshold"),
  MILL_BRIEF(SummaryRow, geomean, "geomean", "ratio", "Geometric mean of new / base"),
  MILL_BRIEF(SummaryRow, best_changed, "best_changed", "count",
             "Shapes whose fastest strategy changed"),
};

static const MillTable tables[] = {
  [TABLE_COMPARE] = { .per = MILL_PER_RUN,
                      .brief_rows = 12,
                      .name = "allreduce-compare",
                      .help = "Times of two measurements by strategy and shape",
                      .order = "-change",
                      .columns = MILL_ROWS(compare_columns) },
  [TABLE_SUMMARY] = { .per = MILL_PER_RUN,
                      .brief_rows = 1,
                      .name = "allreduce-compare-summary",
                      .help = "Number of times that changed",
                      .columns = MILL_ROWS(summary_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_SLOWER] = { .per = MILL_PER_RUN,
                      .better = MILL_LOWER,
                      .kind = MILL_INT,
                      .name = "allreduce_slower",
                      .unit = "count",
                      .help = "Times that are longer than in the base by more than the threshold" },
  [METRIC_RATIO] = { .per = MILL_PER_RUN,
                     .better = MILL_LOWER,
                     .kind = MILL_REAL,
                     .name = "allreduce_ratio",
                     .unit = "ratio",
                     .help = "Geometric mean of times divided by those of the base" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "allreduce-change",
    .title = "Change of All-Reduce Times",
    .table = "allreduce-compare",
    .x = "num_tokens",
    .y = "hidden_size",
    .facet = "strategy",
    .value = "change",
    .palette = "change",
    .annotation = "change",
    .format = "0.1",
    .x_label = "Num_Tokens",
    .y_label = "Hidden Size",
    .pages = "tp,fusion",
    .file = "{fusion}/change.tp{tp}" },
};

static const char *const needs[] = { "input.allreduce", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = compare_open,
  .process = take_rows,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = compare_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "allreduce-compare",
  .family = "tune",
  .version = "1.0.0",
  .tag = "ARCOMP",
  .title = "Compare two measurements of all-reduce strategies",
  .help = "Compares measurements labelled base and new by strategy and shape. Shows what is "
          "slower, faster, added or removed, and where another strategy is the fastest now.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
