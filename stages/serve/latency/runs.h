/* What is kept of each run: its exact sums, what its file reported, and its card. */
/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_RUNS_H
#define LATENCY_RUNS_H

#include "serve/lib/bench.h"
#include "kit/numbers/moments.h"
#include "kit/state/state.h"

enum { TTFT, TPOT, ITL, E2E, N_LATENCIES };
enum { STAT_MEAN, STAT_STD, STAT_MIN, STAT_MAX, STAT_PERCENTILE };

typedef struct Stat { /* a reported one */
  uint32_t latency, kind;
  int64_t percentile; /* in millionths of a percent */
  double ms;
} Stat;

typedef struct LatencyRun {
  int64_t completed;             /* or BENCH_NONE */
  bool detailed;                 /* its requests are in moments */
  int64_t expected[N_LATENCIES]; /* requests that should have this latency */
  Moments moments[N_LATENCIES];  /* ns, of successful requests */
  Stat *stats;
  uint32_t n_stats;
  size_t capacity;
  const char *name, *card, *card_error, *phase; /* "" is none */
} LatencyRun;

typedef struct Runs { /* in lane order; { .common = common } is empty */
  const MillHost *common;
  LatencyRun *items;
  uint32_t n;
  size_t capacity;
} Runs;
extern const StateType runs_state;

extern const char *const latency_names[N_LATENCIES];

/* "p99.9" or "99.9", 0 to 100, at most six decimals. */
bool percentile_read(const char *text, size_t len, int64_t *out);

/* Here and below NULL, or false, means that memory was refused. */
LatencyRun *runs_add(Runs *runs); /* an empty one, at the end */
bool run_set_text(const char **to, const MillHost *common, const char *text, size_t len);
bool run_read_stats(LatencyRun *run, const BenchKeys *keys, const MillBatch *b, const MillEvent *e);

/* How a run takes part in a latency. */
typedef enum Part {
  PART_NONE,     /* it cannot have any: nothing completed, one token each, another phase */
  PART_EXACT,    /* by its requests */
  PART_REPORTED, /* by statistics of its file */
  PART_MISSING   /* it should have it and does not */
} Part;
Part run_part(const LatencyRun *run, uint32_t latency);
/* In ms; NaN: not reported. */
double run_reported(const LatencyRun *run, uint32_t latency, uint32_t kind, int64_t percentile);

#endif
