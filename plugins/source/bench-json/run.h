/* One run of a benchmark as it was read, whoever wrote it: columns, totals, statistics, tags. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_JSON_RUN_H
#define BENCH_JSON_RUN_H

#include "kit/read/json-window.h"

/* ----------------------------------------------------------------- columns */
/* What grows with the input is the program's memory: it knows the limit.  Once refused, nothing is kept any more. */
typedef struct Memory {
  const MillHost *common;
  bool refused;
} Memory;

typedef struct Ints {
  Memory *memory;
  int64_t *v;
  size_t n, max;
} Ints;
bool ints_grow(Ints *a);
static inline void ints_push(Ints *a, int64_t v)
{
  if (a->n < a->max || ints_grow(a)) a->v[a->n++] = v;
}

#define ABSENT INT64_C(-1) /* in a column: this request has no such value */
enum { COL_START, COL_TTFT, COL_E2E, COL_INPUT, COL_OUTPUT, COL_TPOT, N_COLUMNS };

/* Gaps between tokens, of all requests one after the other.  A gap of GAP_BIG ns or more is in
 * `big`, in order, and leaves GAP_BIG here. */
#define GAP_BIG UINT32_MAX
typedef struct Gaps {
  Memory *memory;
  uint32_t *v;
  size_t n, max;
  Ints big;
  Ints ends; /* by request: how many gaps there are kept up to and with it */
  Ints sums; /* by request, ns; ABSENT: unknown */
} Gaps;
bool gaps_grow(Gaps *g);
static inline void gaps_push(Gaps *g, int64_t ns)
{
  if (g->n == g->max && !gaps_grow(g)) return;
  if (ns >= GAP_BIG) ints_push(&g->big, ns);
  g->v[g->n++] = ns >= GAP_BIG ? GAP_BIG : (uint32_t)ns;
}

typedef struct ErrorText { /* of one request; most have none */
  size_t request, off, len;
} ErrorText;

/* ------------------------------------------------------------------ totals */
enum {
  TOTAL_COMPLETED,
  TOTAL_FAILED,
  TOTAL_DURATION,
  TOTAL_INPUT,
  TOTAL_OUTPUT,
  TOTAL_REACHED,
  TOTAL_GPUS,
  N_TOTALS
};
enum {
  RATE_REQUEST,
  RATE_INPUT,
  RATE_OUTPUT,
  RATE_TOTAL,
  RATE_GOODPUT,
  RATE_USER,
  RATE_PEAK,
  RATE_ACCEPT, /* no rate: tokens that a step of speculative decoding gives */
  N_RATES
};

typedef struct Stat {
  char *name; /* "ttft.p99" */
  char *key;  /* as the file calls it */
  double value;
} Stat;

typedef struct ErrorKind {
  char *text;
  int64_t count;
} ErrorKind;

typedef struct Run {
  Memory memory;
  Ints columns[N_COLUMNS];
  const char *column_keys[N_COLUMNS]; /* as the file calls it; NULL: it has no such column */
  Gaps gaps;
  const char *gaps_key;
  ErrorText *errors;
  size_t n_error_texts, max_error_texts;
  char *error_text;
  size_t error_text_len, max_error_text;
  size_t n_errors; /* requests that said whether they failed */
  const char *errors_key;
  size_t n_requests;
  bool detailed; /* the requests are given */

  int64_t totals[N_TOTALS]; /* ABSENT: unknown */
  double rates[N_RATES];    /* below zero: unknown */
  GArray *stats;            /* of Stat, in file order */
  GArray *error_kinds;      /* of ErrorKind */
  GPtrArray *tags;          /* "name=value" */
} Run;

void run_init(Run *r, const MillHost *common); /* stays where it is */
void run_reset(Run *r);                        /* empty; keeps the memory of its columns */
void run_clear(Run *r);

/* "avg", "median", "p99" and the like as we call them, in place; false: it is not a statistic. */
bool stat_name(char stat[16]);
#define MAX_LISTED 1000u /* statistics and kinds of errors: they must fit in one record */
/* True when the same key was there already; the last value wins.  `metric` and `stat` as in
 * ttft.p99.  Beyond MAX_LISTED they are skipped. */
bool run_stat(Run *r, const char *metric, const char *stat, const char *key, double value);
/* Of this key, and of what is in its value: "key" and "key.member". */
void run_drop_stats(Run *r, const char *key);
void run_drop_column(Run *r, int column);
void run_drop_gaps(Run *r);
void run_drop_errors(Run *r);
void run_drop_requests(Run *r); /* all of these, and the duration that follows from them */
void run_drop_tag(Run *r, const char *name);
void run_tag(Run *r, const char *name, const char *value, size_t len);
void run_error(Run *r, size_t request, const char *text, size_t len);
void run_error_kind(Run *r, const char *text, int64_t count); /* beyond MAX_LISTED: "others" */

/* One request of those that come row by row; all columns ABSENT at first. */
typedef struct Row {
  int64_t values[N_COLUMNS];
} Row;
Row run_row(void);
/* The gaps pushed and the error given since the last request are its own. */
void run_add(Run *r, const Row *row);

/* For a walk over all requests: the error of this one, or NULL. */
const ErrorText *run_next_error(const Run *r, guint *io_next, size_t request);
bool run_failed(const Run *r, size_t request, const ErrorText *error);
/* Of the totals, one that the listed requests contradict; NULL: none. */
const char *run_wrong_total(const Run *r);
/* When all is read: checks the columns against each other, derives what can be derived. */
bool run_finish(Run *r, Window *w);

#endif
