/* Times and bandwidths of collectives by size, from logs of nccl-tests and rccl-tests. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"
#include "kit/text/symbol.h"
#include "kit/trace/attr-value.h"

enum { TABLE_ROWS, TABLE_RUNS };
enum { METRIC_BUSBW };
enum { COLLECTIVE, TYPE, REDOP, ALGORITHM, PROTOCOL, N_NAMES };
enum { BYTES, COUNT, IN_PLACE, WRONG, RANKS, COMPLETE, N_INTS };
enum { TIME, ALGBW, BUSBW, N_REALS };

typedef struct Run {      /* of one program; several may be in a log */
  MillSym names[N_NAMES]; /* of its first row */
  uint64_t n_rows, n_busbw;
  double avg_busbw, busbw_sum;                   /* NaN: not said; of n_busbw rows */
  int64_t ranks, complete, out_of_bounds, wrong; /* -1: not said */
} Run;

typedef struct Size { /* of a collective, out of place or in place */
  MillSym names[N_NAMES];
  int64_t run;                           /* from 1 */
  int64_t bytes, count, in_place, wrong; /* wrong -1: never checked */
  double sums[N_REALS], min, max;        /* of n; min and max in us */
  uint64_t n, counts[N_REALS];
} Size;

typedef struct SizeKey { /* without padding */
  int64_t run, bytes, in_place, collective, type;
} SizeKey;

typedef struct Coll {
  const MillStageHost *host;
  const MillHost *common;
  MillSym row, run, names[N_NAMES], ints[N_INTS], reals[N_REALS];
  Keyed *sizes; /* of Size, by SizeKey */
  Size **all;   /* the same in the order of their first rows */
  size_t n, capacity;
  Run *runs; /* those that have ended, then the one that goes on */
  size_t n_runs, runs_capacity;
  bool has_types;
} Coll;

static bool begin_run(Coll *x)
{
  if (!array_reserve(x->common, &x->runs, &x->runs_capacity, x->n_runs + 1, sizeof(Run)))
    return false;
  x->runs[x->n_runs] = (Run){
    .avg_busbw = (double)NAN, .ranks = -1, .complete = -1, .out_of_bounds = -1, .wrong = -1
  };
  return true;
}

static int coll_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  static const char *const names[N_NAMES] = { "collective", "type", "redop", "algorithm",
                                              "protocol" };
  static const char *const ints[N_INTS] = { "bytes", "count", "in_place",
                                            "wrong", "ranks", "complete" };
  static const char *const reals[N_REALS] = { "time_us", "algbw", "busbw" };
  (void)self, (void)level, (void)options;
  Coll *x = instance_new(Coll, host, out_instance);
  if (!x) return -MILL_LIMIT;
  x->row = symbol_of(x->common, "coll.row");
  x->run = symbol_of(x->common, "coll.run");
  for (uint32_t i = 0; i < N_NAMES; i++) x->names[i] = symbol_of(x->common, names[i]);
  for (uint32_t i = 0; i < N_INTS; i++) x->ints[i] = symbol_of(x->common, ints[i]);
  for (uint32_t i = 0; i < N_REALS; i++) x->reals[i] = symbol_of(x->common, reals[i]);
  x->sizes = keyed_new(x->common, sizeof(Size));
  return x->sizes && begin_run(x) ? 0 : -MILL_LIMIT;
}

/* -------------------------------------------------------------------- rows */

static MillSym name_of(const Coll *x, const MillBatch *b, const MillEvent *e, uint32_t which)
{
  return attr_sym(x->common, b, mill_attr(b, e, x->names[which]));
}

static int64_t int_of(const Coll *x, const MillBatch *b, const MillEvent *e, uint32_t which)
{
  int64_t v = -1;
  mill_attr_int(b, e, x->ints[which], &v);
  return v;
}

static double real_of(const Coll *x, const MillBatch *b, const MillEvent *e, uint32_t which)
{
  return attr_real(mill_attr(b, e, x->reals[which]));
}

