/* Groups of transfers that are still open, and the pairs of sends and receives in them. */
/* SPDX-License-Identifier: MIT */
#ifndef COMM_LIB_FLOW_GROUPS_H
#define COMM_LIB_FLOW_GROUPS_H

#include <stagemill/stage.h>

#include "comm/lib/flow-balance.h"

#define FLOW_TRANSFERS_MAX 32768u /* open at one time, over all groups */
#define FLOW_GROUPS_MAX 1024u     /* open at one time */
#define FLOW_STALE_MIN_NS INT64_C(5000000000)
#define FLOW_STALE_TIMES \
  4 /* a group that lacks something is given up after so many of its lengths */

typedef enum FlowKind {
  FLOW_SEND,    /* from one rank to another */
  FLOW_SEGMENT, /* the same as part of a multicast */
  FLOW_RECEIVE,
  FLOW_MULTICAST /* the order to send segments: has no partner */
} FlowKind;

typedef struct FlowTransfer {
  int64_t ts_ns, end_ns;
  int64_t since_ns;       /* of a segment: when its multicast was ordered; else ts_ns */
  int64_t rank, receiver; /* receiver: of a multicast nothing */
  int64_t bytes;
  uint32_t sync; /* symbol of the text in [sync=] */
  uint32_t track;
  uint32_t number; /* order of arrival */
  FlowKind kind;
} FlowTransfer;

typedef struct FlowGroup {
  uint32_t name; /* symbol */
  int64_t first_ns, latest_ns;
  FlowTransfer *transfers; /* when sorted: multicasts last */
  uint32_t n_transfers, n_multicasts;
  size_t capacity;
  bool sorted;
  bool ended;          /* the next round of that name has begun */
  FlowBalance balance; /* of what has partners */
} FlowGroup;

typedef struct FlowGroups {
  const MillHost *common;
  bool
      by_rounds; /* a group is a whole round of its name; else all that is complete at some time, which is enough for pairs */
  FlowGroup *open; /* in order of opening */
  uint32_t n_open;
  size_t capacity;
  uint32_t n_transfers, next_number;
  int64_t due_ns; /* no group can be closed before */
} FlowGroups;

/* False when memory was refused (see MillHost.resize). */
bool flow_groups_add(FlowGroups *groups, uint32_t name, const FlowTransfer *transfer);
/* The first group that can be closed at that time: complete and over, by rounds only when the next one has begun (between
 * two hops of a chain all that began is complete, too); or given up.  NULL: none.  With `force`: the oldest. */
FlowGroup *flow_groups_due(FlowGroups *groups, int64_t now_ns, bool force);
/* Where there are too many: the oldest that is complete, else the oldest, which is closed too early then. */
FlowGroup *flow_groups_give_up(FlowGroups *groups, bool *out_early);
void flow_groups_remove(FlowGroups *groups, FlowGroup *group);

static inline bool flow_sends(const FlowTransfer *t)
{
  return t->kind == FLOW_SEND || t->kind == FLOW_SEGMENT;
}

typedef struct FlowPair {
  const FlowTransfer *send, *receive;
} FlowPair;

/* The pairs of a group by (send's time, arrival): of transfers with the same
 * sync text and receiver, the k-th send with the k-th receive; when receives
 * are fewer, the last one is the barrier for all further sends.  Returns their
 * number; those without partner are counted.  `pairs` has space for n_transfers. */
uint32_t flow_group_pairs(FlowGroup *group, FlowPair *pairs, uint32_t *out_sends,
                          uint32_t *out_receives);

#endif
