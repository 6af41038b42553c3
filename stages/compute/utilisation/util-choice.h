/* Which table of ideal cycles a job was compiled with. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_CHOICE_H
#define UTIL_CHOICE_H

#include "util-jobs.h"
#include "util-tables.h"

typedef struct UtilCall { /* of one kernel in a job that is no launch */
  uint32_t job, kernel;
  int64_t calls;
} UtilCall;

typedef struct UtilKernel {
  uint32_t number;
} UtilKernel;

typedef struct UtilLane { /* what a lane saw, and what was chosen for it */
  uint32_t index;
  bool has_table; /* one that is for its rank */
  int64_t rank;
  UtilGroupName *groups;
  UtilJob *jobs;
  UtilKernel *kernels; /* all that it ran, also where nobody knows how long they took */
  UtilNode *nodes; /* without the root */
  UtilCall *calls; /* by job */
  uint32_t n_groups, n_jobs, n_kernels, n_nodes, n_calls;
} UtilLane;

/* A billion: every call is named, and the device computed all the time. */
#define UTIL_SCORE_ONE 1000000000

/* How well a table fits: half the share of calls that it names, and half of ideal by measured time; 0 where ideal
 * exceeds measured time by more than 5 %. */
int64_t util_score(int64_t named, int64_t calls, int64_t cycles, int64_t core_hz, int64_t time_ns);

/* Gives each job of the lane the table with the best score, the first of equal ones; false: memory was refused. */
bool util_choose(UtilLane *, const UtilTables *, int64_t core_hz);

#endif
