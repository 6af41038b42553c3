/* The coll-bench source: results of nccl-tests and rccl-tests. */
#include "coll-bench.h"

#include <math.h>
#include <string.h>

#include "lib/input.h"

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
  N_KEYS
};
enum { WRONG_REFUSE, WRONG_COUNT };
#define MAX_BYTES ((size_t)64 << 20)
#define PIECE ((size_t)64 << 10)

typedef struct Options {
  int64_t wrong;
} Options;

typedef struct Source {
  const MillSourceHost *host;
  const Options *options;
  RecordWriter writer;
  MillSym row, run;
  Log log;
  guint next;
} Source;

/* ----------------------------------------------------------------- reading */

static int fail(const Source *s, uint32_t number, const char *what, uint64_t line)
{
  return input_fail_at(s->host->common, coll_bench_notices, number, line, 1, what, NULL);
}

static int read_all(const Source *s, GString *text)
{
  g_autofree char *piece = g_malloc(PIECE);
  int64_t n;
  while ((n = s->host->read(s->host, piece, PIECE)) > 0) {
    g_string_append_len(text, piece, n);
    if (text->len > MAX_BYTES) return fail(s, CB_TOO_LONG, NULL, 0);
  }
  return (int)n;
}

static int read_log(Source *s)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *why = NULL;
  uint64_t line = 0;
  int status = read_all(s, text);
  if (status < 0) return status;
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
  if (tag)
    s->log.collective = log_collective(&s->log, tag);
  else if (!s->log.collective)
    s->log.collective = log_collective(&s->log, base);
}

static int check_log(const Source *s)
{
  const Log *log = &s->log;
  const MillHost *common = s->host->common;
  uint64_t n_wrong = 0;
  for (guint i = 0; i < log->rows->len; i++)
    n_wrong += g_array_index(log->rows, CollRow, i).wrong > 0;
  if (log->rows->len == 0) return fail(s, CB_NO_ROWS, NULL, 0);
  if (!log->complete && !s->host->recover(s->host)) return fail(s, CB_NO_FOOTER, NULL, 0);
  if (!log->complete) mill_note(common, CB_KEPT);
  bool wrong = n_wrong || log->failed || log->out_of_bounds > 0;
  if (wrong && s->options->wrong == WRONG_REFUSE) return fail(s, CB_WRONG, NULL, 0);
  for (uint64_t i = 0; i < MAX(n_wrong, (uint64_t)wrong); i++) mill_note(common, CB_COUNTED);
  if (log->lacks_nodes) mill_note(common, CB_SHORT_HEADER);
  for (uint64_t i = 0; i < log->n_broken; i++) mill_note(common, CB_BROKEN);
  return 0;
}

/* ----------------------------------------------------------------- records */

static void give_name(const Source *s, MillBatch *b, uint32_t key, const char *name)
{
  MillAttr *a = name ? record_attr(&s->writer, b, key, MILL_SYM) : NULL;
  if (a) a->u.sym = record_symbol(s->host->common, name);
}

static void give_real(const Source *s, MillBatch *b, uint32_t key, double v)
{
  if (isfinite(v)) record_real(&s->writer, b, key, v);
}

static bool give_row(Source *s, MillBatch *b, const CollRow *row)
{
  if (!record_begin(&s->writer, b, s->row, N_KEYS)) return false;
  const char *name = row->collective ? row->collective : s->log.collective;
  give_name(s, b, KEY_COLLECTIVE, name ? name : "unknown");
  record_int(&s->writer, b, KEY_BYTES, row->bytes);
  if (row->count >= 0) record_int(&s->writer, b, KEY_COUNT, row->count);
  give_name(s, b, KEY_TYPE, row->type);
  give_name(s, b, KEY_REDOP, row->redop);
  record_int(&s->writer, b, KEY_IN_PLACE, row->in_place);
  give_real(s, b, KEY_TIME, row->time_us);
  give_real(s, b, KEY_ALGBW, row->algbw);
  give_real(s, b, KEY_BUSBW, row->busbw);
  if (row->wrong >= 0) record_int(&s->writer, b, KEY_WRONG, row->wrong);
  return true;
}

static bool give_run(Source *s, MillBatch *b)
{
  const Log *log = &s->log;
  if (!record_begin(&s->writer, b, s->run, N_KEYS)) return false;
  give_real(s, b, KEY_BUSBW, log->avg_busbw);
  if (log->out_of_bounds >= 0) record_int(&s->writer, b, KEY_WRONG, log->out_of_bounds);
  if (log->ranks > 0) record_int(&s->writer, b, KEY_RANKS, log->ranks);
  if (log->nodes > 0) record_int(&s->writer, b, KEY_NODES, log->nodes);
  record_int(&s->writer, b, KEY_COMPLETE, log->complete);
  return true;
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "collective", "bytes",   "count",   "type",  "redop",
                                            "in_place",   "time_us", "algbw",   "busbw", "wrong",
                                            "ranks",      "nodes",   "complete" };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->row = record_symbol(s->host->common, "coll.row");
  s->run = record_symbol(s->host->common, "coll.run");
  int status = read_log(s);
  if (status < 0) return status;
  name_collective(s);
  return check_log(s);
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  for (; s->next < s->log.rows->len; s->next++)
    if (!give_row(s, b, &g_array_index(s->log.rows, CollRow, s->next))) return MILL_NEXT_MORE;
  return give_run(s, b) ? MILL_NEXT_END : MILL_NEXT_MORE;
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
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->options = options;
  s->log = (Log){ .rows = g_array_new(FALSE, FALSE, sizeof(CollRow)),
                  .names = g_string_chunk_new(1024),
                  .avg_busbw = (double)NAN,
                  .out_of_bounds = -1 };
  *out_instance = s;
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
  g_array_unref(s->log.rows);
  g_string_chunk_free(s->log.names);
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
  .help = "Reads the logs of all_reduce_perf and its like, and their results as JSON or CSV.  Each "
          "time becomes a record coll.row; a record coll.run has what is said of all.  Tags say "
          "what a log cannot: algorithm=ring,protocol=ll,channels=8,nodes=1:log.txt.",
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(coll_bench_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
