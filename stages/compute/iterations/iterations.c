/* How long an iteration takes, from kernels alone: the first word of kernel names that comes twice in a row is one
 * iteration, and each time that it comes again right behind the last one, the time between their starts is an
 * interval, but for those that hold a pause.  Memory: 12 bytes a kernel until the word is found, then 16 for each kernel of the word. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/dist.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/trace/stamps.h"
#include "kit/state/state.h"
#include "compute/lib/word.h"

enum { NOTICE_GIVEN_UP = 1, NOTICE_PAUSE = 2, NOTICE_BINNED = 3 };
enum { PAUSE_TIMES = 20 }; /* one gap is so many times as long as all else of its interval */
enum {
  FIRST_LOOK = 16
}; /* kernels after which a word is sought, then at twice as many, and so on */

typedef struct Options {
  int64_t max_kernels, exact_up_to;
} Options;

typedef struct Iterations {
  const MillStageHost *host;
  const MillHost *common;
  StampReader stamps;
  uint64_t max_kernels;
  bool gave_up;

  /* While the word is sought: all kernels.  Then names are the word, times a ring of the last length + 1. */
  MillSym *names;
  int64_t *times_ns;
  size_t n, names_capacity, times_capacity, next_look;

  size_t length;     /* of the word; 0: not found */
  uint32_t *borders; /* of the word */
  size_t n_seen, n_run,
      n_same;     /* since then; of them those that may be the word; its end that begins the word */
  bool restarted; /* the last word is not right behind the one before */
  int64_t last_ns; /* when it began */
  int64_t gap_ns;  /* the longest one inside of it */
  Hists hists;
  Dist intervals; /* on the run level: of all lanes */
} Iterations;

static int iterations_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level;
  Iterations *it = instance_new(Iterations, host, out_instance);
  if (!it) return -MILL_LIMIT;
  it->max_kernels = (uint64_t)((const Options *)options)->max_kernels;
  it->next_look = FIRST_LOOK;
  stamps_open(&it->stamps, host->common);
  hists_init(&it->hists, host->common, (uint64_t)((const Options *)options)->exact_up_to);
  return 0;
}

/* ---- once the word is known */

static int64_t between(int64_t from_ns, int64_t to_ns)
{
  int64_t ns;
  return __builtin_sub_overflow(to_ns, from_ns, &ns) ? INT64_MAX : ns;
}

/* False when memory was refused. */
static bool add_interval(Iterations *it, int64_t first_ns, int64_t gap_ns)
{
  int64_t ns = between(it->last_ns, first_ns);
  if (gap_ns / PAUSE_TIMES < ns - gap_ns) return dist_add(&it->intervals, &it->hists, ns);
  mill_note(it->common, NOTICE_PAUSE);
  return true;
}

/* The start of the word's kernel i, or of the one before the word for -1. */
static int64_t time_of(const Iterations *it, int64_t i)
{
  return it->times_ns[((int64_t)(it->n_seen - it->length) + i) % (int64_t)(it->length + 1)];
}

static int64_t longer(int64_t a_ns, int64_t b_ns) { return a_ns > b_ns ? a_ns : b_ns; }

/* False when memory was refused. */
static bool complete(Iterations *it)
{
  int64_t first_ns = time_of(it, 0), inside_ns = 0;
  bool fits = it->restarted ||
              add_interval(it, first_ns, longer(it->gap_ns, between(time_of(it, -1), first_ns)));
  for (int64_t i = 1; i < (int64_t)it->length; i++)
    inside_ns = longer(inside_ns, between(time_of(it, i - 1), time_of(it, i)));
  it->restarted = false;
  it->last_ns = first_ns;
  it->gap_ns = inside_ns;
  it->n_run = it->n_same = 0;
  return fits;
}

/* The run grows until it is the word, or one longer than that and is not: then its longest end that begins the word
 * goes on. */