static Size *size_of(Coll *x, const Size *like)
{
  const SizeKey key = { like->run, like->bytes, like->in_place, like->names[COLLECTIVE],
                        like->names[TYPE] };
  Size *s = keyed_get(x->sizes, (const char *)&key, sizeof key);
  if (!s || s->n) return s;
  if (!array_reserve(x->common, &x->all, &x->capacity, x->n + 1, sizeof(Size *))) return NULL;
  *s = *like;
  return x->all[x->n++] = s;
}

static int add_row(Coll *x, const MillBatch *b, const MillEvent *e)
{
  Run *run = &x->runs[x->n_runs];
  Size like = { .run = (int64_t)x->n_runs + 1,
                .bytes = int_of(x, b, e, BYTES),
                .count = int_of(x, b, e, COUNT),
                .in_place = int_of(x, b, e, IN_PLACE) > 0,
                .wrong = -1 };
  double time = real_of(x, b, e, TIME);
  int64_t wrong = int_of(x, b, e, WRONG);
  for (uint32_t i = 0; i < N_NAMES; i++) like.names[i] = name_of(x, b, e, i);
  if (like.bytes < 0 || !(time > 0)) return 0;
  Size *s = size_of(x, &like);
  if (!s) return -MILL_LIMIT;
  for (uint32_t i = 0; i < N_REALS; i++) {
    double v = real_of(x, b, e, i);
    if (!isfinite(v)) continue;
    s->sums[i] += v;
    s->counts[i]++;
    if (i != BUSBW) continue;
    run->busbw_sum += v;
    run->n_busbw++;
  }
  if (s->n == 0 || time < s->min) s->min = time;
  if (time > s->max) s->max = time;
  if (wrong >= 0) s->wrong = (s->wrong < 0 ? 0 : s->wrong) + wrong;
  if (wrong >= 0) run->wrong = (run->wrong < 0 ? 0 : run->wrong) + wrong;
  if (run->n_rows++ == 0) memcpy(run->names, like.names, sizeof run->names);
  s->n++;
  return 0;
}

static bool take_run(Coll *x, const MillBatch *b, const MillEvent *e)
{
  Run *run = &x->runs[x->n_runs++];
  run->ranks = int_of(x, b, e, RANKS);
  run->complete = int_of(x, b, e, COMPLETE);
  run->out_of_bounds = int_of(x, b, e, WRONG);
  run->avg_busbw = real_of(x, b, e, BUSBW);
  return begin_run(x);
}

static int coll_process(void *instance, MillBatch *b)
{
  Coll *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_RECORD) continue;
    if (e->name == x->row) status = add_row(x, b, e);
    if (e->name == x->run && !take_run(x, b, e)) status = -MILL_LIMIT;
  }
  return status;
}

/* ------------------------------------------------------------------ report */

static int64_t known(int64_t v) { return v < 0 ? MILL_NO_INT : v; }
static MillSym name(MillSym sym) { return sym ? sym : 0; }
static double mean(const Size *s, uint32_t which)
{
  return s->sums[which] / (double)s->counts[which];
}

static int compare_sizes(const void *a, const void *b, void *common_)
{
  const Size *x = *(Size *const *)a, *y = *(Size *const *)b;
  const MillHost *common = common_;
  size_t len;
  if (x->run != y->run) return x->run < y->run ? -1 : 1;
  int order = x->names[COLLECTIVE] == y->names[COLLECTIVE]
                  ? 0
                  : strcmp(common->symbol_text(common, x->names[COLLECTIVE], &len),
                           common->symbol_text(common, y->names[COLLECTIVE], &len));
  if (order) return order;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  if (x->names[TYPE] != y->names[TYPE]) return x->names[TYPE] < y->names[TYPE] ? -1 : 1;
  return x->in_place < y->in_place ? 1 : x->in_place > y->in_place ? -1 : 0; /* "in" before "out" */
}

static bool has_types(const Coll *x)
{
  for (size_t i = 1; i < x->n; i++)
    if (x->all[i]->names[TYPE] != x->all[0]->names[TYPE]) return true;
  return false;
}

/* Runs and types, where there are several, are lines of their own. */
static int name_line(const Coll *x, const Size *s, char *out, size_t size)
{
  bool has_runs = x->all[x->n - 1]->run != x->all[0]->run;
  char run[32] = "", type[48] = "";
  size_t len;
  if (has_runs) snprintf(run, sizeof run, ", run %" PRId64, s->run);
  if (x->has_types && s->names[TYPE])
    snprintf(type, sizeof type, ", %.40s", x->common->symbol_text(x->common, s->names[TYPE], &len));
  return snprintf(out, size, "%s%s%s", s->in_place ? "in" : "out", run, type);
}

