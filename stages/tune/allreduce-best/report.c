/* What allreduce-best reports: winners, cells of the table, what it covers, and shapes between its cells. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "allreduce-best.h"

/* ----------------------------------------------------------------- winners */

typedef struct WinnerRow {
  int64_t tp;
  MillSym fusion;
  int64_t hidden_size, num_tokens;
  MillSym strategy;
  double time_us;
  MillSym runner_up;
  double margin, margin_low, margin_high;
  const char *decided;
  double beyond_noise;
  int64_t runs;
  double spread;
  int64_t bytes;
  double algbw, busbw;
  int64_t sm;
} WinnerRow;

static int winner_row(const Best *x, const Shape *s)
{
  static const char *const words[N_DECISIONS] = { AR_DECISIONS };
  const ArBest *best = &s->best;
  const ArPoint *p = best->winner, *second = best->runner_up;
  ArDecision decision = shapes_decision(x, s);
  const char *decided = words[decision];
  double margin = second ? ar_longer(best->time, best->runner_up_time) : (double)NAN;
  const WinnerRow row = {
    .tp = p->tp,
    .fusion = p->fusion,
    .hidden_size = p->hidden,
    .num_tokens = p->tokens,
    .strategy = p->strategy,
    .time_us = best->time,
    .runner_up = second ? second->strategy : 0,
    .margin = margin,
    .margin_low = s->verdict->margin.low,
    .margin_high = s->verdict->margin.high,
    .decided = decided,
    .beyond_noise = decision == AR_NOISE ? 0 : margin,
    .runs = (int64_t)p->n,
    .spread = ar_longer(p->min, p->max),
    .bytes = p->bytes > 0 ? p->bytes : MILL_NO_INT,
    .algbw = ar_algbw(p, best->time),
    .busbw = ar_busbw(p, best->time),
    .sm = x->sm,
  };
  return mill_row(x->host, TABLE_WINNERS, &row);
}

typedef struct GainRow {
  int64_t tp;
  MillSym fusion;
  int64_t hidden_size, num_tokens;
  MillSym strategy, fastest;
  double gain, low, high;
  int64_t runs;
} GainRow;

/* Of those whose repeats say what is noise. */
static int gain_rows(const Best *x, const Shape *s)
{
  const ArPoint *winner = s->best.winner;
  int status = 0;
  for (size_t i = 0; i < s->points.n && status == 0; i++) {
    const ArPoint *p = s->points.at[i];
    if (p == winner || p->strategy == x->in.auto_strategy || p->n < 2 || winner->n < 2) continue;
    const ArGain gain = ar_gain(winner, p, AR_DOUBT / (double)s->verdict->n_rivals);
    const GainRow row = {
      .tp = p->tp,
      .fusion = p->fusion,
      .hidden_size = p->hidden,
      .num_tokens = p->tokens,
      .strategy = p->strategy,
      .fastest = winner->strategy,
      .gain = gain.percent,
      .low = gain.low,
      .high = gain.high,
      .runs = (int64_t)p->n,
    };
    status = mill_row(x->host, TABLE_GAINS, &row);
  }
  return status;
}

typedef struct OffGridRow {
  int64_t tp;
  MillSym fusion;
  int64_t hidden_size, num_tokens;
  MillSym strategy, floor_strategy;
  double loss;
} OffGridRow;

/* How much longer the strategy of the cell takes that the shape is looked up in. */
static int off_grid_row(const Best *x, const ArSpan *shape, const ArBest *best)
{
  const ArPoint *p = best->winner;
  bool on_grid = ar_axis_has(&x->hidden, p->hidden) && ar_axis_has(&x->tokens, p->tokens);
  if (on_grid || !cells_coverage(x, p->tp, p->fusion)) return 0;
  const ArCell *cell = ar_table_lookup(&x->table, p->tp, p->fusion, p->hidden, p->tokens);
  if (!cell) return 0;
  const ArPoint *other = ar_of_strategy(shape, cell->strategy);
  double time = other ? ar_time(other, x->options->of.repeat) : (double)NAN;
  const OffGridRow row = {
    .tp = p->tp,
    .fusion = p->fusion,
    .hidden_size = p->hidden,
    .num_tokens = p->tokens,
    .strategy = p->strategy,
    .floor_strategy = cell->strategy,
    .loss = ar_longer(best->time, time),
  };
  return mill_row(x->host, TABLE_OFF_GRID, &row);
}

static int shape_rows(const Best *x)
{
  int status = 0;
  for (Shape s = { .n = 0 }; status == 0 && shapes_next(x, &s);) {
    status = winner_row(x, &s);
    if (status == 0) status = gain_rows(x, &s);
    if (status == 0) status = off_grid_row(x, &s.points, &s.best);
  }
  return status;
}

