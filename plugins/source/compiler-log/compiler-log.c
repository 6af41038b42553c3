/* The compiler-log source: tables of ideal cycles of kernels, from the log of a compiler or the folder that it left. */
/* SPDX-License-Identifier: MIT */
#include "compiler-log.h"

#include <string.h>

#include "kit/read/input.h"
#include "kit/read/record.h"
#include "kit/read/source-new.h"

enum {
  KEY_TABLE,
  KEY_PHASE,
  KEY_ROWS,
  KEY_KERNELS,
  KEY_CYCLES,
  KEY_LINE,
  KEY_KERNEL,
  KEY_CATEGORY,
  KEY_CALLS,
  KEY_AUTOPILOT,
  KEY_TABLES,
  N_KEYS
};

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  RecordWriter writer;
  MillSym of_table, of_kernel, of_log;
  LineReader lines;
  Table table;
  const char *phase;
  int64_t n_tables; /* that were complete */
  uint32_t given;   /* records of the table at hand: itself, then its kernels */
  bool is_ready;    /* the table at hand is complete, and being given */
  bool is_folder, has_ended, is_done, autopilot;
} Source;

/* --------------------------------------------------------------------- reading */

static bool holds(const char *line, size_t len, const char *word)
{
  return memmem(line, len, word, strlen(word)) != NULL;
}

/* The word stands alone in its line, after a blank or a stamp; a line break is the blank behind it. */
static bool is_alone(const char *line, size_t len, const char *word)
{
  size_t at = clog_front(line, len), n = strlen(word);
  if (at == 0 || len - at < n || memcmp(line + at, word, n)) return false;
  for (at += n; at < len; at++)
    if (!clog_is_blank(line[at])) return false;
  return true;
}

/* A column's title: blanks before it, and blanks or nothing behind. */
static bool is_head(const char *line, size_t len)
{
  static const char title[] = "Ideal/Total Cycles";
  const char *at = memmem(line, len, title, sizeof title - 1), *end = line + len;
  if (!at || at == line || !clog_is_blank(at[-1])) return false;
  at += sizeof title - 1;
  return at == end || clog_is_blank(*at);
}

static void cut_table(Source *s)
{
  if (s->table.is_open) mill_note(s->common, CLOG_CUT);
  s->table.is_open = false;
}

static void note_empty(const Source *s)
{
  g_autofree char *what = g_strdup_printf("line %" G_GUINT64_FORMAT, s->table.line);
  clog_note(s->common, CLOG_EMPTY, what, strlen(what));
}

/* One without rows says nothing, not even that nothing is ideal. */
static void finish_table(Source *s)
{
  s->table.is_open = false;
  s->is_ready = s->table.n_rows > 0;
  if (!s->is_ready) note_empty(s);
  s->given = 0;
}

/* The rules in their order: the first that fits a line is the one that counts. */
static int take_line(Source *s, const char *line, size_t len)
{
  if (holds(line, len, "DSM-AutoPilot BEGIN")) {
    s->autopilot = true;
  } else if (holds(line, len, "Ideal Clock Scaling:")) {
    mill_note(s->common, CLOG_SCALING);
  } else if (is_alone(line, len, "PREFILL")) {
    s->phase = "TTFT";
  } else if (is_alone(line, len, "DECODING")) {
    s->phase = "ITL";
  } else if (is_head(line, len)) {
    cut_table(s);
    clog_table_begin(&s->table, s->phase, s->lines.number);
  } else if (s->table.is_open && holds(line, len, "====== Perf Summary End ======")) {
    finish_table(s);
  } else if (s->table.is_open) {
    return clog_table_line(&s->table, line, len, s->lines.number);
  }
  return 0;
}

/* Reads up to the end of a table, or of the log. */
static int read_table(Source *s)
{
  const char *line;
  size_t len;
  bool cut;
  int status = 1;
  while (!s->is_ready && (status = clog_line(&s->lines, &line, &len, &cut)) > 0) {
    if (cut) mill_note(s->common, CLOG_LONG);
    status = take_line(s, line, len);
    if (status < 0) return status;
  }
  if (status < 0) return status;
  s->has_ended = !s->is_ready;
  if (s->has_ended && s->table.is_open && s->host->recover(s->host)) finish_table(s);
  if (s->has_ended) cut_table(s);
  return 0;
}

static int read_folder(Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  int status = clog_read_folder(s->host, lane.path, &s->table);
  s->has_ended = true;
  if (s->table.n_rows) finish_table(s);
  return status;
}

/* --------------------------------------------------------------------- records */

