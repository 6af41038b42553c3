/* What the stage gemm-variance knows, and who does what. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_VARIANCE_VARIANCE_H
#define GEMM_VARIANCE_VARIANCE_H

#include "ends.h"
#include "kit/trace/coll-calls.h"
#include "gemm/lib/gemm-rows.h"
#include "rows.h"

enum { NO_GEMM = 1, ELSEWHERE, NO_KERNEL };
enum {
  TABLE_SWEEP,
  TABLE_VARIANCE,
  TABLE_SUMMARY,
  TABLE_NAMES,
  TABLE_POINTS,
  TABLE_GROUPS,
  TABLE_INTERACTION
};
enum { METRIC_SPREAD, METRIC_OVERLAP };
enum { MATCH_EXACT, MATCH_PREFIX };

typedef struct Options {
  int64_t top_k, match;
  double tolerance_percent;
  int64_t exact_up_to;
  MillList by;
} Options;

typedef struct Variance {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  GemmCalls calls;
  GemmRows gemms;
  Hists hists;
  Calls collectives; /* by start, once the lane ended */
  KernelEnds ends;   /* match=prefix alone */
  VarianceRows rows;
} Variance;

/* At the end of a lane: its rows.  False: memory was refused. */
bool variance_find(Variance *);

/* Tables of groups; 0, or what the host returned. */
int variance_report_points(Variance *);
int variance_report_groups(Variance *);
int variance_report_interaction(Variance *);

typedef struct InteractionRow {
  int64_t threads, channels, n;
  double mean_ns;
} InteractionRow;

typedef struct GroupRow {
  const char *by;
  int64_t group, n;
  double mean_ns, median_ns;
  int64_t min_ns, max_ns;
  double q1_ns, q3_ns;
  int64_t whisker_low_ns, whisker_high_ns, outliers;
} GroupRow;

typedef struct PointRow {
  const char *by;
  int64_t group, diff_ns;
} PointRow;

#endif
