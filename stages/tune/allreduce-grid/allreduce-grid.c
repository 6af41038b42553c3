/* Times of all-reduce strategies over tokens and hidden sizes, and how far each is from the best. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <glib.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "tune/lib/allreduce.h"
#include "sections.h"

enum { TABLE_GRID, TABLE_STRATEGIES, TABLE_VIEWS };
enum { NOTICE_SINGLE = AR_FIRST_OWN };

typedef struct Options {
  ArOptions of;
} Options;

typedef struct Grid {
  const MillStageHost *host;
  ArInputs in;
  ArPoints points; /* of the GPUs that are looked at */
  int64_t sm;
} Grid;

static int grid_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  Grid *g = mill_new(host->common, sizeof *g);
  if (!g) return -MILL_LIMIT;
  g->host = host;
  *out_instance = g;
  return ar_open(&g->in, host, level, &((const Options *)options)->of);
}

AR_CALLS(Grid)

/* -------------------------------------------------------------------- rows */

typedef struct GridRow {
  int64_t tp;
  MillSym fusion, strategy;
  int64_t hidden_size, num_tokens;
  double time_us, time_min_us, time_max_us;
  int64_t runs;
  double gap;
  int64_t bytes;
  double algbw, busbw;
  int64_t position, sm;
} GridRow;

static int point_row(const Grid *g, const Section *s, const ArPoint *p, double best)
{
  double time = ar_time(p, AR_MEAN);
  const GridRow row = {
    .tp = p->tp,
    .fusion = p->fusion,
    .strategy = p->strategy,
    .hidden_size = p->hidden,
    .num_tokens = p->tokens,
    .time_us = time,
    .time_min_us = p->min,
    .time_max_us = p->max,
    .runs = (int64_t)p->n,
    .gap = ar_longer(best, time),
    .bytes = p->bytes > 0 ? p->bytes : MILL_NO_INT,
    .algbw = ar_algbw(p, time),
    .busbw = ar_busbw(p, time),
    .position = section_position(s, p->strategy),
    .sm = g->sm,
  };
  return mill_row(g->host, TABLE_GRID, &row);
}

static int grid_rows(const Grid *g, const Section *s)
{
  ArSpan shape;
  ArBest best;
  int status = 0;
  for (size_t at = 0; status == 0 && ar_next_shape(&s->points, &at, &shape);) {
    ar_best(&shape, 0, AR_MIN, &best);
    for (size_t i = 0; i < shape.n && status == 0; i++)
      status = point_row(g, s, shape.at[i], best.time);
  }
  return status;
}

typedef struct StrategyRow {
  int64_t tp;
  MillSym fusion, strategy;
  int64_t position, points, wins;
  double share, gap_mean, gap_max;
} StrategyRow;

static int strategy_rows(const Grid *g, const Section *s)
{
  int status = 0;
  for (uint32_t i = 0; i < s->n_strategies && status == 0; i++) {
    const SectionStrategy *x = &s->strategies[i];
    bool wins = x->strategy != g->in.auto_strategy;
    bool shared = wins && s->positions > 0;
    const StrategyRow row = {
      .tp = s->tp,
      .fusion = s->fusion,
      .strategy = x->strategy,
      .position = (int64_t)i + 1,
      .points = (int64_t)x->points,
      .wins = wins ? (int64_t)x->wins : MILL_NO_INT,
      .share = shared ? 100 * (double)x->wins / (double)s->positions : (double)NAN,
      .gap_mean = x->gap_sum / (double)x->rows,
      .gap_max = x->gap_max,
    };
    status = mill_row(g->host, TABLE_STRATEGIES, &row);
  }
  return status;
}

static MillText list_text(const GString *text) { return (MillText){ text->str, text->len }; }

typedef struct ViewRow {
  int64_t tp;
  MillSym fusion;
  MillText strategies, tokens, hidden_sizes;
  int64_t points, positions;
  double time_min_us, time_max_us, gap_min, gap_max;
} ViewRow;