typedef struct RowRow {
  int64_t run;
  MillSym collective;
  int64_t bytes;
  MillText place;
  MillSym type;
  int64_t count;
  MillSym redop;
  double time_us, algbw, busbw;
  int64_t wrong, runs;
  double spread;
  MillText line;
} RowRow;

static int size_row(const Coll *x, const Size *s)
{
  char line[96];
  int len = name_line(x, s, line, sizeof line);
  const RowRow row = {
    .run = s->run,
    .collective = name(s->names[COLLECTIVE]),
    .bytes = s->bytes,
    .place = s->in_place ? (MillText){ "in", 2 } : (MillText){ "out", 3 },
    .type = name(s->names[TYPE]),
    .count = known(s->count),
    .redop = name(s->names[REDOP]),
    .time_us = mean(s, TIME),
    .algbw = mean(s, ALGBW),
    .busbw = mean(s, BUSBW),
    .wrong = known(s->wrong),
    .runs = (int64_t)s->n,
    .spread = (s->max - s->min) / s->min * 100,
    .line = { line, (size_t)len },
  };
  return mill_row(x->host, TABLE_ROWS, &row);
}

static int size_rows(Coll *x)
{
  int status = 0;
  x->has_types = has_types(x);
  if (x->n) qsort_r(x->all, x->n, sizeof(Size *), compare_sizes, (void *)x->common);
  for (size_t i = 0; i < x->n && status == 0; i++) status = size_row(x, x->all[i]);
  return status;
}

/* The average that the log gives; else of its rows, as the program takes it. */
static double average(const Run *run)
{
  return isfinite(run->avg_busbw) ? run->avg_busbw : run->busbw_sum / (double)run->n_busbw;
}

typedef struct RunRow {
  int64_t run;
  MillSym collective, nccl_algo, nccl_proto;
  int64_t ranks, rows;
  double avg_busbw;
  int64_t wrong;
  int8_t complete;
} RunRow;

static int run_row(const Coll *x, const Run *run, size_t index)
{
  const RunRow row = {
    .run = (int64_t)index + 1,
    .collective = name(run->names[COLLECTIVE]),
    .nccl_algo = name(run->names[ALGORITHM]),
    .nccl_proto = name(run->names[PROTOCOL]),
    .ranks = known(run->ranks),
    .rows = (int64_t)run->n_rows,
    .avg_busbw = average(run),
    .wrong = known(run->out_of_bounds > run->wrong ? run->out_of_bounds : run->wrong),
    .complete = run->complete < 0 ? -1 : run->complete > 0,
  };
  return mill_row(x->host, TABLE_RUNS, &row);
}

static int coll_report(void *instance)
{
  Coll *x = instance;
  size_t n = x->n_runs + (x->runs[x->n_runs].n_rows > 0 || x->n_runs == 0);
  int status = size_rows(x);
  for (size_t i = 0; i < n && status == 0; i++) status = run_row(x, &x->runs[i], i);
  if (status < 0) return status;
  if (n > 1) return x->host->no_metric(x->host, METRIC_BUSBW, NULL, "the log has several runs");
  double busbw = average(x->runs);
  if (isfinite(busbw))
    return x->host->metric(x->host, METRIC_BUSBW, NULL, mill_real(busbw), x->runs->n_rows);
  return x->host->no_metric(x->host, METRIC_BUSBW, NULL, "there are no bandwidths");
}

/* ---------------------------------------------------------- the descriptor */

static const MillRead reads[] = {
  RECORD_TEXT("collective"), RECORD_TEXT("algorithm"), RECORD_TEXT("protocol"),
  RECORD_TEXT("type"),       RECORD_TEXT("redop"),     RECORD_INT("bytes"),
  RECORD_INT("count"),       RECORD_INT("ranks"),      RECORD_INT("in_place"),
  RECORD_INT("wrong"),       RECORD_INT("complete"),   RECORD_REAL("time_us"),
  RECORD_REAL("algbw"),      RECORD_REAL("busbw"),
};

