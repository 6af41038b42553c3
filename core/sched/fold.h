/* Run-level instances: one per stage, or one for each combination of the tags it groups by. */
#ifndef SCHED_FOLD_H
#define SCHED_FOLD_H

#include "sched/run.h"

typedef struct FoldGroup {
  char **values;      /* of the tags, in their order; "" where a lane has none */
  Instance *instance; /* run-level */
  GPtrArray *waiting; /* Lane *: of those at the barrier at hand; NULL: none */
} FoldGroup;

typedef struct Fold { /* of one stage of the plan */
  GPtrArray *by;      /* char *: names of tags; empty: all lanes together */
  GPtrArray *groups;  /* FoldGroup, in the order in which lanes bring them */
  GTree *of_values;   /* the same, by their values */
  uint64_t n_values;  /* that the instances of all groups hold, see shared_count of the host */
} Fold;

Fold *folds_new(Run *run);
void folds_free(Run *run);
/* The group that the lane's state goes into; its instance is opened when the lane is its first. */
Error *fold_group(Run *run, uint32_t stage, const Lane *lane, FoldGroup **out);
/* Merges the results of lanes that are done, as far as all lanes before them are.  Any thread: it
 * keeps what waits small, and the order is always that of the lanes. */
Error *fold_done_lanes(Run *run);
/* After the last lane: reports. */
Error *fold_report(Run *run);

#endif
