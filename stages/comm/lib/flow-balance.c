/* Sends and receives by key; see flow-balance.h. */
/* SPDX-License-Identifier: MIT */
#include "comm/lib/flow-balance.h"

#include "kit/state/grow.h"

enum { SLOTS_MIN = 16 };

/* The slot of a key, or the empty one where it belongs; there is always one. */
static FlowKey *slot_of(const FlowBalance *b, uint32_t sync, int64_t receiver)
{
  uint64_t at = ((uint64_t)receiver ^ (uint64_t)sync << 40) * UINT64_C(0x9e3779b97f4a7c15);
  at ^= at >> 29;
  for (at &= b->n_slots - 1; b->slots[at].sends + b->slots[at].receives > 0;
       at = (at + 1) & (b->n_slots - 1))
    if (b->slots[at].sync == sync && b->slots[at].receiver == receiver) break;
  return &b->slots[at];
}

static bool grow(const MillHost *common, FlowBalance *b)
{
  FlowBalance more = { .n_slots = b->n_slots ? 2 * b->n_slots : SLOTS_MIN };
  more.slots = common->resize(common, NULL, more.n_slots * sizeof *more.slots);
  if (!more.slots) return false;
  for (uint32_t i = 0; i < b->n_slots; i++) {
    const FlowKey *key = &b->slots[i];
    if (key->sends + key->receives > 0) *slot_of(&more, key->sync, key->receiver) = *key;
  }
  array_free(common, b->slots);
  b->slots = more.slots;
  b->n_slots = more.n_slots;
  return true;
}

const FlowKey *flow_balance_find(const FlowBalance *b, uint32_t sync, int64_t receiver)
{
  const FlowKey *key = b->n_slots ? slot_of(b, sync, receiver) : NULL;
  return key && key->sends + key->receives > 0 ? key : NULL;
}

bool flow_balance_add(const MillHost *common, FlowBalance *b, uint32_t sync, int64_t receiver,
                      bool sends, int64_t end_ns)
{
  if (2 * b->n_keys >= b->n_slots && !grow(common, b)) return false;
  FlowKey *key = slot_of(b, sync, receiver);
  bool is_new = key->sends + key->receives == 0;
  b->n_keys += is_new;
  b->n_off -= !is_new && flow_key_waits(key);
  key->sync = sync;
  key->receiver = receiver;
  if (is_new || end_ns > key->end_ns) key->end_ns = end_ns;
  key->sends += sends;
  key->receives += !sends;
  b->n_off += flow_key_waits(key);
  return true;
}

void flow_balance_clear(const MillHost *common, FlowBalance *b)
{
  array_free(common, b->slots);
  *b = (FlowBalance){ 0 };
}
