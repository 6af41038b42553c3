/* The ranks of a collective, and what each of them did first and last in it. */
/* SPDX-License-Identifier: MIT */
#ifndef COLL_MEMBERS_H
#define COLL_MEMBERS_H

#include "comm/lib/flow-groups.h"

typedef struct CollMember {
  int64_t rank;
  const FlowTransfer *first; /* its part begins with it; NULL: none of its transfers is there */
  int64_t end_ns;
  int64_t bytes;
  bool is_sent_to; /* by a transfer that is no part of a multicast */
} CollMember;

typedef enum CollAlgorithm { COLL_UNKNOWN, COLL_CHAIN, COLL_TREE } CollAlgorithm;

typedef struct CollMembers {
  CollMember *items; /* by rank; they live until the call returns */
  uint32_t n, n_missing;
  CollAlgorithm algorithm;
} CollMembers;

/* False: memory was refused. */
bool coll_members_find(const MillHost *common, const FlowGroup *group, CollMembers *out);

#endif
