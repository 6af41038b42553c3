/* What the parts of serve/load share. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LOAD_H
#define SERVE_LOAD_H

#include "kit/numbers/hist.h"
#include "serve/lib/bench-run.h"
#include "points.h"
#include "timeline.h"

enum { NOTICE_NO_TIMES = 1, NOTICE_TOO_LONG, NOTICE_NO_OFFER };
enum { TABLE_LOAD, TABLE_SUMMARY, TABLE_SATURATION };
enum { METRIC_CONCURRENCY, METRIC_PEAK, METRIC_SATURATION };

typedef struct Options {
  int64_t buckets, sweep_by;
  double saturation_times;
  MillList by, sweep_tags;
} Options;

typedef struct Gaps {
  int64_t *items;
  size_t n, capacity;
} Gaps;

typedef struct Load {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  BenchKeys keys;

  BenchTotals totals; /* of the first look */
  BenchRun run;
  BenchFigures figures;
  bool has_run;
  uint64_t n_timed; /* requests with start and end */
  int64_t first_ns, last_ns;
  __int128 busy_ns; /* sum of their latencies */
  Hists latencies;  /* of requests that succeeded, ns */
  Hist ttft, tpot;

  Timeline timeline; /* of the second */
  bool has_timeline, knows_tokens;
  bool has_current; /* a request that may get more gaps */
  BenchRequest current;
  Gaps gaps;

  Point point;   /* of a lane with a result */
  Points points; /* of all lanes */
} Load;

int load_report(void *instance);
int load_report_run(void *instance);

typedef struct SaturationRow {
  int64_t level;
  const char *axis;
  double offered;
  int64_t runs;
  double request_throughput, output_throughput, ttft_mean_ms, e2e_mean_ms, tpot_mean_ms,
      ttft_p99_ms, tpot_p99_ms, gain;
  const char *latency;
  double latency_growth, share;
  bool saturated;
} SaturationRow;

typedef struct SummaryRow {
  int64_t requests, length_ns;
  double concurrency;
  int64_t concurrency_max;
  double peak_output_throughput;
  const char *basis;
} SummaryRow;

typedef struct LoadRow {
  int64_t time_ns;
  double running;
  int64_t started, finished;
  double output_throughput;
} LoadRow;

#endif
