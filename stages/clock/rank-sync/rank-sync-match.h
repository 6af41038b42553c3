/* Marks of collectives from every lane, and the lines that put their clocks on one. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_MATCH_H
#define RANK_SYNC_MATCH_H

#include "kit/state/names.h"
#include "rank-sync-fit.h"

#define SYNC_MARKS_MAX 65536u /* of a lane */

enum { SYNC_BOTH, SYNC_SENT, SYNC_RECEIVED, SYNC_ROLES };

typedef struct SyncMark {
  int64_t at_ns;
  uint32_t key; /* its number, in order of appearance */
  uint32_t role;
} SyncMark;

typedef struct SyncStamp { /* a count of a device, and the host's time then */
  int64_t cycles, at_ns;
  bool known;
} SyncStamp;

typedef struct SyncGroup {  /* of collectives, on one lane */
  uint32_t key;             /* its name */
  SyncStamp prepared, done; /* the largest TS2 and TS5 */
  bool tree;                /* an event says that it is a tree's, not a chain's */
} SyncGroup;

/* Where device events go: at_ns is when the count is `cycles`; spans are num / den of those by cycles. */
typedef struct SyncPlace {
  int64_t cycles, at_ns, num, den; /* den 0: nowhere */
} SyncPlace;

typedef struct SyncPart { /* one lane */
  uint32_t lane;
  int64_t rank;
  SyncGroup *groups; /* in order of appearance */
  size_t groups_max;
  uint32_t *group_of_key; /* its place, plus 1 */
  size_t keys_max;
  uint32_t n_groups, missing; /* groups of the reference that are not here */
  SyncPlace place;
  SyncMark *marks;
  uint32_t n_marks;
  size_t capacity;
  bool matched;
  SyncLine line; /* all zero in the reference lane */
} SyncPart;

typedef struct SyncRun {
  const MillHost *common;
  Names keys;
  SyncPart *parts;
  uint32_t n_parts;
  size_t capacity;
  uint32_t reference; /* index of a part; n_parts: none */
} SyncRun;

/* Here and below false, or NULL, means that memory was refused (see MillHost.resize). */
SyncPart *sync_run_add(SyncRun *run, uint32_t lane, int64_t rank);
bool sync_part_add(SyncRun *run, SyncPart *part, const char *key, size_t len, uint32_t role,
                   int64_t at_ns);
/* By key, role and time: repetitions of a key are together. */
void sync_part_sort(SyncPart *part);

/* Lines for all parts that are tied to the reference, directly or over others. */
bool sync_run_align(SyncRun *run);

#endif
