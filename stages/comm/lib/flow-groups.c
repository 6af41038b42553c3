/* Opening, ageing and pairing of groups; see flow-groups.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/interval.h"
#include "comm/lib/flow-groups.h"

#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"

/* A rank orders a multicast once a round. */
static bool has_multicast_of(const FlowGroup *group, int64_t rank)
{
  for (uint32_t i = 0; group->n_multicasts && i < group->n_transfers; i++)
    if (group->transfers[i].kind == FLOW_MULTICAST && group->transfers[i].rank == rank) return true;
  return false;
}

typedef enum Belongs { NOT_HERE, MAY_JOIN, IS_AWAITED } Belongs;

/* A round ends where something of it comes again: a pair that is complete and over, or a multicast. */
static Belongs belongs(const FlowGroup *group, const FlowTransfer *t)
{
  if (t->kind == FLOW_MULTICAST) return has_multicast_of(group, t->rank) ? NOT_HERE : MAY_JOIN;
  const FlowKey *key = flow_balance_find(&group->balance, t->sync, t->receiver);
  if (!key) return MAY_JOIN;
  return flow_key_waits(key) || t->ts_ns <= key->end_ns ? IS_AWAITED : NOT_HERE;
}

/* The oldest round that waits for it, else the newest, if it has nothing like it.  NULL: a new one begins. */
static FlowGroup *find(FlowGroups *groups, uint32_t name, const FlowTransfer *t)
{
  FlowGroup *newest = NULL;
  for (uint32_t i = 0; i < groups->n_open; i++) {
    if (groups->open[i].name != name) continue;
    newest = &groups->open[i];
    if (groups->by_rounds && belongs(newest, t) == IS_AWAITED) return newest;
  }
  if (!newest || !groups->by_rounds || belongs(newest, t) == MAY_JOIN) return newest;
  newest->ended = true;
  if (newest->latest_ns < groups->due_ns) groups->due_ns = newest->latest_ns;
  return NULL;
}

static FlowGroup *open_group(FlowGroups *groups, uint32_t name, const FlowTransfer *first)
{
  if (!array_reserve(groups->common, &groups->open, &groups->capacity, groups->n_open + 1,
                     sizeof *groups->open))
    return NULL;
  FlowGroup *group = &groups->open[groups->n_open++];
  *group = (FlowGroup){ .name = name, .first_ns = first->ts_ns, .latest_ns = first->end_ns };
  return group;
}

static bool append(const FlowGroups *groups, FlowGroup *group, const FlowTransfer *transfer)
{
  if (!array_reserve(groups->common, &group->transfers, &group->capacity, group->n_transfers + 1,
                     sizeof *transfer))
    return false;
  group->transfers[group->n_transfers++] = *transfer;
  return true;
}

bool flow_groups_add(FlowGroups *groups, uint32_t name, const FlowTransfer *transfer)
{
  FlowGroup *group = find(groups, name, transfer);
  if (!group) group = open_group(groups, name, transfer);
  if (!group || !append(groups, group, transfer)) return false;
  if (transfer->kind != FLOW_MULTICAST &&
      !flow_balance_add(groups->common, &group->balance, transfer->sync, transfer->receiver,
                        flow_sends(transfer), transfer->end_ns))
    return false;
  group->transfers[group->n_transfers - 1].number = groups->next_number++;
  groups->n_transfers++;
  group->n_multicasts += transfer->kind == FLOW_MULTICAST;
  group->sorted = false;
  if (transfer->ts_ns < group->first_ns) group->first_ns = transfer->ts_ns;
  if (transfer->end_ns > group->latest_ns) group->latest_ns = transfer->end_ns;
  if (groups->n_transfers == 1 || group->latest_ns < groups->due_ns)
    groups->due_ns = group->latest_ns;
  return true;
}

/* Multicasts last; by sync text and receiver, receives before sends, then arrival.  Symbols
 * stand for equality only: what comes out is ordered by time. */
static int by_key(const void *a, const void *b)
{
  const FlowTransfer *p = a, *q = b;
  bool p_last = p->kind == FLOW_MULTICAST, q_last = q->kind == FLOW_MULTICAST;
  if (p_last != q_last) return p_last ? 1 : -1;
  if (p->sync != q->sync) return p->sync < q->sync ? -1 : 1;
  if (p->receiver != q->receiver) return p->receiver < q->receiver ? -1 : 1;
  if (flow_sends(p) != flow_sends(q)) return flow_sends(p) ? 1 : -1;
  return (p->number > q->number) - (p->number < q->number);
}

