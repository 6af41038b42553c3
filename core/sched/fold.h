/* Run-level instances: one per stage, or one for each combination of values of its tags (`by`). */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_FOLD_H
#define SCHED_FOLD_H

#include "sched/run.h"

typedef struct FoldGroup {
  char **values;      /* values of the tags, in order; "" for a tag that lanes lack */
  Instance *instance; /* run-level */
  GPtrArray *waiting; /* Lane *: lanes at the current barrier; NULL: none */
  Summary decision;   /* there, once it is known */
  bool decided;       /* by another process */
} FoldGroup;

typedef struct Fold { /* of one stage of the plan */
  GPtrArray *words; /* char *: what `by` follows from once all lanes were read; NULL: it is known */
  GPtrArray *by;    /* char *: names of tags; empty: all lanes together */
  GPtrArray *groups; /* FoldGroup, in the order of their first lanes */
  GTree *of_values;  /* the same groups by their values */
  uint64_t n_values; /* held by the instances of all groups; see shared_count of the host */
} Fold;

Fold *folds_new(Run *run);
void folds_free(Run *run);
/* The group of the lane; opens the run-level instance at the first lane of a group. */
Error *fold_group(Run *run, uint32_t stage, const Lane *lane, FoldGroup **out);
/* Merges the results of ended lanes in lane order, up to the first lane that has not ended. Few
 * outcomes then wait, unless groups depend on the tags of all lanes. ran: the lane that has ended now, or NULL. Any
 * thread. */
Error *fold_done_lanes(Run *run, Lane *ran);
/* After the last lane: reports. */
Error *fold_report(Run *run);

#endif