static int view_row(const Grid *g, const Section *s)
{
  g_autoptr(GString) strategies = g_string_new(NULL);
  g_autoptr(GString) tokens = g_string_new(NULL);
  g_autoptr(GString) hidden = g_string_new(NULL);
  for (uint32_t i = 0; i < s->n_strategies; i++)
    g_string_append_printf(strategies, "%s%s", i ? "," : "",
                           ar_text(g->in.common, s->strategies[i].strategy));
  for (size_t i = 0; i < s->tokens.n; i++)
    g_string_append_printf(tokens, "%s%" G_GINT64_FORMAT, i ? "," : "", s->tokens.at[i]);
  for (size_t i = 0; i < s->hidden.n; i++)
    g_string_append_printf(hidden, "%s%" G_GINT64_FORMAT, i ? "," : "", s->hidden.at[i]);
  const ViewRow row = {
    .tp = s->tp,
    .fusion = s->fusion,
    .strategies = list_text(strategies),
    .tokens = list_text(tokens),
    .hidden_sizes = list_text(hidden),
    .points = (int64_t)s->rows,
    .positions = (int64_t)s->positions,
    .time_min_us = s->time_min,
    .time_max_us = s->time_max,
    .gap_min = s->gap_min,
    .gap_max = s->gap_max,
  };
  return mill_row(g->host, TABLE_VIEWS, &row);
}