static uint32_t paired(const FlowGroup *group) { return group->n_transfers - group->n_multicasts; }

/* The end of the run of transfers with one key; all its receives come first. */
static uint32_t key_end(const FlowGroup *group, uint32_t first, uint32_t *out_receives)
{
  const FlowTransfer *t = group->transfers;
  uint32_t i = first, receives = 0;
  for (; i < paired(group) && t[i].sync == t[first].sync && t[i].receiver == t[first].receiver; i++)
    receives += t[i].kind == FLOW_RECEIVE;
  *out_receives = receives;
  return i;
}

static void sort(FlowGroup *group)
{
  if (group->sorted) return;
  qsort(group->transfers, group->n_transfers, sizeof group->transfers[0], by_key);
  group->sorted = true;
}

static int64_t stale_ns(const FlowGroup *group)
{
  int64_t length_ns = interval_span(group->first_ns, group->latest_ns);
  if (length_ns < FLOW_STALE_MIN_NS) length_ns = FLOW_STALE_MIN_NS;
  int64_t left_ns = (INT64_MAX - 1) / FLOW_STALE_TIMES;
  length_ns = length_ns < left_ns ? length_ns * FLOW_STALE_TIMES : INT64_MAX - 1;
  return group->latest_ns > INT64_MAX - 1 - length_ns ? INT64_MAX - 1
                                                      : group->latest_ns + length_ns;
}

FlowGroup *flow_groups_due(FlowGroups *groups, int64_t now_ns, bool force)
{
  if (groups->n_open == 0) return NULL;
  if (force) return &groups->open[0];
  if (now_ns <= groups->due_ns) return NULL;
  int64_t due_ns = INT64_MAX;
  for (uint32_t i = 0; i < groups->n_open; i++) {
    FlowGroup *group = &groups->open[i];
    int64_t at_ns = group->latest_ns;
    bool whole = (group->ended || !groups->by_rounds) && flow_balance_is_even(&group->balance);
    if (now_ns > at_ns && !whole) at_ns = stale_ns(group);
    if (now_ns > at_ns) return group;
    if (at_ns < due_ns) due_ns = at_ns;
  }
  groups->due_ns = due_ns;
  return NULL;
}

FlowGroup *flow_groups_give_up(FlowGroups *groups, bool *out_early)
{
  *out_early = false;
  for (uint32_t i = 0; i < groups->n_open; i++)
    if (flow_balance_is_even(&groups->open[i].balance)) return &groups->open[i];
  *out_early = true;
  return &groups->open[0];
}

void flow_groups_remove(FlowGroups *groups, FlowGroup *group)
{
  uint32_t index = (uint32_t)(group - groups->open);
  groups->n_transfers -= group->n_transfers;
  array_free(groups->common, group->transfers);
  flow_balance_clear(groups->common, &group->balance);
  memmove(group, group + 1, (groups->n_open - index - 1) * sizeof *group);
  groups->n_open--;
}

static int by_send(const void *a, const void *b)
{
  const FlowPair *p = a, *q = b;
  if (p->send->ts_ns != q->send->ts_ns) return p->send->ts_ns < q->send->ts_ns ? -1 : 1;
  return (p->send->number > q->send->number) - (p->send->number < q->send->number);
}

uint32_t flow_group_pairs(FlowGroup *group, FlowPair *pairs, uint32_t *out_sends,
                          uint32_t *out_receives)
{
  uint32_t n = 0;
  *out_sends = *out_receives = 0;
  sort(group);
  for (uint32_t i = 0, receives; i < paired(group);) {
    uint32_t end = key_end(group, i, &receives);
    uint32_t sends = end - i - receives;
    *out_sends += receives == 0 ? sends : 0;
    *out_receives += receives > sends ? receives - sends : 0;
    for (uint32_t k = 0; receives > 0 && k < sends; k++)
      pairs[n++] = (FlowPair){ &group->transfers[i + receives + k],
                               &group->transfers[i + (k < receives ? k : receives - 1)] };
    i = end;
  }
  if (n) qsort(pairs, n, sizeof *pairs, by_send);
  return n;
}