/* --------------------------------------------------------------- the table */

typedef struct TableRow {
  int64_t sm, tp;
  MillSym fusion;
  int64_t hidden_size, num_tokens;
  MillSym strategy;
  int64_t number;
  MillSym source;
  double time_us, margin;
  int64_t position;
} TableRow;

static int table_row(const Best *x, const ArCell *c, int64_t position)
{
  const TableRow row = {
    .sm = x->sm,
    .tp = c->tp,
    .fusion = c->fusion,
    .hidden_size = c->hidden,
    .num_tokens = c->tokens,
    .strategy = c->strategy,
    .number = c->number == INT64_MIN ? MILL_NO_INT : c->number,
    .source = c->source ? c->source : 0,
    .time_us = c->time,
    .margin = c->margin,
    .position = position,
  };
  return mill_row(x->host, TABLE_TABLE, &row);
}

static int table_rows(const Best *x)
{
  int status = 0;
  for (size_t i = 0; i < x->table.n && status == 0; i++)
    status = table_row(x, &x->table.at[i], (int64_t)i + 1);
  return status;
}

typedef struct CoverageRow {
  int64_t tp;
  MillSym fusion;
  int64_t cells, measured, defaults, unknown, kept, off_grid;
  const char *reason;
} CoverageRow;

static int coverage_row(const Best *x, int64_t tp, MillSym fusion, bool has_file)
{
  const Coverage *of = cells_coverage(x, tp, fusion);
  const char *reason = !has_file ? "no file" : of->has_rows ? "" : "no rows";
  const CoverageRow row = {
    .tp = tp,
    .fusion = fusion,
    .cells = (int64_t)(x->hidden.n * x->tokens.n),
    .measured = (int64_t)of->from[FROM_MEASURED],
    .defaults = (int64_t)of->from[FROM_DEFAULT],
    .unknown = (int64_t)of->from[FROM_UNKNOWN],
    .kept = (int64_t)of->from[FROM_KEPT],
    .off_grid = (int64_t)of->off_grid,
    .reason = *reason ? reason : NULL,
  };
  return mill_row(x->host, TABLE_COVERAGE, &row);
}

static bool has_file(const Best *x, int64_t tp)
{
  for (size_t i = 0; i < x->points.n; i++)
    if (x->points.at[i].tp == tp) return true;
  return false;
}

static int coverage_rows(const Best *x)
{
  int status = 0;
  for (size_t i = 0; i < x->tp.n; i++) {
    bool found = has_file(x, x->tp.at[i]);
    for (uint32_t k = 0; status == 0 && k < x->options->fusions.n; k++)
      status = coverage_row(x, x->tp.at[i], x->fusions[k], found);
  }
  return status;
}

/* ------------------------------------------------------------------ report */

static int filled_metric(const Best *x)
{
  uint64_t filled = 0;
  size_t n = x->tp.n * x->options->fusions.n;
  for (size_t i = 0; i < n; i++)
    filled += x->coverage[i].from[FROM_MEASURED] + x->coverage[i].from[FROM_KEPT];
  return x->host->metric(x->host, METRIC_FILLED, NULL, mill_int((int64_t)filled), x->table.n);
}

static int report_times(Best *x)
{
  int status = ar_pick_points(&x->in, NULL, &x->points, &x->sm);
  if (status == 0) status = cells_choose(x);
  if (status == 0) status = table_rows(x);
  if (status < 0) return status;
  ar_table_sort(&x->table);
  status = shape_rows(x);
  if (status == 0) status = coverage_rows(x);
  if (status == 0) status = findings_report(x);
  return status == 0 ? filled_metric(x) : status;
}

static int no_measurements(const Best *x, uint32_t metric)
{
  return x->host->no_metric(x->host, metric, NULL, "there are no measurements");
}

/* Without measurements a table that was given is handed on, and looked up in. */
static int report_table(Best *x)
{
  int status = ar_pick_table(&x->in, NULL, &x->table, &x->sm);
  if (status == 0) status = table_rows(x);
  if (status < 0) return status;
  status = no_measurements(x, METRIC_FILLED);
  return status == 0 ? no_measurements(x, METRIC_UNDECIDED) : status;
}

int best_report_run(void *instance)
{
  Best *x = instance;
  bool table_alone = !ar_has_points(&x->in) && ar_has_tables(&x->in);
  int status = table_alone ? report_table(x) : report_times(x);
  return status == 0 ? lookup_report(x) : status;
}

/* ------------------------------------------------------------ declarations */

