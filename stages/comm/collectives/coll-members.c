/* Members of a collective; see coll-members.h.  Data goes along a chain, or up a tree, and comes back by a
 * multicast from the last rank of the chain, or from the first, the root of the tree. */
/* SPDX-License-Identifier: MIT */
#include "coll-members.h"

#include <stdlib.h>
#include "kit/state/search.h"

static int by_rank(const void *a, const void *b)
{
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return (p > q) - (p < q);
}

/* All ranks that send or receive, each once. */
static uint32_t find_ranks(const FlowGroup *group, int64_t *ranks)
{
  uint32_t n = 0, unique = 0;
  for (uint32_t i = 0; i < group->n_transfers; i++) {
    const FlowTransfer *t = &group->transfers[i];
    if (t->rank >= 0) ranks[n++] = t->rank;
    if (t->receiver >= 0) ranks[n++] = t->receiver;
  }
  if (n) qsort(ranks, n, sizeof *ranks, by_rank);
  for (uint32_t i = 0; i < n; i++)
    if (i == 0 || ranks[i] != ranks[i - 1]) ranks[unique++] = ranks[i];
  return unique;
}

static CollMember *member_of(const CollMembers *m, int64_t rank)
{
  size_t at = FIRST_NOT(m->n, i, m->items[i].rank < rank);
  return at < m->n && m->items[at].rank == rank ? &m->items[at] : NULL;
}

/* Whoever is sent to begins with a receive, others with a send. */
static bool is_of_begin(const CollMember *member, const FlowTransfer *t)
{
  return member->is_sent_to ? t->kind == FLOW_RECEIVE : t->kind == FLOW_SEND;
}

static bool is_earlier(const FlowTransfer *a, const FlowTransfer *b)
{
  return a->ts_ns != b->ts_ns ? a->ts_ns < b->ts_ns : a->number < b->number;
}

static void take_transfer(CollMember *member, const FlowTransfer *t)
{
  const FlowTransfer *first = member->first;
  if (t->bytes > member->bytes) member->bytes = t->bytes;
  if (!first || t->end_ns > member->end_ns) member->end_ns = t->end_ns;
  bool is = is_of_begin(member, t), was = first && is_of_begin(member, first);
  if (!first || (is && !was) || (is == was && is_earlier(t, first))) member->first = t;
}

static CollAlgorithm algorithm_of(const FlowGroup *group, const CollMembers *m)
{
  const FlowTransfer *order = NULL;
  for (uint32_t i = 0; i < group->n_transfers; i++) {
    const FlowTransfer *t = &group->transfers[i];
    if (t->kind == FLOW_MULTICAST && (!order || is_earlier(t, order))) order = t;
  }
  if (!order || m->n < 2) return COLL_UNKNOWN;
  if (order->rank == m->items[0].rank) return COLL_TREE;
  return order->rank == m->items[m->n - 1].rank ? COLL_CHAIN : COLL_UNKNOWN;
}

bool coll_members_find(const MillHost *common, const FlowGroup *group, CollMembers *out)
{
  int64_t *ranks = common->scratch(common, 2 * (size_t)group->n_transfers * sizeof *ranks);
  if (!ranks) return false;
  *out = (CollMembers){ .n = find_ranks(group, ranks) };
  out->items = common->scratch(common, (size_t)out->n * sizeof *out->items + 1);
  if (!out->items) return false;
  for (uint32_t i = 0; i < out->n; i++) out->items[i].rank = ranks[i];
  for (uint32_t i = 0; i < group->n_transfers; i++) {
    const FlowTransfer *t = &group->transfers[i];
    CollMember *to = t->kind == FLOW_SEND ? member_of(out, t->receiver) : NULL;
    if (to) to->is_sent_to = true;
  }
  for (uint32_t i = 0; i < group->n_transfers; i++) {
    CollMember *member = member_of(out, group->transfers[i].rank);
    if (member) take_transfer(member, &group->transfers[i]);
  }
  for (uint32_t i = 0; i < out->n; i++) out->n_missing += !out->items[i].first;
  out->algorithm = algorithm_of(group, out);
  return true;
}
