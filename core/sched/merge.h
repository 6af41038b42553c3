/* Whole scope: lanes merged into one stream by time, and split by track. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_MERGE_H
#define SCHED_MERGE_H

#include "sched/run.h"

typedef struct Merge Merge;

/* Takes the sorted stores of the lanes. Makes the merged lane, which reads from them. */
Lane *merge_lanes(Run *run, GPtrArray *lanes);
Error *merge_next(Merge *m, bool with_bytes, Batch **out); /* see gather.h */
void merge_free(Merge *m);
/* Distributes the merged lane's store to the lanes' own stores. */
Error *merge_split(Run *run, Lane *merged);
GPtrArray *merge_members(const Lane *merged); /* Lane * */

#endif