static const MillColumn finding_columns[] = {
  MILL_KEY(FindingRow, position, "position", NULL, "Order of the sentences"),
  MILL_COLUMN(FindingRow, finding, "finding", NULL, MILL_COLUMN_BRIEF | MILL_COLUMN_FINDING,
              "A finding in words"),
};

static const MillColumn winner_columns[] = {
  MILL_KEY(WinnerRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY(WinnerRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY(WinnerRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY(WinnerRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_BRIEF(WinnerRow, strategy, "strategy", NULL, "The fastest strategy"),
  MILL_BRIEF(WinnerRow, time_us, "time", "us", "Time of the fastest strategy"),
  MILL_COLUMN(WinnerRow, runner_up, "runner_up", NULL, 0,
              "The next best strategy after the fastest"),
  MILL_BRIEF(WinnerRow, margin, "margin", "percent", "How much longer the runner-up takes"),
  MILL_COLUMN(WinnerRow, margin_low, "margin_low", "percent", 0,
              "Lower end of the interval of the margin, by geometric means; empty: a strategy was "
              "measured once"),
  MILL_COLUMN(WinnerRow, margin_high, "margin_high", "percent", 0, "Upper end of this interval"),
  MILL_COLUMN(WinnerRow, decided, "decided", NULL, 0,
              "Whether the fastest wins by more than noise: yes; noise; one candidate; no repeats "
              "(a strategy was measured once, or all times are equal)"),
  MILL_COLUMN(WinnerRow, beyond_noise, "beyond_noise", "percent", 0,
              "The margin; 0 if it is within noise"),
  MILL_COLUMN(WinnerRow, runs, "runs", "count", 0, "Rows of the fastest strategy"),
  MILL_COLUMN(WinnerRow, spread, "spread", "percent", 0,
              "How much longer its longest row is than its shortest"),
  MILL_COLUMN(WinnerRow, bytes, "bytes", "bytes", 0, "Size of the message"),
  MILL_COLUMN(WinnerRow, algbw, "algbw", "GB/s", 0, "bytes / time"),
  MILL_COLUMN(WinnerRow, busbw, "busbw", "GB/s", 0, "algbw * 2 (tp - 1) / tp: bandwidth of a link"),
  MILL_COLUMN(WinnerRow, sm, "sm", NULL, 0, "Kind of GPUs"),
};

static const MillColumn gain_columns[] = {
  MILL_KEY(GainRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY(GainRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY(GainRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY(GainRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_KEY(GainRow, strategy, "strategy", NULL, "A strategy that is not the fastest"),
  MILL_COLUMN(GainRow, fastest, "fastest", NULL, 0, "The fastest strategy"),
  MILL_COLUMN(GainRow, gain, "gain", "percent", 0,
              "How much longer the strategy takes than the fastest, by geometric means of rows"),
  MILL_COLUMN(GainRow, low, "low", "percent", 0,
              "Lower end of the interval of the gain, with 95 % confidence for all strategies of a "
              "shape together"),
  MILL_COLUMN(GainRow, high, "high", "percent", 0, "Upper end of this interval"),
  MILL_COLUMN(GainRow, runs, "runs", "count", 0, "Rows of the strategy"),
};

static const MillColumn table_columns[] = {
  MILL_KEY(TableRow, sm, "sm", NULL, "Kind of GPUs"),
  MILL_KEY(TableRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY(TableRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY(TableRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY(TableRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_COLUMN(TableRow, strategy, "strategy", NULL, 0, "Strategy of the cell"),
  MILL_COLUMN(TableRow, number, "number", NULL, 0, "Number of the strategy in the table"),
  MILL_COLUMN(TableRow, source, "source", NULL, 0,
              "measured; default (not measured); unknown (the fastest has no number); kept (the "
              "default is hardly slower)"),
  MILL_COLUMN(TableRow, time_us, "time", "us", 0, "Time of the cell's strategy"),
  MILL_COLUMN(TableRow, margin, "margin", "percent", 0,
              "How much longer the runner-up takes than the fastest"),
  MILL_COLUMN(TableRow, position, "position", NULL, 0, "Order of the cells"),
};

static const MillColumn coverage_columns[] = {
  MILL_KEY_BRIEF(CoverageRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(CoverageRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_BRIEF(CoverageRow, cells, "cells", "count", "Cells of the table"),
  MILL_BRIEF(CoverageRow, measured, "measured", "count", "Cells with the fastest strategy"),
  MILL_BRIEF(CoverageRow, defaults, "defaults", "count", "Cells without a measurement"),
  MILL_BRIEF(CoverageRow, unknown, "unknown", "count",
             "Cells whose fastest strategy has no number"),
  MILL_BRIEF(CoverageRow, kept, "kept", "count", "Cells in which the default is hardly slower"),
  MILL_BRIEF(CoverageRow, off_grid, "off_grid", "count", "Measured shapes that are not a cell"),
  MILL_BRIEF(CoverageRow, reason, "reason", NULL, "Why no cell is measured: no file, no rows"),
};

static const MillColumn off_grid_columns[] = {
  MILL_KEY(OffGridRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY(OffGridRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY(OffGridRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY(OffGridRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_BRIEF(OffGridRow, strategy, "strategy", NULL, "The fastest strategy"),
  MILL_BRIEF(OffGridRow, floor_strategy, "floor_strategy", NULL,
             "Strategy that the lookup finds for this shape"),
  MILL_BRIEF(OffGridRow, loss, "loss", "percent",
             "How much longer this strategy takes; empty: not measured"),
};

const MillTable best_tables[N_TABLES] = {
  [TABLE_FINDINGS] = { .per = MILL_PER_RUN,
                       .brief_rows = 4,
                       .name = "allreduce-findings",
                       .help = "Findings of the measurements",
                       .order = "position",
                       .columns = MILL_ROWS(finding_columns) },
  [TABLE_WINNERS] = { .per = MILL_PER_RUN,
                      .name = "allreduce-winners",
                      .help = "The fastest strategy at each shape that was measured",
                      .columns = MILL_ROWS(winner_columns) },
  [TABLE_GAINS] = { .per = MILL_PER_RUN,
                    .name = "allreduce-gains",
                    .help = "Gain of the fastest over each strategy, as an interval",
                    .columns = MILL_ROWS(gain_columns) },
  [TABLE_TABLE] = { .per = MILL_PER_RUN,
                    .name = "allreduce-table",
                    .help = "Cells of the lookup table",
                    .order = "position",
                    .columns = MILL_ROWS(table_columns) },
  [TABLE_COVERAGE] = { .per = MILL_PER_RUN,
                       .brief_rows = 12,
                       .name = "allreduce-coverage",
                       .help = "Measured cells of the lookup table",
                       .columns = MILL_ROWS(coverage_columns) },
  [TABLE_OFF_GRID] = { .per = MILL_PER_RUN,
                       .brief_rows = 8,
                       .name = "allreduce-off-grid",
                       .help = "Loss of the lookup at measured shapes between the cells",
                       .order = "-loss",
                       .columns = MILL_ROWS(off_grid_columns) },
};

const MillMetric best_metrics[N_METRICS] = {
  [METRIC_FILLED] = { .per = MILL_PER_RUN,
                      .better = MILL_HIGHER,
                      .kind = MILL_INT,
                      .name = "allreduce_filled",
                      .unit = "count",
                      .help = "Cells of the lookup table that measurements decided" },
  [METRIC_UNDECIDED] = { .per = MILL_PER_RUN,
                         .better = MILL_LOWER,
                         .kind = MILL_INT,
                         .name = "allreduce_undecided",
                         .unit = "count",
                         .help = "Measured cells of the lookup table whose fastest strategy may be "
                                 "the fastest only by noise" },
  [METRIC_CHOICE] = { .per = MILL_PER_RUN,
                      .better = MILL_NEITHER,
                      .kind = MILL_INT,
                      .name = "allreduce_choice",
                      .help = "Number of the strategy that TensorRT-LLM finds in the table for the "
                              "option shape" },
  [METRIC_LOOKUP] = { .per = MILL_PER_RUN,
                      .better = MILL_NEITHER,
                      .kind = MILL_JSON,
                      .name = "allreduce_lookup",
                      .help =
                          "The cell that TensorRT-LLM finds in the table for the option shape" },
};

#define PAGE(kind) "{fusion}/benchmark.tp{tp}.sm{sm}_" kind
const MillFigure best_figures[N_FIGURES] = {
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "allreduce-best-strategy",
    .title = "Best AllReduce Strategy for Each Mesh Grid Position",
    .table = "allreduce-winners",
    .x = "num_tokens",
    .y = "hidden_size",
    .value = "strategy",
    .colors = AR_COLORS,
    .value_label = "Best Strategy",
    .x_label = "Num_Tokens",
    .y_label = "Hidden Size",
    .pages = "tp,fusion",
    .file = PAGE("best_strategy") },
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "allreduce-margin",
    .title = "How Much Longer the Runner-up Takes",
    .table = "allreduce-winners",
    .x = "num_tokens",
    .y = "hidden_size",
    .value = "beyond_noise",
    .value_scale = "log",
    .value_low = "1",
    .value_label = "Margin beyond Noise",
    .annotation = "margin",
    .format = "0.1",
    .x_label = "Num_Tokens",
    .y_label = "Hidden Size",
    .pages = "tp,fusion",
    .file = PAGE("margin") },
};
