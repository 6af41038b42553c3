/* How long an iteration takes, from kernels alone: the first word of kernel names that comes twice in a row is one
 * iteration, and each time that it comes again right behind the last one, the time between their starts is an
 * interval.  Memory: 12 bytes a kernel until the word is found, then 16 for each kernel of the word. */
#include <stagemill/stage.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/moments.h"
#include "lib/stamps.h"
#include "word.h"

enum { NOTICE_GIVEN_UP = 1 };
enum {
  FIRST_LOOK = 16
}; /* kernels after which a word is sought, then at twice as many, and so on */

typedef struct Options {
  int64_t max_kernels;
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
  uint32_t *borders; /* of the word's first i names: the longest that both begins and ends them */
  size_t n_seen, n_run,
      n_same;     /* since then; of them those that may be the word; its end that begins the word */
  bool restarted; /* the last word is not right behind the one before */
  int64_t last_ns;   /* when it began */
  Moments intervals; /* on the run level: of all lanes */
} Iterations;

static int iterations_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level;
  Iterations *it = mill_new(host->common, sizeof *it);
  if (!it) return -MILL_LIMIT;
  it->host = host;
  it->common = host->common;
  it->max_kernels = (uint64_t)((const Options *)options)->max_kernels;
  it->next_look = FIRST_LOOK;
  stamps_open(&it->stamps, host->common);
  *out_instance = it;
  return 0;
}

/* ---- once the word is known */

static int64_t between(int64_t from_ns, int64_t to_ns)
{
  int64_t ns;
  return __builtin_sub_overflow(to_ns, from_ns, &ns) ? INT64_MAX : ns;
}

static void complete(Iterations *it)
{
  int64_t first_ns = it->times_ns[(it->n_seen - it->length) % (it->length + 1)];
  if (!it->restarted) moments_add(&it->intervals, between(it->last_ns, first_ns));
  it->restarted = false;
  it->last_ns = first_ns;
  it->n_run = it->n_same = 0;
}

/* The run grows until it is the word, or one longer than that and is not: then its longest end that begins the word
 * goes on. */
static void follow(Iterations *it, MillSym name, int64_t ts_ns)
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
  if (it->n_run == it->length && it->n_same == it->length) complete(it);
}

static bool find_borders(Iterations *it)
{
  it->borders = mill_new(it->common, (it->length + 1) * sizeof *it->borders);
  if (!it->borders) return false;
  for (size_t i = 1, same = 0; i < it->length; i++) {
    while (same > 0 && it->names[i] != it->names[same]) same = it->borders[same];
    same += it->names[i] == it->names[same];
    it->borders[i + 1] = (uint32_t)same;
  }
  return true;
}

/* ---- until then */

static void forget(Iterations *it)
{
  array_free(it->common, it->names);
  array_free(it->common, it->times_ns);
  it->names = NULL;
  it->times_ns = NULL;
}

/* The ring and the word lie before what is still to be followed: that is behind two words. */
static bool begin_to_follow(Iterations *it, const Word *word)
{
  size_t first = word->prefix, second = first + word->length, rest = second + word->length;
  it->length = word->length;
  it->last_ns = it->times_ns[second];
  moments_add(&it->intervals, between(it->times_ns[first], it->last_ns));
  memmove(it->names, it->names + first, word->length * sizeof *it->names);
  if (!find_borders(it)) return false;
  for (size_t i = rest; i < it->n; i++) follow(it, it->names[i], it->times_ns[i]);
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
  if (it->length > 0) {
    follow(it, e->name, e->ts_ns);
    return true;
  }
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

static int out_of_memory(const Iterations *it)
{
  return mill_fail(it->common, MILL_LIMIT, "the sequence of kernels does not fit into memory",
                   "give more with --max-memory, or lower max-kernels");
}

static int iterations_process(void *instance, MillBatch *b)
{
  Iterations *it = instance;
  Stamps stamps;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) continue;
    if (stamps_part(&it->stamps, e->name) != STAMP_EXEC) continue;
    if (stamps_read(&it->stamps, b, e, &stamps) && !take(it, e)) return out_of_memory(it);
  }
  return 0;
}

static int iterations_flush(void *instance, MillBatch *b)
{
  Iterations *it = instance;
  (void)b;
  if (it->length > 0 || it->gave_up || it->n < WORD_LEAST) return 0;
  return look(it) ? 0 : out_of_memory(it);
}

static int iterations_save_result(void *instance)
{
  Iterations *it = instance;
  moments_save(&it->intervals, it->host);
  return 0;
}

static int iterations_merge_result(void *instance)
{
  Iterations *it = instance;
  Moments more;
  moments_load(&more, it->host);
  moments_merge(&it->intervals, &more);
  return 0;
}

static int iterations_report(void *instance)
{
  Iterations *it = instance;
  double mean = 0;
  if (!moments_mean(&it->intervals, &mean)) return 0;
  const MillValue cells[] = { mill_real(mean), mill_int((int64_t)it->intervals.n) };
  return it->host->row(it->host, 0, cells, MILL_COUNT(cells));
}

static int iterations_report_run(void *instance)
{
  Iterations *it = instance;
  const MillStageHost *host = it->host;
  const Moments *m = &it->intervals;
  double mean = 0;
  if (!moments_mean(m, &mean))
    return host->no_metric(host, 0, NULL, "no sequence of kernels comes twice in a row");
  int status = host->metric(host, 0, "mean", mill_real(mean), m->n);
  if (status == 0) status = host->metric(host, 0, "min", mill_real((double)m->min), m->n);
  return status == 0 ? host->metric(host, 0, "max", mill_real((double)m->max), m->n) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, max_kernels, "max-kernels", "4000000", "16:4000000000", "kernels",
                  "Most kernels in which the first two iterations are sought; 12 bytes each"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_GIVEN_UP, "no sequence of kernels comes twice in a row at the start of {lane}",
            "it has no row in iterations",
            "cut off what comes before the iterations (clean/limit), or raise max-kernels",
            "An iteration is the first sequence of kernel names that comes twice in a row. After "
            "max-kernels kernels without one the search ends, to bound memory: the trace has no "
            "iterations, or they are longer than half of that, or more came before the first one "
            "than half an iteration."),
};

static const MillRead reads[] = { STAMPS_READS };

static const MillColumn columns[] = {
  { "mean", "ns", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
    "From the start of an iteration to that of the next" },
  MILL_BRIEF("intervals", "count", MILL_INT, "How many of them were measured"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "iterations",
    .help = "How long an iteration of each rank takes",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_REAL,
    .name = "iteration_time",
    .unit = "ns",
    .stats = "mean,min,max",
    .help = "Time from the start of an iteration to that of the next, over all ranks" },
};

static const char *const needs[] = { "clock.cycles", "slices", "order.lane", NULL };
static const char *const provides[] = { "table.iterations", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = iterations_open,
  .process = iterations_process,
  .flush = iterations_flush,
  .report = iterations_report,
  .save_result = iterations_save_result,
  .merge_result = iterations_merge_result,
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
  .title = "Time of an iteration, by the sequence of kernels",
  .help =
      "The first sequence of kernel names that comes twice in a row is one iteration. Each time "
      "that it comes again right behind the last one, the time between their starts counts; "
      "an iteration in which anything differs is passed over.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
