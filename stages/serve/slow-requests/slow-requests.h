/* What the parts of serve/slow-requests share. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_SLOW_REQUESTS_H
#define SERVE_SLOW_REQUESTS_H

#include "serve/lib/bench.h"

enum { TABLE_TAILS, TABLE_BINS };
enum { TTFT, TPOT, N_LATENCIES };
enum { BY_INPUT, BY_START, BY_CONCURRENCY, N_BY };

typedef struct Options {
  double times;
} Options;

typedef struct Asked { /* a request that succeeded; BENCH_NONE: not known */
  int64_t start_ns, e2e_ns;
  int64_t latency_ns[N_LATENCIES]; /* rounded */
  int64_t time_ns[N_LATENCIES];    /* of the request, that the latency accounts for */
  int64_t by[N_BY];
} Asked;

typedef struct Tail {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  BenchKeys keys;
  const char *result; /* name of the input */
  bool has_run;
  Asked *items;
  size_t n, capacity;
} Tail;

extern const char *const tail_latencies[N_LATENCIES];

/* What each request has to do with the others: its start after the first one, and how many were in flight then.  False:
 * memory was refused. */
bool tail_relate(Tail *t);
/* Rows of TABLE_BINS: how requests spread over a property, and those of them above the limit. */
int tail_report_spread(const Tail *t, uint32_t latency, uint32_t by, double limit_ns);

typedef struct BinRow {
  const char *result, *metric, *by;
  int64_t bin, from, to, requests, slow;
} BinRow;

#endif
