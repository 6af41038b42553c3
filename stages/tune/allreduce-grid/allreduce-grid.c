/* Times of all-reduce strategies over tokens and hidden sizes, and how far each is from the best. */
#include <glib.h>
#include <string.h>

#include "lib/allreduce.h"
#include "sections.h"

enum { TABLE_GRID, TABLE_STRATEGIES, TABLE_VIEWS };
enum { NOTICE_SINGLE = AR_FIRST_OWN };

typedef struct Options {
  ArOptions of;
} Options;

typedef struct Grid {
  const MillStageHost *host;
  ArInputs in;
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

static int grid_process(void *instance, MillBatch *b)
{
  return ar_process(&((Grid *)instance)->in, b);
}
static int grid_save_result(void *instance) { return ar_save(&((Grid *)instance)->in); }
static int grid_merge_result(void *instance) { return ar_merge(&((Grid *)instance)->in); }

/* -------------------------------------------------------------------- rows */

static int point_row(const Grid *g, const Section *s, const ArPoint *p, double best)
{
  double time = ar_time(p, AR_MEAN);
  const MillValue cells[] = {
    mill_int(p->tp),
    mill_sym(p->fusion),
    mill_sym(p->strategy),
    mill_int(p->hidden),
    mill_int(p->tokens),
    mill_real(time),
    mill_real(p->min),
    mill_real(p->max),
    mill_int((int64_t)p->n),
    ar_real(ar_longer(best, time)),
    p->bytes > 0 ? mill_int(p->bytes) : mill_none(),
    ar_real(ar_algbw(p, time)),
    ar_real(ar_busbw(p, time)),
    mill_int(section_position(s, p->strategy)),
    ar_sm(g->sm),
  };
  return g->host->row(g->host, TABLE_GRID, cells, MILL_COUNT(cells));
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

static int strategy_rows(const Grid *g, const Section *s)
{
  int status = 0;
  for (uint32_t i = 0; i < s->n_strategies && status == 0; i++) {
    const SectionStrategy *x = &s->strategies[i];
    bool wins = x->strategy != g->in.auto_strategy;
    bool shared = wins && s->positions > 0;
    const MillValue cells[] = {
      mill_int(s->tp),
      mill_sym(s->fusion),
      mill_sym(x->strategy),
      mill_int((int64_t)i + 1),
      mill_int((int64_t)x->points),
      wins ? mill_int((int64_t)x->wins) : mill_none(),
      shared ? mill_real(100 * (double)x->wins / (double)s->positions) : mill_none(),
      mill_real(x->gap_sum / (double)x->rows),
      mill_real(x->gap_max),
    };
    status = g->host->row(g->host, TABLE_STRATEGIES, cells, MILL_COUNT(cells));
  }
  return status;
}

static MillValue list_cell(const GString *text) { return mill_text(text->str, text->len); }

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
  const MillValue cells[] = {
    mill_int(s->tp),
    mill_sym(s->fusion),
    list_cell(strategies),
    list_cell(tokens),
    list_cell(hidden),
    mill_int((int64_t)s->rows),
    mill_int((int64_t)s->positions),
    mill_real(s->time_min),
    mill_real(s->time_max),
    mill_real(s->gap_min),
    mill_real(s->gap_max),
  };
  return g->host->row(g->host, TABLE_VIEWS, cells, MILL_COUNT(cells));
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
  ArPoints points;
  ArSpan all, section;
  int status = ar_pick_points(&g->in, NULL, &points, &g->sm);
  if (status < 0) return status;
  if (!ar_sorted(&points, &all)) return -MILL_LIMIT;
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
  MILL_INFO(NOTICE_SINGLE, "{fusion} on {tp} GPUs has just one strategy",
            "all differences are zero", NULL,
            "Where one strategy alone was measured it is the best everywhere, and its difference "
            "from the best is zero by definition. The others were left out when the benchmark "
            "ran, or failed there."),
};

static const MillRead reads[] = { AR_READS };

static const MillColumn grid_columns[] = {
  MILL_KEY("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_KEY("strategy", NULL, MILL_TEXT, "Strategy of the all-reduce"),
  MILL_KEY("hidden_size", NULL, MILL_INT, "Elements of a token"),
  MILL_KEY("num_tokens", NULL, MILL_INT, "Tokens of the message"),
  MILL_BRIEF("time", "us", MILL_REAL, "Mean over the rows"),
  MILL_COLUMN("time_min", "us", MILL_REAL, "Shortest of them"),
  MILL_COLUMN("time_max", "us", MILL_REAL, "Longest of them"),
  MILL_COLUMN("runs", "count", MILL_INT, "Rows that were measured"),
  MILL_COLUMN("gap", "percent", MILL_REAL,
              "How much longer it takes than the shortest time of any strategy at this shape, AUTO "
              "included"),
  MILL_COLUMN("bytes", "bytes", MILL_INT, "Size of the message"),
  MILL_COLUMN("algbw", "GB/s", MILL_REAL, "bytes / time"),
  MILL_COLUMN("busbw", "GB/s", MILL_REAL, "algbw * 2 (tp - 1) / tp: what a link carries"),
  MILL_COLUMN("position", NULL, MILL_INT, "Order in which the strategies appear in the input"),
  MILL_COLUMN("sm", NULL, MILL_INT, "Kind of GPUs"),
};

static const MillColumn strategy_columns[] = {
  MILL_KEY_BRIEF("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_KEY_BRIEF("strategy", NULL, MILL_TEXT, "Strategy of the all-reduce"),
  MILL_COLUMN("position", NULL, MILL_INT, "Order in which the strategies appear in the input"),
  MILL_BRIEF("points", "count", MILL_INT, "Shapes at which it was measured"),
  MILL_BRIEF("wins", "count", MILL_INT, "Shapes at which it is fastest; AUTO takes no part"),
  MILL_BRIEF("share", "percent", MILL_REAL, "wins of all shapes"),
  MILL_BRIEF("gap_mean", "percent", MILL_REAL, "Mean over rows of the difference from the best"),
  MILL_BRIEF("gap_max", "percent", MILL_REAL, "Largest of them"),
};

static const MillColumn view_columns[] = {
  MILL_KEY("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_COLUMN("strategies", NULL, MILL_TEXT, "As they appear in the input"),
  MILL_COLUMN("tokens", NULL, MILL_TEXT, "Numbers of tokens"),
  MILL_COLUMN("hidden_sizes", NULL, MILL_TEXT, "Hidden sizes"),
  MILL_COLUMN("points", "count", MILL_INT, "Rows that were measured"),
  MILL_COLUMN("positions", "count", MILL_INT, "Shapes at which a strategy other than AUTO was"),
  MILL_COLUMN("time_min", "us", MILL_REAL, "Shortest of all rows"),
  MILL_COLUMN("time_max", "us", MILL_REAL, "Longest of all rows"),
  MILL_COLUMN("gap_min", "percent", MILL_REAL, "Smallest difference from the best"),
  MILL_COLUMN("gap_max", "percent", MILL_REAL, "Largest difference from the best"),
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
                         .help = "How often each strategy is fastest, and how far it is from the "
                                 "best",
                         .order = "tp,fusion,position",
                         .columns = MILL_ROWS(strategy_columns) },
  [TABLE_VIEWS] = { .per = MILL_PER_RUN,
                    .name = "allreduce-views",
                    .help = "What the figures of each number of GPUs and fusion show",
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
  .process = grid_process,
  .save_result = grid_save_result,
  .merge_result = grid_merge_result,
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
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
