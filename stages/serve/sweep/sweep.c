/* Curves of a sweep over the limits of a serving engine: latency and throughput against
 * max_num_seqs and against max_num_batched_tokens, the other one fixed, a line for each
 * implementation.  The value of a folder of runs is the mean over its runs, that of a point the
 * mean over its folders.  Memory: about 150 bytes per run. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "base/num-digits.h"
#include "serve/lib/bench.h"
#include "serve/lib/card.h"
#include "sweep-runs.h"

enum { NOTICE_EPLB = 1, NOTICE_NO_AXES = 2, NOTICE_FIXED = 3, NOTICE_NOTHING_DONE = 4 };
enum { TABLE_SWEEP, TABLE_CURVES };

static const char *const axis_names[SWEEP_AXES] = { "max_num_seqs", "max_num_batched_tokens" };
static const struct {
  const char *name, *unit;
} metric_names[SWEEP_METRICS] = {
  { "ttft", "ms" },
  { "tpot", "ms" },
  { "request_throughput", "req/s" },
  { "output_throughput", "tok/s" },
};

typedef struct Options {
  int64_t fixed_tokens, fixed_seqs;
} Options;

typedef struct Sweep {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  BenchKeys keys;
  __int128 ttft_sum_ns; /* over requests */
  double tpot_sum_ns;
  int64_t n_ttft, n_tpot;
  bool has_run;
  SweepRun run; /* of the lane, its values only */
  bool nothing_done;
  SweepRuns runs;
} Sweep;

static int sweep_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Sweep *s = instance_new(Sweep, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->runs.common = host->common;
  s->options = *(const Options *)options;
  bench_keys(&s->keys, s->common);
  return 0;
}

/* ---- one run */

static void take_request(Sweep *s, const BenchRequest *request)
{
  double tpot_ns;
  if (!request->ok) return;
  if (request->ttft_ns != BENCH_NONE) {
    s->ttft_sum_ns += request->ttft_ns;
    s->n_ttft++;
  }
  if (!bench_tpot_ns(request, &tpot_ns)) return;
  s->tpot_sum_ns += tpot_ns;
  s->n_tpot++;
}

static double rate_of(int64_t n, int64_t duration_ns)
{
  if (n == BENCH_NONE || duration_ns == BENCH_NONE || duration_ns <= 0) return (double)NAN;
  return (double)n / ((double)duration_ns / 1e9);
}

static double first_known(double reported, double computed)
{
  return isfinite(reported) ? reported : computed;
}

/* The run's record is its last: all requests have been seen. */
static void take_run(Sweep *s, const MillBatch *b, const MillEvent *e, const BenchRun *run)
{
  double ttft_ns = s->n_ttft ? (double)s->ttft_sum_ns / (double)s->n_ttft : (double)NAN;
  double tpot_ns = s->n_tpot ? s->tpot_sum_ns / (double)s->n_tpot : (double)NAN;
  double *values = s->run.values;
  s->has_run = true;
  s->nothing_done = run->completed == 0;
  values[SWEEP_TTFT] = first_known(bench_stat_ms(&s->keys, b, e, "ttft.mean"), ttft_ns / 1e6);
  values[SWEEP_TPOT] = first_known(bench_stat_ms(&s->keys, b, e, "tpot.mean"), tpot_ns / 1e6);
  values[SWEEP_REQUESTS] =
      first_known(run->request_throughput, rate_of(run->completed, run->duration_ns));
  values[SWEEP_OUTPUT] =
      first_known(run->output_throughput, rate_of(run->output_tokens, run->duration_ns));
}

static int sweep_process(void *instance, MillBatch *b)
{
  Sweep *s = instance;
  BenchRequest request;
  BenchRun run;
  for (uint32_t i = 0; i < b->n_events; i++) {
    BenchKind kind = bench_read(&s->keys, b, &b->events[i], &request, &run);
    if (kind == BENCH_REQUEST) take_request(s, &request);
    if (kind == BENCH_RUN) take_run(s, b, &b->events[i], &run);
  }
  return 0;
}

/* ---- which runs take part */

