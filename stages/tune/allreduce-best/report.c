/* What allreduce-best reports: winners, cells of the table, what it covers, and shapes between its cells. */
#include <string.h>

#include "allreduce-best.h"

/* ----------------------------------------------------------------- winners */

static int winner_row(const Best *x, const Shape *s)
{
  static const char *const words[N_DECISIONS] = { AR_DECISIONS };
  const ArBest *best = &s->best;
  const ArPoint *p = best->winner, *second = best->runner_up;
  ArDecision decision = shapes_decision(x, s);
  const char *decided = words[decision];
  double margin = second ? ar_longer(best->time, best->runner_up_time) : (double)NAN;
  const MillValue cells[] = {
    mill_int(p->tp),
    mill_sym(p->fusion),
    mill_int(p->hidden),
    mill_int(p->tokens),
    mill_sym(p->strategy),
    mill_real(best->time),
    second ? mill_sym(second->strategy) : mill_none(),
    ar_real(margin),
    ar_real(s->verdict->margin.low),
    ar_real(s->verdict->margin.high),
    mill_text(decided, strlen(decided)),
    decision == AR_NOISE ? mill_real(0) : ar_real(margin),
    mill_int((int64_t)p->n),
    mill_real(ar_longer(p->min, p->max)),
    p->bytes > 0 ? mill_int(p->bytes) : mill_none(),
    ar_real(ar_algbw(p, best->time)),
    ar_real(ar_busbw(p, best->time)),
    ar_sm(x->sm),
  };
  return x->host->row(x->host, TABLE_WINNERS, cells, MILL_COUNT(cells));
}

/* Of those whose repeats say what is noise. */
static int gain_rows(const Best *x, const Shape *s)
{
  const ArPoint *winner = s->best.winner;
  int status = 0;
  for (size_t i = 0; i < s->points.n && status == 0; i++) {
    const ArPoint *p = s->points.at[i];
    if (p == winner || p->strategy == x->in.auto_strategy || p->n < 2 || winner->n < 2) continue;
    const ArGain gain = ar_gain(winner, p, AR_DOUBT / (double)s->verdict->n_rivals);
    const MillValue cells[] = {
      mill_int(p->tp),         mill_sym(p->fusion),   mill_int(p->hidden),
      mill_int(p->tokens),     mill_sym(p->strategy), mill_sym(winner->strategy),
      mill_real(gain.percent), mill_real(gain.low),   mill_real(gain.high),
      mill_int((int64_t)p->n),
    };
    status = x->host->row(x->host, TABLE_GAINS, cells, MILL_COUNT(cells));
  }
  return status;
}

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
  const MillValue cells[] = {
    mill_int(p->tp),
    mill_sym(p->fusion),
    mill_int(p->hidden),
    mill_int(p->tokens),
    mill_sym(p->strategy),
    mill_sym(cell->strategy),
    ar_real(ar_longer(best->time, time)),
  };
  return x->host->row(x->host, TABLE_OFF_GRID, cells, MILL_COUNT(cells));
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

static int table_row(const Best *x, const ArCell *c, int64_t position)
{
  const MillValue cells[] = {
    ar_sm(x->sm),
    mill_int(c->tp),
    mill_sym(c->fusion),
    mill_int(c->hidden),
    mill_int(c->tokens),
    mill_sym(c->strategy),
    c->number == INT64_MIN ? mill_none() : mill_int(c->number),
    c->source ? mill_sym(c->source) : mill_none(),
    ar_real(c->time),
    ar_real(c->margin),
    mill_int(position),
  };
  return x->host->row(x->host, TABLE_TABLE, cells, MILL_COUNT(cells));
}

static int table_rows(const Best *x)
{
  int status = 0;
  for (size_t i = 0; i < x->table.n && status == 0; i++)
    status = table_row(x, &x->table.at[i], (int64_t)i + 1);
  return status;
}

