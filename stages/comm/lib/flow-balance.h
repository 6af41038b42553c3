/* Whether every send of a group has a receive and every receive its send, by sync text and receiver. */
/* SPDX-License-Identifier: MIT */
#ifndef COMM_LIB_FLOW_BALANCE_H
#define COMM_LIB_FLOW_BALANCE_H

#include <stagemill/types.h>

typedef struct FlowKey {
  int64_t receiver;
  int64_t end_ns; /* of its transfers, the latest */
  uint32_t sync;
  uint32_t sends, receives; /* both 0: an empty slot */
} FlowKey;

typedef struct FlowBalance { /* zero-initialised is empty, and even */
  FlowKey *slots;            /* open addressing */
  uint32_t n_slots, n_keys;
  uint32_t n_off; /* keys that lack a partner */
} FlowBalance;

/* False: memory was refused. */
bool flow_balance_add(const MillHost *, FlowBalance *, uint32_t sync, int64_t receiver, bool sends,
                      int64_t end_ns);
/* NULL: nothing has this key yet. */
const FlowKey *flow_balance_find(const FlowBalance *, uint32_t sync, int64_t receiver);
/* It lacks a partner. */
static inline bool flow_key_waits(const FlowKey *key)
{
  return key->receives == 0 || key->receives > key->sends;
}
/* One receive may stand for several sends. */
static inline bool flow_balance_is_even(const FlowBalance *b) { return b->n_off == 0; }
void flow_balance_clear(const MillHost *, FlowBalance *);

#endif
