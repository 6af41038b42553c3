/* The coll-bench source: results of nccl-tests and rccl-tests. */
/* SPDX-License-Identifier: MIT */
#include "coll-bench.h"

#include <math.h>
#include <string.h>

#include "kit/read/input.h"
#include "kit/read/source-new.h"

enum {
  KEY_COLLECTIVE,
  KEY_BYTES,
  KEY_COUNT,
  KEY_TYPE,
  KEY_REDOP,
  KEY_IN_PLACE,
  KEY_TIME,
  KEY_ALGBW,
  KEY_BUSBW,
  KEY_WRONG,
  KEY_RANKS,
  KEY_NODES,
  KEY_COMPLETE,
  KEY_ALGORITHM,
  KEY_PROTOCOL,
  N_KEYS
};
enum { WRONG_REFUSE, WRONG_COUNT };
#define MAX_BYTES ((size_t)64 << 20)

typedef struct Options {
  int64_t wrong;
} Options;

typedef struct Source {
  const MillSourceHost *host;
  const Options *options;
  RecordWriter writer;
  MillSym row, run;
  Log log;
  guint next, next_run;
} Source;

/* ----------------------------------------------------------------- reading */

static int fail(const Source *s, uint32_t number, const char *what, uint64_t line)
{
  return input_fail_at(s->host->common, coll_bench_notices, number, line, 1, what, NULL);
}

static int read_log(Source *s)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *why = NULL;
  uint64_t line = 0;
  int status = input_read_all(s->host, MAX_BYTES, text);
  if (status < 0) return status;
  if (status > 0) return fail(s, CB_TOO_LONG, NULL, 0);
  if (log_is_json(text->str, text->len))
    log_read_json(&s->log, text->str, text->len, &why, &line);
  else if (log_is_csv(text->str, text->len))
    log_read_csv(&s->log, text->str, text->len, &why, &line);
  else
    log_read_text(&s->log, text->str, text->len, &why, &line);
  return why ? fail(s, CB_BAD_TEXT, why, line) : 0;
}

/* Old versions do not say which collective they measured; names of files do. */
static void name_collective(Source *s)
{
  const MillHost *common = s->host->common;
  const char *tag = common->tag(common, MILL_NO_LANE, "collective");
  MillLane lane = { .size = sizeof lane };
  common->lane(common, MILL_NO_LANE, &lane);
  g_autofree char *base = g_path_get_basename(lane.path ? lane.path : lane.name);
  for (guint i = 0; i < s->log.runs->len; i++) {
    Run *run = &g_array_index(s->log.runs, Run, i);
    if (tag)
      run->collective = log_collective(&s->log, tag);
    else if (!run->collective)
      run->collective = log_collective(&s->log, base);
  }
}

/* Words after the last end, or a title, are no run. */
static void end_runs(Log *log)
{
  guint first = log->runs->len ? g_array_index(log->runs, Run, log->runs->len - 1).end : 0;
  bool is_run = log->rows->len > first || log->run.ranks || log->run.complete;
  if (is_run || log->runs->len == 0) log_next_run(log);
}