static int coverage_row(const Best *x, int64_t tp, MillSym fusion, bool has_file)
{
  const Coverage *of = cells_coverage(x, tp, fusion);
  const char *reason = !has_file ? "no file" : of->has_rows ? "" : "no rows";
  const MillValue cells[] = {
    mill_int(tp),
    mill_sym(fusion),
    mill_int((int64_t)(x->hidden.n * x->tokens.n)),
    mill_int((int64_t)of->from[FROM_MEASURED]),
    mill_int((int64_t)of->from[FROM_DEFAULT]),
    mill_int((int64_t)of->from[FROM_UNKNOWN]),
    mill_int((int64_t)of->from[FROM_KEPT]),
    mill_int((int64_t)of->off_grid),
    *reason ? mill_text(reason, strlen(reason)) : mill_none(),
  };
  return x->host->row(x->host, TABLE_COVERAGE, cells, MILL_COUNT(cells));
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
  MILL_KEY("position", NULL, MILL_INT, "Order of the sentences"),
  { "finding", NULL, MILL_TEXT, MILL_COLUMN_BRIEF | MILL_COLUMN_FINDING, "What was found" },
};

static const MillColumn winner_columns[] = {
  MILL_KEY("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_KEY("hidden_size", NULL, MILL_INT, "Elements of a token"),
  MILL_KEY("num_tokens", NULL, MILL_INT, "Tokens of the message"),
  MILL_BRIEF("strategy", NULL, MILL_TEXT, "The fastest"),
  MILL_BRIEF("time", "us", MILL_REAL, "Its time"),
  MILL_COLUMN("runner_up", NULL, MILL_TEXT, "The second"),
  MILL_BRIEF("margin", "percent", MILL_REAL, "How much longer the second takes"),
  MILL_COLUMN("margin_low", "percent", MILL_REAL,
              "The geometric mean of its rows over that of the fastest is above this, by what "
              "repeats differ; empty: one of them was measured once"),
  MILL_COLUMN("margin_high", "percent", MILL_REAL, "and below this"),
  MILL_COLUMN("decided", NULL, MILL_TEXT,
              "Whether the fastest is that by more than noise: yes; noise; one candidate; no "
              "repeats: a strategy was measured once"),
  MILL_COLUMN("beyond_noise", "percent", MILL_REAL, "The margin; 0 where it is noise"),
  MILL_COLUMN("runs", "count", MILL_INT, "Rows of the fastest"),
  MILL_COLUMN("spread", "percent", MILL_REAL,
              "How much longer the longest of its rows is than the shortest"),
  MILL_COLUMN("bytes", "bytes", MILL_INT, "Size of the message"),
  MILL_COLUMN("algbw", "GB/s", MILL_REAL, "bytes / time"),
  MILL_COLUMN("busbw", "GB/s", MILL_REAL, "algbw * 2 (tp - 1) / tp: what a link carries"),
  MILL_COLUMN("sm", NULL, MILL_INT, "Kind of GPUs"),
};

static const MillColumn gain_columns[] = {
  MILL_KEY("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_KEY("hidden_size", NULL, MILL_INT, "Elements of a token"),
  MILL_KEY("num_tokens", NULL, MILL_INT, "Tokens of the message"),
  MILL_KEY("strategy", NULL, MILL_TEXT, "A strategy that is not the fastest"),
  MILL_COLUMN("fastest", NULL, MILL_TEXT, "That"),
  MILL_COLUMN("gain", "percent", MILL_REAL,
              "How much longer it takes than the fastest, by geometric means of rows"),
  MILL_COLUMN("low", "percent", MILL_REAL,
              "What that is more than: for all strategies of a shape at once 95 % sure"),
  MILL_COLUMN("high", "percent", MILL_REAL, "and less than"),
  MILL_COLUMN("runs", "count", MILL_INT, "Rows of the strategy"),
};

static const MillColumn table_columns[] = {
  MILL_KEY("sm", NULL, MILL_INT, "Kind of GPUs"),
  MILL_KEY("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_KEY("hidden_size", NULL, MILL_INT, "Elements of a token"),
  MILL_KEY("num_tokens", NULL, MILL_INT, "Tokens of the message"),
  MILL_COLUMN("strategy", NULL, MILL_TEXT, "Strategy of the cell"),
  MILL_COLUMN("number", NULL, MILL_INT, "Its number in the table"),
  MILL_COLUMN("source", NULL, MILL_TEXT,
              "measured; default: not measured; unknown: the fastest has no number; kept: the "
              "default is hardly slower"),
  MILL_COLUMN("time", "us", MILL_REAL, "Time of the cell's strategy"),
  MILL_COLUMN("margin", "percent", MILL_REAL, "How much longer the second takes than the fastest"),
  MILL_COLUMN("position", NULL, MILL_INT, "Order of the cells"),
};

static const MillColumn coverage_columns[] = {
  MILL_KEY_BRIEF("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_BRIEF("cells", "count", MILL_INT, "Cells of the table"),
  MILL_BRIEF("measured", "count", MILL_INT, "Those that hold the fastest strategy"),
  MILL_BRIEF("defaults", "count", MILL_INT, "Those that nobody measured"),
  MILL_BRIEF("unknown", "count", MILL_INT, "Those whose fastest strategy has no number"),
  MILL_BRIEF("kept", "count", MILL_INT, "Those in which the default is hardly slower"),
  MILL_BRIEF("off_grid", "count", MILL_INT, "Measured shapes that are no cell"),
  MILL_BRIEF("reason", NULL, MILL_TEXT, "Why none is measured: no file, no rows"),
};

static const MillColumn off_grid_columns[] = {
  MILL_KEY("tp", NULL, MILL_INT, "GPUs of the all-reduce"),
  MILL_KEY("fusion", NULL, MILL_TEXT, "What is done in the same kernel"),
  MILL_KEY("hidden_size", NULL, MILL_INT, "Elements of a token"),
  MILL_KEY("num_tokens", NULL, MILL_INT, "Tokens of the message"),
  MILL_BRIEF("strategy", NULL, MILL_TEXT, "The fastest"),
  MILL_BRIEF("floor_strategy", NULL, MILL_TEXT, "That of the cell in which it is looked up"),
  MILL_BRIEF("loss", "percent", MILL_REAL, "How much longer that takes; empty: not measured"),
};

const MillTable best_tables[N_TABLES] = {
  [TABLE_FINDINGS] = { .per = MILL_PER_RUN,
                       .brief_rows = 4,
                       .name = "allreduce-findings",
                       .help = "What the measurements decide",
                       .order = "position",
                       .columns = MILL_ROWS(finding_columns) },
  [TABLE_WINNERS] = { .per = MILL_PER_RUN,
                      .name = "allreduce-winners",
                      .help = "The fastest strategy at each shape that was measured",
                      .columns = MILL_ROWS(winner_columns) },
  [TABLE_GAINS] = { .per = MILL_PER_RUN,
                    .name = "allreduce-gains",
                    .help = "What the fastest gains over each strategy, as an interval",
                    .columns = MILL_ROWS(gain_columns) },
  [TABLE_TABLE] = { .per = MILL_PER_RUN,
                    .name = "allreduce-table",
                    .help = "Cells of the lookup table",
                    .order = "position",
                    .columns = MILL_ROWS(table_columns) },
  [TABLE_COVERAGE] = { .per = MILL_PER_RUN,
                       .brief_rows = 12,
                       .name = "allreduce-coverage",
                       .help = "What of the lookup table was measured",
                       .columns = MILL_ROWS(coverage_columns) },
  [TABLE_OFF_GRID] = { .per = MILL_PER_RUN,
                       .brief_rows = 8,
                       .name = "allreduce-off-grid",
                       .help = "Measured shapes between the cells: what the lookup costs there",
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
                         .help = "Cells of the lookup table that were measured and whose fastest "
                                 "strategy may be so by noise" },
  [METRIC_CHOICE] = { .per = MILL_PER_RUN,
                      .better = MILL_NEITHER,
                      .kind = MILL_INT,
                      .name = "allreduce_choice",
                      .help = "Number of the strategy that the consumer of the table finds for the "
                              "option shape" },
  [METRIC_LOOKUP] = { .per = MILL_PER_RUN,
                      .better = MILL_NEITHER,
                      .kind = MILL_JSON,
                      .name = "allreduce_lookup",
                      .help =
                          "The cell that the consumer of the table finds for the option shape" },
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
    .title = "How Much Longer the Second Best Strategy Takes",
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