static bool has_word(const char *text, const char *word)
{
  size_t len = strlen(word);
  for (; *text; text++) {
    size_t i = 0;
    while (i < len && (text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]) == word[i]) i++;
    if (i == len) return true;
  }
  return false;
}

/* EPLB is known by a tag, which comes from the folder's name, or by the label. */
static bool is_about_eplb(const Sweep *s, const MillLane *lane)
{
  const char *tag = s->common->tag(s->common, MILL_NO_LANE, "eplb");
  return (tag && *tag) || card_same_word(lane->label, "on") || card_same_word(lane->label, "off") ||
         has_word(lane->label, "eplb");
}

static bool read_axes(const Sweep *s, SweepRun *run)
{
  for (uint32_t axis = 0; axis < SWEEP_AXES; axis++) {
    const char *text = s->common->tag(s->common, MILL_NO_LANE, axis_names[axis]);
    if (!text || !digits_read(text, strlen(text), &run->setting[axis])) return false;
  }
  return true;
}

static const char *tag_or(const Sweep *s, const char *name, const char *otherwise)
{
  const char *tag = s->common->tag(s->common, MILL_NO_LANE, name);
  return tag && *tag ? tag : otherwise;
}

static void leave_out(const Sweep *s, uint32_t number)
{
  s->common->note(s->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static int sweep_flush(void *instance, MillBatch *b)
{
  Sweep *s = instance;
  MillLane lane = { .size = sizeof lane };
  SweepRun run = s->run;
  (void)b;
  if (!s->has_run) return 0;
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  if (is_about_eplb(s, &lane)) return leave_out(s, NOTICE_EPLB), 0;
  if (!read_axes(s, &run)) return leave_out(s, NOTICE_NO_AXES), 0;
  if (s->nothing_done) return leave_out(s, NOTICE_NOTHING_DONE), 0;
  const char *line = *lane.label ? lane.label : tag_or(s, "implementation", "unnamed");
  run.folder = tag_or(s, "run", tag_or(s, "input", lane.name));
  run.implementation = line;
  return sweep_add(&s->runs, &run) ? 0 : -MILL_LIMIT;
}

/* ---- saved state */

static const StateField sweep_fields[] = { STATE_PART(Sweep, runs, sweep_runs_state) };
static const StateType sweep_state = STATE_TYPE(Sweep, sweep_fields);
STATE_RESULT(Sweep, sweep_state)

/* ---- results */

typedef struct Axis {
  uint32_t axis;
  char fixed[48]; /* "max_num_seqs = 32" */
  SweepPoint *points;
  uint32_t n;
} Axis;

static void name_fixed(Axis *a, uint32_t other, int64_t value)
{
  size_t len = strlen(axis_names[other]);
  memcpy(a->fixed, axis_names[other], len);
  memcpy(a->fixed + len, " = ", 3);
  len += 3;
  len += digits_write(a->fixed + len, value);
  a->fixed[len] = '\0';
}

typedef struct SweepRow {
  const char *axis, *metric;
  int64_t series;
  const char *implementation;
  int64_t x;
  double value;
  const char *unit;
  int64_t n;
  const char *fixed;
} SweepRow;

static int metric_rows(const Sweep *s, const Axis *a, uint32_t metric)
{
  int status = 0;
  for (uint32_t i = 0; i < a->n && status == 0; i++) {
    const SweepPoint *p = &a->points[i];
    const SweepRow row = {
      .axis = axis_names[a->axis],
      .metric = metric_names[metric].name,
      .series = p->series,
      .implementation = p->implementation,
      .x = p->x,
      .value = p->values[metric],
      .unit = metric_names[metric].unit,
      .n = p->n[metric],
      .fixed = a->fixed,
    };
    if (p->n[metric]) status = mill_row(s->host, TABLE_SWEEP, &row);
  }
  return status;
}

typedef struct CurveRow {
  const char *axis;
  int64_t series;
  const char *implementation;
  int64_t x;
  double ttft_ms, tpot_ms, request_throughput, output_throughput;
  int64_t n;
  const char *fixed;
} CurveRow;

static int curve_rows(const Sweep *s, const Axis *a)
{
  int status = 0;
  for (uint32_t i = 0; i < a->n && status == 0; i++) {
    const SweepPoint *p = &a->points[i];
    const CurveRow row = {
      .axis = axis_names[a->axis],
      .series = p->series,
      .implementation = p->implementation,
      .x = p->x,
      .ttft_ms = p->values[SWEEP_TTFT],
      .tpot_ms = p->values[SWEEP_TPOT],
      .request_throughput = p->values[SWEEP_REQUESTS],
      .output_throughput = p->values[SWEEP_OUTPUT],
      .n = p->folders,
      .fixed = a->fixed,
    };
    status = mill_row(s->host, TABLE_CURVES, &row);
  }
  return status;
}

static void note_fixed(const Sweep *s, uint32_t setting, int64_t wanted, int64_t taken)
{
  const MillNamed named[] = { { "setting",
                                mill_text(axis_names[setting], strlen(axis_names[setting])) },
                              { "wanted", mill_int(wanted) },
                              { "taken", mill_int(taken) } };
  s->common->note(s->common, NOTICE_FIXED, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static int report_axis(const Sweep *s, uint32_t axis, SweepPoint *points)
{
  uint32_t other = axis == SWEEP_SEQS ? SWEEP_TOKENS : SWEEP_SEQS;
  int64_t wanted = axis == SWEEP_SEQS ? s->options.fixed_tokens : s->options.fixed_seqs;
  int64_t fixed = sweep_fixed(&s->runs, other, wanted);
  Axis a = { .axis = axis, .points = points };
  if (fixed != wanted) note_fixed(s, other, wanted, fixed);
  name_fixed(&a, other, fixed);
  a.n = sweep_points(&s->runs, axis, fixed, points);
  int status = curve_rows(s, &a);
  for (uint32_t m = 0; m < SWEEP_METRICS && status == 0; m++) status = metric_rows(s, &a, m);
  return status;
}

static int sweep_report_run(void *instance)
{
  Sweep *s = instance;
  SweepPoint *points = s->common->scratch(s->common, (s->runs.n + 1) * sizeof *points);
  int status = 0;
  if (!points) return -MILL_LIMIT;
  sweep_average(&s->runs);
  for (uint32_t axis = 0; axis < SWEEP_AXES && status == 0; axis++)
    status = report_axis(s, axis, points);
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, fixed_tokens, "fixed-tokens", "8192", "0:", "tokens",
                  "max_num_batched_tokens of the curves over max_num_seqs"),
  MILL_INT_OPTION(Options, fixed_seqs, "fixed-seqs", "32", "0:", "count",
                  "max_num_seqs of the curves over max_num_batched_tokens"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_EPLB,
            "{count} run[|s] of a comparison without and with EPLB [is|are] not in the sweep", NULL,
            "compare them by their kernel tables, with the profile eplb",
            "Runs whose folder name or label has _eplbon or _eplboff compare one implementation "
            "with itself. They do not belong on a line with other runs."),
  MILL_WARNING(
      NOTICE_NO_AXES, "{count} run[|s] [has|have] no max_num_seqs or max_num_batched_tokens",
      "[it is|they are] not in the sweep",
      "give both as tags: max_num_seqs=32,max_num_batched_tokens=8192:PATH",
      "A point of the sweep needs both limits of the engine, as whole numbers.  They come from the "
      "command line, the workload card, or a folder name that ends in [..._SEQS_TOKENS]."),
  MILL_INFO(NOTICE_FIXED,
            "no run has {setting} = {wanted}; its most common value {taken} is fixed instead",
            "curves over the other setting use runs with that value",
            "choose another value with the options fixed-tokens and fixed-seqs",
            "A curve over one limit of the engine uses runs that share the other limit. If no run "
            "has the chosen value, the stage uses the value of most run folders; if several are "
            "equally common, the smallest."),
  MILL_WARNING(
      NOTICE_NOTHING_DONE, "{count} run[|s] completed no request",
      "[it is|they are] not in the sweep", NULL,
      "If no request completed, the values that a benchmark reports are not measurements, even if "
      "it writes 0."),
};

static const MillRead reads[] = {
  RECORD_INT("ok"),
  RECORD_INT("ttft_ns"),
  RECORD_INT("tpot_ns"),
  RECORD_INT("e2e_ns"),
  RECORD_INT("output_tokens"),
  RECORD_INT("completed"),
  RECORD_INT("duration_ns"),
  RECORD_REAL("request_throughput"),
  RECORD_REAL("output_throughput"),
  RECORD_TEXT("stat_name"),
  RECORD_REAL("stat_value"),
};

static const MillColumn sweep_columns[] = {
  MILL_KEY(SweepRow, axis, "axis", NULL, "The setting on the axis x"),
  MILL_KEY(SweepRow, metric, "metric", NULL, "Name of the metric"),
  MILL_COLUMN(SweepRow, series, "series", NULL, 0, "Order of the curves"),
  MILL_KEY(SweepRow, implementation, "implementation", NULL, "Name of the curve"),
  MILL_KEY(SweepRow, x, "x", NULL, "Value of the setting on the axis x"),
  MILL_COLUMN(SweepRow, value, "value", NULL, 0, "Mean over folders of the means over their runs"),
  MILL_COLUMN(SweepRow, unit, "unit", NULL, 0, "Unit of the value"),
  MILL_COLUMN(SweepRow, n, "n", NULL, 0, "Number of folders of runs"),
  MILL_COLUMN(SweepRow, fixed, "fixed", NULL, 0, "Value of the other setting"),
};

static const MillColumn curve_columns[] = {
  MILL_KEY_BRIEF(CurveRow, axis, "axis", NULL, "The setting on the axis x"),
  MILL_COLUMN(CurveRow, series, "series", NULL, 0, "Order of the curves"),
  MILL_KEY_BRIEF(CurveRow, implementation, "implementation", NULL, "Name of the curve"),
  MILL_KEY_BRIEF(CurveRow, x, "x", NULL, "Value of the setting on the axis x"),
  MILL_COLUMN(CurveRow, ttft_ms, "ttft", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean time to the first token"),
  MILL_COLUMN(CurveRow, tpot_ms, "tpot", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean time per output token after the first"),
  MILL_COLUMN(CurveRow, request_throughput, "request_throughput", "req/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Completed requests per second"),
  MILL_COLUMN(CurveRow, output_throughput, "output_throughput", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Output tokens per second"),
  MILL_COLUMN(CurveRow, n, "n", NULL, 0, "Number of folders of runs"),
  MILL_BRIEF(CurveRow, fixed, "fixed", NULL, "Value of the other setting"),
};

static const MillTable tables[] = {
  [TABLE_SWEEP] = { .per = MILL_PER_RUN,
                    .name = "sweep",
                    .help = "Latency and throughput over the limits of the engine, a row for each "
                            "value",
                    .order = "-axis,-metric,series,x",
                    .columns = MILL_ROWS(sweep_columns) },
  [TABLE_CURVES] = { .per = MILL_PER_RUN,
                     .brief_rows = 40,
                     .name = "sweep-curves",
                     .help = "Latency and throughput over the limits of the engine, a row for each "
                             "point",
                     .order = "-axis,series,x",
                     .columns = MILL_ROWS(curve_columns) },
};

#define CURVE(name_, title_, y_)                                                                 \
  {                                                                                              \
    .kind = MILL_FIGURE_LINE, .name = name_, .title = title_, .table = "sweep-curves", .x = "x", \
    .y = y_, .series = "implementation", .facet = "axis", .note = "fixed", .x_label = "$facet",  \
    .x_scale = "log2", .flags = MILL_FIGURE_OWN_AXES                                             \
  }
static const MillFigure figures[] = {
  CURVE("sweep-ttft", "Mean TTFT", "ttft"),
  CURVE("sweep-tpot", "Mean TPOT", "tpot"),
  CURVE("sweep-request-throughput", "Request throughput", "request_throughput"),
  CURVE("sweep-output-throughput", "Output throughput", "output_throughput"),
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.sweep", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = sweep_open,
  .process = sweep_process,
  .flush = sweep_flush,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = sweep_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "sweep",
  .family = "serve",
  .version = "1.0.0",
  .tag = "SWEEP",
  .title = "Latency and throughput over the limits of a serving engine",
  .help = "Makes curves of TTFT, TPOT and throughput over max_num_seqs and over "
          "max_num_batched_tokens, the other one fixed, with a line for each implementation.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
