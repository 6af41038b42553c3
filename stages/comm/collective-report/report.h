/* What the stage collective-report knows, and who writes which table. */
/* SPDX-License-Identifier: MIT */
#ifndef COLLECTIVE_REPORT_REPORT_H
#define COLLECTIVE_REPORT_REPORT_H

#include "kit/trace/coll-calls.h"
#include "kit/numbers/dist.h"
#include "kit/state/keyed.h"
#include "kit/trace/coll-match.h"

enum {
  NOTICE_NOTHING = 1,
  NOTICE_INCOMPLETE,
  NOTICE_CLOCKS,
  NOTICE_BARE,
  NOTICE_ABSURD,
  NOTICE_MANY_BARE
};
enum {
  TABLE_CALLS,
  TABLE_KINDS,
  TABLE_COLLECTIVES,
  TABLE_RANKS,
  TABLE_SUMMARY,
  TABLE_ALLTOALLV,
  TABLE_PAIRS,
  TABLE_STRAGGLERS
};
enum { METRIC_LATENCY, METRIC_SKEW, METRIC_BUSBW, METRIC_STRAGGLER, METRIC_STRAGGLER_SHARE };

typedef struct Options {
  int64_t gpus_per_node, clock_skew_ns, max_duration_ns;
  MillList by;
} Options;

typedef struct LaneCalls { /* of a lane; its calls come after those of the lanes before */
  int64_t rank, comm_ns;
  int64_t base_ns; /* of its times */
  uint64_t n_calls;
} LaneCalls;

typedef struct Report {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  Calls calls;
  LaneCalls *lanes; /* on the run level of all */
  size_t n_lanes, lane_capacity;
  int64_t per_node;    /* devices of a node; 0: not known, -1: lanes do not agree */
  const char *spanned; /* ranks of the group whose span was asked for last */
  int64_t span;
} Report;

/* 0, or what the host returned. */
int report_calls(Report *);
int report_kinds(Report *);
int report_collectives(Report *); /* and collective-ranks, notices */
int report_alltoallv(Report *);
int report_summary(Report *); /* and metrics of collectives */
int report_stragglers(Report *);

/* The node of a rank, and how many nodes the ranks of a group are on; empty where neither an option nor the traces say
 * how many devices a node has, or the list of ranks is cut short. */
void report_learn_nodes(Report *); /* once a lane has ended */
int64_t report_node(const Report *, int64_t rank);
int64_t report_span(Report *, const Call *);
int64_t report_known(int64_t number);                         /* empty: below 0, not known */
double report_rate(int64_t bytes, int64_t ns, double factor); /* GB/s */

enum { LATENCY, START_SKEW, END_SKEW, ALGBW, BUSBW, N_VALUES }; /* of a collective */

typedef struct SummaryRow {
  const char *name, *dtype;
  int64_t in_elements;
  const char *group;
  int64_t size, full_bytes, span, calls;
  DistStats values[N_VALUES];
  int64_t total_latency_ns;
} SummaryRow;

typedef struct PairRow {
  int64_t source, destination, total_bytes;
  double mean_bytes;
  int64_t calls;
} PairRow;

typedef struct AlltoallvRow {
  MillText collective;
  const char *group, *ranks, *dtype;
  int64_t total_bytes, wall_ns;
  double throughput;
  int64_t rank_max_ns, rank_min_ns;
  double rank_mean_ns, imbalance;
  int64_t start_skew_ns, end_skew_ns;
} AlltoallvRow;

typedef struct RankRow {
  MillText collective;
  const char *ranks;
  int64_t rank, start_ns, duration_ns, wait_ns;
} RankRow;

typedef struct CollectiveRow {
  MillText collective;
  const char *group, *ranks, *name;
  int64_t size;
  const char *dtype;
  int64_t in_elements, out_elements, full_bytes, latency_ns, start_skew_ns, earliest, latest;
  double wait_mean_ns;
  int64_t end_skew_ns;
  double algbw, busbw;
  bool complete;
  int64_t span;
} CollectiveRow;

typedef struct StragglerRow {
  int64_t rank, wait_ns;
  double wait_mean_ns;
  int64_t last, first;
  double last_share;
  int64_t collectives, comm_ns;
} StragglerRow;

typedef struct KindRow {
  const char *group, *ranks, *name;
  int64_t size;
  const char *dtype;
  int64_t in_elements, out_elements;
  const char *in_split, *out_split, *stream;
  int64_t in_bytes, out_bytes, calls, total_ns;
  double mean_ns, std_ns;
  int64_t min_ns, max_ns;
} KindRow;

typedef struct CallRow {
  MillText collective;
  int64_t index;
  const char *group, *ranks, *name;
  int64_t size;
  const char *dtype;
  int64_t in_elements, in_bytes, out_elements, out_bytes;
  const char *in_split, *out_split, *stream;
  int64_t start_ns, duration_ns, node, span;
} CallRow;

#endif