static void note_ranks(const Source *s, const Run *run, guint first)
{
  int64_t fit = log_fitting_ranks(&s->log, run, first);
  const MillNamed named[] = {
    { "ranks", mill_int(run->ranks) },
    { "fit", fit > 0 ? mill_int(fit) : mill_text("others", 6) },
  };
  s->host->common->note(s->host->common, CB_RANKS, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

/* Rows have two decimals; what other messages broke is not there. */
static void check_average(const Source *s, const Run *run, guint first)
{
  double said = run->avg_busbw, mean = log_mean_busbw(&s->log, run, first);
  if (!isfinite(said) || !isfinite(mean) || s->log.n_broken) return;
  if (fabs(said - mean) <= 0.0051 + 0.002 * mean) return;
  const MillNamed named[] = { { "said", mill_real(said) }, { "mean", mill_real(mean) } };
  s->host->common->note(s->host->common, CB_AVERAGE, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

/* Numbers in the log that its rows give, too. */
static void check_sums(const Source *s)
{
  guint first = 0;
  for (guint i = 0; i < s->log.runs->len; i++) {
    Run *run = &g_array_index(s->log.runs, Run, i);
    bool fits = log_ranks_fit(&s->log, run, first, run->ranks > 0 ? run->ranks : run->local);
    if (run->ranks > 0 && !fits) note_ranks(s, run, first);
    if (run->ranks == 0 && run->local > 0 && fits) run->ranks = run->local;
    check_average(s, run, first);
    first = run->end;
  }
}

static int check_runs(const Source *s)
{
  const Log *log = &s->log;
  const MillHost *common = s->host->common;
  uint64_t n_wrong = 0;
  bool complete = true, wrong = false;
  for (guint i = 0; i < log->rows->len; i++)
    n_wrong += g_array_index(log->rows, CollRow, i).wrong > 0;
  for (guint i = 0; i < log->runs->len; i++) {
    const Run *run = &g_array_index(log->runs, Run, i);
    complete = complete && run->complete;
    wrong = wrong || run->failed || run->out_of_bounds > 0;
  }
  if (!complete && !s->host->recover(s->host)) return fail(s, CB_NO_FOOTER, NULL, 0);
  if (!complete) mill_note(common, CB_KEPT);
  wrong = wrong || n_wrong;
  if (wrong && s->options->wrong == WRONG_REFUSE) return fail(s, CB_WRONG, NULL, 0);
  for (uint64_t i = 0; i < MAX(n_wrong, (uint64_t)wrong); i++) mill_note(common, CB_COUNTED);
  return 0;
}

static int check_log(const Source *s)
{
  const Log *log = &s->log;
  if (log->rows->len == 0) return fail(s, CB_NO_ROWS, NULL, 0);
  int status = check_runs(s);
  if (status < 0) return status;
  check_sums(s);
  if (log->lacks_nodes) mill_note(s->host->common, CB_SHORT_HEADER);
  for (uint64_t i = 0; i < log->n_broken; i++) mill_note(s->host->common, CB_BROKEN);
  return 0;
}

/* ----------------------------------------------------------------- records */

static void give_real(const Source *s, MillBatch *b, uint32_t key, double v)
{
  if (isfinite(v)) record_real(&s->writer, b, key, v);
}

static bool give_row(Source *s, MillBatch *b, const Run *run, const CollRow *row)
{
  if (!record_begin(&s->writer, b, s->row, N_KEYS)) return false;
  const char *name = row->collective ? row->collective : run->collective;
  record_name(&s->writer, b, KEY_COLLECTIVE, name ? name : "unknown");
  record_int(&s->writer, b, KEY_BYTES, row->bytes);
  if (row->count >= 0) record_int(&s->writer, b, KEY_COUNT, row->count);
  record_name(&s->writer, b, KEY_TYPE, row->type);
  record_name(&s->writer, b, KEY_REDOP, row->redop);
  record_int(&s->writer, b, KEY_IN_PLACE, row->in_place);
  give_real(s, b, KEY_TIME, row->time_us);
  give_real(s, b, KEY_ALGBW, row->algbw);
  give_real(s, b, KEY_BUSBW, row->busbw);
  if (row->wrong >= 0) record_int(&s->writer, b, KEY_WRONG, row->wrong);
  record_name(&s->writer, b, KEY_ALGORITHM, run->algorithm);
  record_name(&s->writer, b, KEY_PROTOCOL, run->protocol);
  return true;
}

static bool give_run(Source *s, MillBatch *b, const Run *run)
{
  if (!record_begin(&s->writer, b, s->run, N_KEYS)) return false;
  give_real(s, b, KEY_BUSBW, run->avg_busbw);
  if (run->out_of_bounds >= 0) record_int(&s->writer, b, KEY_WRONG, run->out_of_bounds);
  if (run->ranks > 0) record_int(&s->writer, b, KEY_RANKS, run->ranks);
  if (run->nodes > 0) record_int(&s->writer, b, KEY_NODES, run->nodes);
  record_int(&s->writer, b, KEY_COMPLETE, run->complete);
  return true;
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "collective", "bytes",     "count",   "type",
                                            "redop",      "in_place",  "time_us", "algbw",
                                            "busbw",      "wrong",     "ranks",   "nodes",
                                            "complete",   "algorithm", "protocol" };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->row = symbol_of(s->host->common, "coll.row");
  s->run = symbol_of(s->host->common, "coll.run");
  int status = read_log(s);
  if (status < 0) return status;
  end_runs(&s->log);
  name_collective(s);
  return check_log(s);
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  for (; s->next_run < s->log.runs->len; s->next_run++) {
    const Run *run = &g_array_index(s->log.runs, Run, s->next_run);
    for (; s->next < run->end; s->next++)
      if (!give_row(s, b, run, &g_array_index(s->log.rows, CollRow, s->next)))
        return MILL_NEXT_MORE;
    if (!give_run(s, b, run)) return MILL_NEXT_MORE;
  }
  return MILL_NEXT_END;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)name;
  if (log_is_json(bytes, len)) return 90;
  return log_is_csv(bytes, len) ? 90 : log_is_text(bytes, len) ? 85 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->options = options;
  log_init(&s->log);
  return 0;
}

static int describe(void *instance)
{
  input_tag_file(((const Source *)instance)->host);
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  log_clear(&s->log);
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, wrong, "wrong", "refuse", "refuse|count",
                     "Logs with wrong results: refuse them, or count them and keep their times"),
};

static const char *const provides[] = { "input.coll-bench", "input.tuner", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .options_size = sizeof(Options),
  .name = "coll-bench",
  .version = "0.1.0",
  .tag = "NTEST",
  .title = "Results of nccl-tests and rccl-tests",
  .help = "Reads the logs of all_reduce_perf and its like, and their results as JSON or CSV. Each "
          "time becomes a record coll.row; a record coll.run has the values of the whole run. Tags "
          "add what a log does not say: algorithm=ring,protocol=ll,channels=8,nodes=1:log.txt.",
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(coll_bench_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
