/* What ranks ran and what logs say, taken from one level to the other. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_RUN_H
#define UTIL_RUN_H

#include "util-choice.h"
#include "util-results.h"

typedef struct UtilSeen { /* by a lane */
  UtilKernels kernels;
  UtilJobs jobs;
  UtilTables tables;
} UtilSeen;

/* Here and below false means that memory was refused. */
bool util_seen_open(UtilSeen *, const MillHost *common);
bool util_seen_save(const UtilSeen *, const MillStageHost *, const MillLane *);

typedef struct UtilRun {
  const MillHost *common;
  Names kernels;
  UtilTables tables;
  UtilLane *lanes;
  size_t max_lanes;
  uint32_t n_lanes;
} UtilRun;

void util_run_open(UtilRun *, const MillHost *common);
bool util_run_merge(UtilRun *, const MillStageHost *);
bool util_run_decide(UtilRun *, int64_t core_hz);
bool util_run_save(const UtilRun *, const MillStageHost *);
/* Jobs of a lane with their groups, and its index. */
extern const StateType util_chosen_lane_state;

typedef struct UtilCost { /* of a kernel, by a table */
  int64_t cycles;
  UtilCategory *category;
} UtilCost;

typedef struct UtilChosen { /* a table that a job of this lane has */
  bool used, autopilot;
  int64_t cycles;
  UtilCategory *total, *other;
} UtilChosen;

typedef struct UtilDecision { /* for a lane */
  bool has_table;
  UtilChosen *tables; /* by number */
  uint32_t n_tables, n_costs;
  UtilCost *costs;
  size_t max_costs;
  PairMap of_kernel; /* of a table and a kernel: its cost, plus 1 */
} UtilDecision;

/* The jobs of the lane have their tables then. */
bool util_decision_load(UtilDecision *, const MillStageHost *, uint32_t lane, UtilSeen *,
                        UtilResults *);
/* What a kernel costs by the table of its job; NULL: the table does not name it. */
const UtilCost *util_cost(const UtilDecision *, uint32_t table, uint32_t kernel);

#endif