static const MillColumn row_columns[] = {
  MILL_KEY(RowRow, run, "run", NULL, "Number of the run in the log, from 1"),
  MILL_KEY_BRIEF(RowRow, collective, "collective", NULL, "allreduce, allgather, ..."),
  MILL_KEY_BRIEF(RowRow, bytes, "bytes", "bytes", "Size of the message"),
  MILL_KEY_BRIEF(RowRow, place, "place", NULL,
                 "out: the result is in another buffer; in: in the same buffer"),
  MILL_KEY(RowRow, type, "type", NULL, "Type of the elements"),
  MILL_COLUMN(RowRow, count, "count", "count", 0, "Number of elements"),
  MILL_COLUMN(RowRow, redop, "redop", NULL, 0, "Operation of the reduction"),
  MILL_BRIEF(RowRow, time_us, "time", "us", "Mean time of the rows of that size"),
  MILL_COLUMN(RowRow, algbw, "algbw", "GB/s", 0, "bytes / time"),
  MILL_BRIEF(RowRow, busbw, "busbw", "GB/s", "Bandwidth of a link (bus bandwidth)"),
  MILL_COLUMN(RowRow, wrong, "wrong", "count", 0, "Number of wrong values; empty: not checked"),
  MILL_COLUMN(RowRow, runs, "runs", "count", 0, "Number of rows of that size"),
  MILL_COLUMN(RowRow, spread, "spread", "percent", 0,
              "How much longer the longest time is than the shortest"),
  MILL_COLUMN(
      RowRow, line, "line", NULL, 0,
      "Name of the line in the figure: the place, and the run or type if there are several"),
};

static const MillColumn run_columns[] = {
  MILL_KEY_BRIEF(RunRow, run, "run", NULL, "Number of the run in the log, from 1"),
  MILL_BRIEF(RunRow, collective, "collective", NULL, "Collective of the first row"),
  MILL_COLUMN(RunRow, nccl_algo, "nccl_algo", NULL, 0, "NCCL_ALGO, if the log has it"),
  MILL_COLUMN(RunRow, nccl_proto, "nccl_proto", NULL, 0, "NCCL_PROTO, if the log has it"),
  MILL_BRIEF(RunRow, ranks, "ranks", "count", "Number of ranks"),
  MILL_BRIEF(RunRow, rows, "rows", "count", "Number of times"),
  MILL_BRIEF(RunRow, avg_busbw, "avg_busbw", "GB/s",
             "Average bus bandwidth in the log, else the mean of its rows"),
  MILL_BRIEF(RunRow, wrong, "wrong", "count", "Number of wrong values; empty: not checked"),
  MILL_BRIEF(RunRow, complete, "complete", NULL, "Whether the log is complete"),
};

static const MillTable tables[] = {
  [TABLE_ROWS] = { .per = MILL_PER_LANE,
                   .brief_rows = 12,
                   .name = "coll-rows",
                   .help = "Times and bandwidths by size",
                   .columns = MILL_ROWS(row_columns) },
  [TABLE_RUNS] = { .per = MILL_PER_LANE,
                   .brief_rows = 24,
                   .name = "coll-runs",
                   .help = "Summary of each run",
                   .columns = MILL_ROWS(run_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_BUSBW] = { .per = MILL_PER_LANE,
                     .better = MILL_HIGHER,
                     .kind = MILL_REAL,
                     .name = "avg_busbw",
                     .unit = "GB/s",
                     .help = "Average bus bandwidth of a log",
                     .headline = MILL_HEADLINE_VALUE },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_LINE,
    .name = "coll-busbw",
    .title = "Bus Bandwidth by Size of the Message",
    .table = "coll-rows",
    .x = "bytes",
    .y = "busbw",
    .series = "line",
    .facet = "collective",
    .x_scale = "log2" },
};

static const char *const needs[] = { "input.coll-bench", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = coll_open,
  .process = coll_process,
  .report = coll_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "coll-bench",
  .family = "tune",
  .version = "1.0.0",
  .tag = "COLLB",
  .title = "Times and bandwidths of collectives by size",
  .help = "Shows the results of nccl-tests and rccl-tests, for each log.",
  .needs = needs,
  OWN_ROWS(reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
