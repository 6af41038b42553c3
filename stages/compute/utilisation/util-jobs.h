/* What ran in each job: a file of a rank, or, in traces that number launches, one launch in it. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_JOBS_H
#define UTIL_JOBS_H

#include "kit/state/pairmap.h"
#include "kit/trace/jobs.h"

enum { UTIL_LOW = 1, UTIL_CLOSE = 2 }; /* why a choice is uncertain */

typedef struct UtilJob {
  uint32_t group;  /* its file */
  int64_t launch;  /* 0: none */
  int64_t calls;   /* kernels of which it is known how long they took */
  int64_t time_ns; /* their durations */
  int64_t first_ns, last_ns;
  uint32_t node;  /* of a launch: its last kernel in the tree of sequences */
  uint32_t table; /* that was chosen, plus 1 */
  uint8_t doubts;
  bool is_counted;
  int64_t seen_ns; /* while events go by: the latest end of its kernels so far */
} UtilJob;

/* Launches mostly repeat few sequences of kernels: each sequence is one path from the root, 0, whatever the number
 * of launches. */
typedef struct UtilNode {
  uint32_t parent, kernel;
} UtilNode;

typedef struct UtilJobs {
  const MillHost *common;
  Jobs groups; /* to a UtilGroup */
  MillSym launch_key;
  PairMap launches; /* of a group and a launch: the job, plus 1; launch 0: the rest of the file */
  PairMap children; /* of a node and a kernel: the node, plus 1 */
  PairMap calls;    /* of a job that is no launch, and a kernel */
  UtilJob *jobs;
  UtilNode *nodes;
  size_t max_jobs, max_nodes;
  uint32_t n_jobs, n_nodes, n_groups;
} UtilJobs;

/* Here and below false, or NULL, means that memory was refused. */
bool util_jobs_open(UtilJobs *, const MillHost *common);
/* The job of an event, made if need be.  Moves when another one is made. */
UtilJob *util_jobs_of(UtilJobs *, const MillBatch *, const MillEvent *);
bool util_jobs_add_kernel(UtilJobs *, const UtilJob *, uint32_t kernel);
static inline uint32_t util_jobs_number(const UtilJobs *jobs, const UtilJob *job)
{
  return (uint32_t)(job - jobs->jobs);
}

typedef struct UtilGroupName {
  MillText name;
  uint32_t number;
} UtilGroupName;
/* The groups, until the call returns; NULL: memory was refused. */
UtilGroupName *util_groups_list(const UtilJobs *);
/* Jobs of the same lane, as they were saved: they and their groups take the place of what is there, and which kernels
 * there were is forgotten. */
bool util_jobs_restore(UtilJobs *, const UtilGroupName *, uint32_t n_groups, const UtilJob *, uint32_t n_jobs);

/* For a stage's `reads`. */
#define UTIL_JOBS_READS \
  JOBS_READS(MILL_KIND(MILL_SLICE)), { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) }

#endif