static bool give_table(Source *s, MillBatch *b)
{
  const Table *t = &s->table;
  const RecordWriter *w = &s->writer;
  if (!record_begin(&s->writer, b, s->of_table, N_KEYS)) return false;
  record_int(w, b, KEY_TABLE, s->n_tables);
  record_text(&s->writer, b, KEY_PHASE, t->phase, strlen(t->phase));
  record_int(w, b, KEY_ROWS, t->n_rows);
  record_int(w, b, KEY_KERNELS, t->n_kernels);
  record_int(w, b, KEY_CYCLES, t->ideal_cycles);
  record_int(w, b, KEY_LINE, (int64_t)t->line);
  return true;
}

static bool give_kernel(Source *s, MillBatch *b, const Kernel *k)
{
  const RecordWriter *w = &s->writer;
  if (!record_begin(&s->writer, b, s->of_kernel, N_KEYS)) return false;
  record_int(w, b, KEY_TABLE, s->n_tables);
  record_text(&s->writer, b, KEY_KERNEL, k->name, strlen(k->name));
  record_int(w, b, KEY_CYCLES, k->cycles);
  record_text(&s->writer, b, KEY_CATEGORY, k->category, strlen(k->category));
  record_int(w, b, KEY_CALLS, k->rows);
  record_int(w, b, KEY_LINE, (int64_t)k->line);
  return true;
}

/* True when all of the table at hand was given; false: the batch is full. */
static bool give_ready(Source *s, MillBatch *b)
{
  for (; s->given <= s->table.n_kernels; s->given++) {
    bool fits = s->given ? give_kernel(s, b, &s->table.kernels[s->given - 1]) : give_table(s, b);
    if (!fits) return false;
  }
  s->n_tables++;
  s->is_ready = false;
  return true;
}

static bool give_log(Source *s, MillBatch *b)
{
  if (!record_begin(&s->writer, b, s->of_log, N_KEYS)) return false;
  record_int(&s->writer, b, KEY_AUTOPILOT, s->autopilot);
  record_int(&s->writer, b, KEY_TABLES, s->n_tables);
  if (!s->n_tables) mill_note(s->common, CLOG_NO_TABLE);
  s->is_done = true;
  return true;
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  for (;;) {
    int status = 0;
    if (s->is_ready) {
      if (!give_ready(s, b)) return MILL_NEXT_MORE;
    } else if (!s->has_ended) {
      status = s->is_folder ? read_folder(s) : read_table(s);
    } else {
      return s->is_done || give_log(s, b) ? MILL_NEXT_END : MILL_NEXT_MORE;
    }
    if (status < 0) return status;
  }
}

/* -------------------------------------------------------------- the descriptor */

#define LIKELY 80  /* a title of the compiler's */
#define PERHAPS 10 /* a log, of whatever */

/* Nobody asks for a trace's sake: it tells what the label would make of an input. */
static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  if (holds(bytes, len, "Ideal/Total Cycles") || holds(bytes, len, "DSM-AutoPilot BEGIN"))
    return LIKELY;
  return g_str_has_suffix(name, ".log") ? PERHAPS : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->phase = "UNKN";
  clog_table_init(&s->table, host->common);
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  clog_table_clear(&s->table);
  clog_lines_clear(&s->lines);
}

static int describe(void *instance)
{
  input_describe(((Source *)instance)->host, "dialect", "compiler-log");
  return 0;
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "table",        "phase",     "rows",   "kernels",
                                            "ideal_cycles", "line",      "kernel", "category",
                                            "calls",        "autopilot", "tables" };
  Source *s = instance;
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->of_table = symbol_of(s->common, "compiler.table");
  s->of_kernel = symbol_of(s->common, "compiler.kernel");
  s->of_log = symbol_of(s->common, "compiler.log");
  s->is_folder = lane.path && clog_is_folder(s->host, lane.path);
  if (!s->is_folder) clog_lines_init(&s->lines, s->host);
  return 0;
}

static const char *const provides[] = { "compiler.table", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .expand = clog_expand,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "compiler-log",
  .version = "0.1.0",
  .tag = "CLOG",
  .title = "Ideal cycles of kernels, from the log of the AIU's compiler",
  .help = "Reads inputs with the label log: the log of a compilation with tables of ideal cycles, "
          "or the folder with inductor-spyre/KERNEL/perf/ideal_cycles.json. It is a side input: "
          "only stages that ask for ideal cycles see it, and it is not a rank. log=PATH is for all "
          "ranks, rank=1:log=PATH for rank 1.",
  .provides = provides,
  .side = CLOG_LABEL,
  .notices = MILL_ROWS(clog_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
