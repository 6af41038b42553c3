/* The instance of serve/latency: one lane's run, or all runs. */
/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_H
#define LATENCY_H

#include "kit/numbers/hist.h"
#include "runs.h"

enum {
  NOTICE_MIXED = 1,
  NOTICE_MISSING,
  NOTICE_REFUSED,
  NOTICE_NO_COUNT,
  NOTICE_PERCENTILE_OF_ONE
};
enum { TABLE_LATENCY, TABLE_PERCENTILES, TABLE_HIST };
/* The first ones are those of the latencies, in their order. */
enum { METRIC_RUN_TTFT = N_LATENCIES, METRIC_RUN_TPOT };

typedef struct Options {
  MillList by, percentiles;
  int64_t exact_up_to;
} Options;

typedef struct Extra { /* a percentile that was asked for */
  char *stat;          /* "p99.9" */
  int64_t percentile;  /* in millionths of a percent */
} Extra;

typedef struct Latency {
  const MillStageHost *host;
  const MillHost *common;
  BenchKeys keys;
  Extra *extras;
  uint32_t n_extras;
  bool has_record;
  bool counts;     /* the latest request was successful: so do its further gaps */
  LatencyRun *run; /* of a lane: the only one of runs */
  int64_t successful;
  Hists distributions;     /* exact together */
  Hist hists[N_LATENCIES]; /* ns */
  Runs runs;
} Latency;

int latency_report_run(void *instance);

typedef struct HistRow {
  const char *metric;
  double upper_ms, lower_ms;
  int64_t values;
  double share;
} HistRow;

typedef struct PercentileRow {
  const char *metric;
  double percentile, value_ms;
  const char *method;
} PercentileRow;

typedef struct LatencyRow {
  const char *metric;
  int64_t n;
  double mean_ms, std_ms, min_ms, p50_ms, p90_ms, p95_ms, p99_ms, max_ms;
  const char *basis, *method;
} LatencyRow;

#endif