static void note_single(const Grid *g, const Section *s)
{
  const char *fusion = ar_text(g->in.common, s->fusion);
  const MillNamed named[] = { { "fusion", mill_text(fusion, strlen(fusion)) },
                              { "tp", mill_int(s->tp) } };
  g->in.common->note(g->in.common, NOTICE_SINGLE, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static int section_rows(const Grid *g, const ArSpan *points)
{
  Section s;
  if (!section_read(g->in.common, points, g->in.auto_strategy, &s)) return -MILL_LIMIT;
  if (s.n_strategies == 1) note_single(g, &s);
  int status = grid_rows(g, &s);
  if (status == 0) status = strategy_rows(g, &s);
  if (status == 0) status = view_row(g, &s);
  section_clear(g->in.common, &s);
  return status;
}

static int grid_report_run(void *instance)
{
  Grid *g = instance;
  ArSpan all, section;
  int status = ar_pick_points(&g->in, NULL, &g->points, &g->sm);
  if (status < 0) return status;
  if (!ar_sorted(&g->points, &all)) return -MILL_LIMIT;
  for (size_t at = 0; status == 0 && ar_next_section(&all, &at, &section);)
    status = section_rows(g, &section);
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  AR_SM_OPTION(Options, of),
  AR_OP_OPTION(Options, of),
  AR_DTYPE_OPTION(Options, of),
};

static const MillNotice notices[] = {
  AR_NOTICES,
  MILL_INFO(NOTICE_SINGLE, "{fusion} on {tp} GPUs has only one strategy",
            "all differences are zero", NULL,
            "A strategy that was measured alone is the best everywhere, and its difference from "
            "the best is zero by definition. The benchmark left out the other strategies, or they "
            "failed."),
};

static const MillRead reads[] = { AR_READS };

static const MillColumn grid_columns[] = {
  MILL_KEY(GridRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY(GridRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY(GridRow, strategy, "strategy", NULL, "Strategy of the all-reduce"),
  MILL_KEY(GridRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY(GridRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_BRIEF(GridRow, time_us, "time", "us", "Mean time of the rows"),
  MILL_COLUMN(GridRow, time_min_us, "time_min", "us", 0, "Shortest time of a row"),
  MILL_COLUMN(GridRow, time_max_us, "time_max", "us", 0, "Longest time of a row"),
  MILL_COLUMN(GridRow, runs, "runs", "count", 0, "Number of rows"),
  MILL_COLUMN(
      GridRow, gap, "gap", "percent", 0,
      "How much longer the time is than the shortest of any strategy at this shape, AUTO included"),
  MILL_COLUMN(GridRow, bytes, "bytes", "bytes", 0, "Size of the message"),
  MILL_COLUMN(GridRow, algbw, "algbw", "GB/s", 0, "bytes / time"),
  MILL_COLUMN(GridRow, busbw, "busbw", "GB/s", 0, "algbw * 2 (tp - 1) / tp: bandwidth of a link"),
  MILL_COLUMN(GridRow, position, "position", NULL, 0,
              "Order in which the strategies appear in the input"),
  MILL_COLUMN(GridRow, sm, "sm", NULL, 0, "Kind of GPUs"),
};

static const MillColumn strategy_columns[] = {
  MILL_KEY_BRIEF(StrategyRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(StrategyRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY_BRIEF(StrategyRow, strategy, "strategy", NULL, "Strategy of the all-reduce"),
  MILL_COLUMN(StrategyRow, position, "position", NULL, 0,
              "Order in which the strategies appear in the input"),
  MILL_BRIEF(StrategyRow, points, "points", "count", "Shapes at which it was measured"),
  MILL_BRIEF(StrategyRow, wins, "wins", "count",
             "Shapes at which it is fastest; AUTO does not count"),
  MILL_BRIEF(StrategyRow, share, "share", "percent", "wins divided by the number of shapes"),
  MILL_BRIEF(StrategyRow, gap_mean, "gap_mean", "percent",
             "Mean over rows of the difference from the best"),
  MILL_BRIEF(StrategyRow, gap_max, "gap_max", "percent", "Largest difference from the best"),
};

static const MillColumn view_columns[] = {
  MILL_KEY(ViewRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY(ViewRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_COLUMN(ViewRow, strategies, "strategies", NULL, 0, "Strategies, in the order of the input"),
  MILL_COLUMN(ViewRow, tokens, "tokens", NULL, 0, "Numbers of tokens"),
  MILL_COLUMN(ViewRow, hidden_sizes, "hidden_sizes", NULL, 0, "Hidden sizes"),
  MILL_COLUMN(ViewRow, points, "points", "count", 0, "Number of rows"),
  MILL_COLUMN(ViewRow, positions, "positions", "count", 0,
              "Shapes with a strategy other than AUTO"),
  MILL_COLUMN(ViewRow, time_min_us, "time_min", "us", 0, "Shortest time of a row"),
  MILL_COLUMN(ViewRow, time_max_us, "time_max", "us", 0, "Longest time of a row"),
  MILL_COLUMN(ViewRow, gap_min, "gap_min", "percent", 0, "Smallest difference from the best"),
  MILL_COLUMN(ViewRow, gap_max, "gap_max", "percent", 0, "Largest difference from the best"),
};

static const MillTable tables[] = {
  [TABLE_GRID] = { .per = MILL_PER_RUN,
                   .name = "allreduce-grid",
                   .help = "Times of each strategy at each shape",
                   .order = "tp,fusion,position,hidden_size,num_tokens",
                   .columns = MILL_ROWS(grid_columns) },
  [TABLE_STRATEGIES] = { .per = MILL_PER_RUN,
                         .brief_rows = 24,
                         .name = "allreduce-strategies",
                         .help = "Number of wins of each strategy, and its distance from the best",
                         .order = "tp,fusion,position",
                         .columns = MILL_ROWS(strategy_columns) },
  [TABLE_VIEWS] = { .per = MILL_PER_RUN,
                    .name = "allreduce-views",
                    .help = "Figures for each number of GPUs and fusion",
                    .columns = MILL_ROWS(view_columns) },
};

#define PAGE(kind) "{fusion}/benchmark.tp{tp}.sm{sm}_" kind
static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "allreduce-times",
    .title = "AllReduce Performance Heatmaps",
    .table = "allreduce-grid",
    .x = "num_tokens",
    .y = "hidden_size",
    .facet = "strategy",
    .value = "time",
    .value_scale = "log",
    .value_low = "time_min",
    .value_high = "time_max",
    .value_label = "Time",
    .x_label = "Num_Tokens",
    .y_label = "Hidden Size",
    .pages = "tp,fusion",
    .file = PAGE("heatmap") },
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "allreduce-gaps",
    .title = "Strategy Performance Difference from Best Strategy",
    .table = "allreduce-grid",
    .x = "num_tokens",
    .y = "hidden_size",
    .facet = "strategy",
    .value = "gap",
    .value_low = "0",
    .value_label = "Time Difference",
    .palette = "worse",
    .annotation = "gap",
    .format = "0.1",
    .x_label = "Num_Tokens",
    .y_label = "Hidden Size",
    .pages = "tp,fusion",
    .file = PAGE("strategy_difference_heatmap") },
  { .kind = MILL_FIGURE_LINE,
    .name = "allreduce-crossover",
    .title = "Times by Size of the Message",
    .table = "allreduce-grid",
    .x = "bytes",
    .y = "time",
    .series = "strategy",
    .reduce = "mean",
    .x_scale = "log2",
    .y_scale = "log",
    .colors = AR_COLORS,
    .pages = "tp,fusion",
    .file = PAGE("crossover") },
};

static const char *const needs[] = { "input.allreduce", NULL };
static const char *const provides[] = { "table.allreduce-grid", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = grid_open,
  .process = take_rows,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = grid_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "allreduce-grid",
  .family = "tune",
  .version = "1.0.0",
  .tag = "ARGRID",
  .title = "Times of all-reduce strategies by shape",
  .help = "Shows the measured time of each strategy over tokens and hidden sizes, how much longer "
          "it takes than the best, and how often each is fastest.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