static bool follow(Iterations *it, MillSym name, int64_t ts_ns)
{
  size_t same = it->n_same;
  it->times_ns[it->n_seen++ % (it->length + 1)] = ts_ns;
  it->n_run++;
  while (same > 0 && it->names[same] != name) same = it->borders[same];
  it->n_same = same + (it->names[same] == name);
  if (it->n_run > it->length) {
    it->n_run = it->n_same;
    it->restarted = true;
  }
  return it->n_run != it->length || it->n_same != it->length || complete(it);
}

/* ---- until then */

static void forget(Iterations *it)
{
  array_free(it->common, it->names);
  array_free(it->common, it->times_ns);
  it->names = NULL;
  it->times_ns = NULL;
}

/* From the kernel `first` to `last` of those that were kept. */
static int64_t longest_gap(const Iterations *it, size_t first, size_t last)
{
  int64_t gap_ns = 0;
  for (size_t i = first; i < last; i++)
    gap_ns = longer(gap_ns, between(it->times_ns[i], it->times_ns[i + 1]));
  return gap_ns;
}

/* The ring and the word lie before what is still to be followed: that is behind two words. */
static bool begin_to_follow(Iterations *it, const Word *word)
{
  size_t first = word->prefix, second = first + word->length, rest = second + word->length;
  int64_t second_ns = it->times_ns[second];
  it->length = word->length;
  it->last_ns = it->times_ns[first];
  if (!add_interval(it, second_ns, longest_gap(it, first, second))) return false;
  it->last_ns = second_ns;
  it->gap_ns = longest_gap(it, second, rest - 1);
  it->times_ns[it->n_seen++] = it->times_ns[rest - 1];
  memmove(it->names, it->names + first, word->length * sizeof *it->names);
  it->borders = word_borders(it->common, it->names, it->length);
  if (!it->borders) return false;
  for (size_t i = rest; i < it->n; i++)
    if (!follow(it, it->names[i], it->times_ns[i])) return false;
  it->names = it->common->resize(it->common, it->names, it->length * sizeof *it->names);
  it->times_ns =
      it->common->resize(it->common, it->times_ns, (it->length + 1) * sizeof *it->times_ns);
  return it->names && it->times_ns;
}

/* False when memory was refused. */
static bool look(Iterations *it)
{
  Word word;
  it->next_look = 2 * it->n;
  if (!word_find(it->common, it->names, it->n, &word)) return true;
  return begin_to_follow(it, &word);
}

static bool seek(Iterations *it, MillSym name, int64_t ts_ns)
{
  if (!array_reserve(it->common, &it->names, &it->names_capacity, it->n + 1, sizeof *it->names) ||
      !array_reserve(it->common, &it->times_ns, &it->times_capacity, it->n + 1,
                     sizeof *it->times_ns))
    return false;
  it->names[it->n] = name;
  it->times_ns[it->n++] = ts_ns;
  return it->n < it->next_look || look(it);
}

static bool take(Iterations *it, const MillEvent *e)
{
  if (it->length > 0) return follow(it, e->name, e->ts_ns);
  if (it->gave_up) return true;
  if (it->n < it->max_kernels) return seek(it, e->name, e->ts_ns);
  if (!look(it)) return false;
  if (it->length > 0) return take(it, e);
  forget(it);
  it->gave_up = true;
  mill_note(it->common, NOTICE_GIVEN_UP);
  return true;
}

/* ---- calls */

static int iterations_process(void *instance, MillBatch *b)
{
  Iterations *it = instance;
  Stamps stamps;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) continue;
    if (stamps_part(&it->stamps, e->name) != STAMP_EXEC) continue;
    if (stamps_read(&it->stamps, b, e, &stamps) && !take(it, e)) return -MILL_LIMIT;
  }
  return 0;
}

static int iterations_flush(void *instance, MillBatch *b)
{
  Iterations *it = instance;
  (void)b;
  if (it->length > 0 || it->gave_up || it->n < WORD_LEAST) return 0;
  return look(it) ? 0 : -MILL_LIMIT;
}

static const StateField iterations_fields[] = {
  STATE_HISTS(Iterations, hists),
  STATE_DIST(Iterations, intervals),
};
static const StateType iterations_state = STATE_TYPE(Iterations, iterations_fields);
STATE_RESULT(Iterations, iterations_state)

typedef struct IterationsRow {
  double mean_ns, p50_ns, p99_ns;
  int64_t intervals;
} IterationsRow;

static int iterations_report(void *instance)
{
  Iterations *it = instance;
  Dist *d = &it->intervals;
  if (d->moments.n == 0) return 0;
  const IterationsRow row = {
    .mean_ns = dist_mean(d),
    .p50_ns = dist_percentile(d, 50),
    .p99_ns = dist_percentile(d, 99),
    .intervals = (int64_t)d->moments.n,
  };
  return mill_row(it->host, 0, &row);
}

static int iterations_report_run(void *instance)
{
  Iterations *it = instance;
  const MillStageHost *host = it->host;
  Dist *d = &it->intervals;
  const Moments *m = &d->moments;
  hists_note(&it->hists, NOTICE_BINNED);
  if (!hists_settle(&it->hists)) return -MILL_LIMIT;
  if (m->n == 0)
    return host->no_metric(host, 0, NULL, "no sequence of kernels comes twice in a row");
  const struct {
    const char *stat;
    double value;
  } stats[] = { { "mean", dist_mean(d) },
                { "p50", dist_percentile(d, 50) },
                { "p99", dist_percentile(d, 99) },
                { "min", (double)m->min },
                { "max", (double)m->max } };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(stats) && status == 0; i++)
    status = host->metric(host, 0, stats[i].stat, mill_real(stats[i].value), m->n);
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, max_kernels, "max-kernels", "4000000", "16:4000000000", "kernels",
                  "Search the first two iterations in at most this many kernels; 12 bytes each"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
                  "Percentiles are exact up to this many intervals; 8 bytes each"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_PAUSE, "{count} interval[|s] between iterations hold[s|] a pause",
            "[it is|they are] not counted", NULL,
            "In such an interval, no kernel begins for 20 times as long as the rest of the "
            "interval takes: for example between two jobs, or while the device had no work."),
  HIST_NOTICE(NOTICE_BINNED),
  MILL_INFO(NOTICE_GIVEN_UP, "no sequence of kernels comes twice in a row at the start of {lane}",
            "the table iterations has no row for it",
            "cut off what comes before the iterations (limit), or raise max-kernels",
            "An iteration is the first sequence of kernel names that comes twice in a row. The "
            "search ends after max-kernels kernels, to limit memory: the trace has no iterations, "
            "they are longer than half of max-kernels, or too many other kernels come before the "
            "first one."),
};

static const MillRead reads[] = { STAMPS_READS };

static const MillColumn columns[] = {
  MILL_COLUMN(IterationsRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "From the start of an iteration to that of the next"),
  MILL_COLUMN(IterationsRow, p50_ns, "p50", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Median of this time"),
  MILL_COLUMN(IterationsRow, p99_ns, "p99", "ns", MILL_COLUMN_LOWER,
              "99th percentile of this time"),
  MILL_BRIEF(IterationsRow, intervals, "intervals", "count", "Number of iterations measured"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "iterations",
    .help = "Time of an iteration for each rank",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_REAL,
    .name = "iteration_time",
    .unit = "ns",
    .stats = "mean,p50,p99,min,max",
    .help = "Time from the start of an iteration to that of the next, without pauses, over all "
            "ranks",
    .headline = "p50,p99" },
};

static const char *const needs[] = { "clock.cycles", "slices", "order.lane", NULL };
static const char *const provides[] = { "table.iterations", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = iterations_open,
  .process = iterations_process,
  .flush = iterations_flush,
  .report = iterations_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = iterations_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "iterations",
  .family = "compute",
  .version = "1.0.0",
  .tag = "ITER",
  .title = "Find iterations by the sequence of kernels, and their time",
  .help =
      "The first sequence of kernel names that comes twice in a row is one iteration. Each time "
      "the sequence follows itself directly, the time between the two starts counts. An iteration "
      "with any difference is skipped.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
