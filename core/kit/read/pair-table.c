/* Numbers by pairs of numbers, and arrays, in memory that the host counts. */
/* SPDX-License-Identifier: MIT */
#include "pair-table.h"

#define FIRST_SLOTS 64u

static PairSlot *slot_of(const PairTable *t, uint64_t a, uint64_t b)
{
  for (uint64_t i = hash_pair(t->seed, a, b);; i++) {
    PairSlot *slot = &t->slots[i & t->mask];
    if (!slot->value || (slot->a == a && slot->b == b)) return slot;
  }
}

uint64_t pair_table_get(const PairTable *t, uint64_t a, uint64_t b)
{
  return t->slots ? slot_of(t, a, b)->value : 0;
}

static bool is_kept(const PairTable *t, const PairSlot *slot)
{
  return slot->value && (!t->keeps || t->keeps(t->user, slot));
}

/* Room for as many as are kept, and as many more. */
static bool make_room(PairTable *t)
{
  PairTable old = *t;
  uint32_t n_slots = old.slots ? old.mask + 1 : 0, n_kept = 0;
  for (uint32_t i = 0; i < n_slots; i++) n_kept += is_kept(t, &old.slots[i]);
  uint64_t size = FIRST_SLOTS;
  while (size < 4 * (uint64_t)n_kept) size *= 2;
  if (size > UINT32_MAX) return false;
  t->slots = mill_new(t->common, size * sizeof *t->slots);
  if (!t->slots) {
    t->slots = old.slots;
    return false;
  }
  t->mask = (uint32_t)size - 1;
  t->n_used = n_kept;
  for (uint32_t i = 0; i < n_slots; i++)
    if (is_kept(t, &old.slots[i])) *slot_of(t, old.slots[i].a, old.slots[i].b) = old.slots[i];
  if (old.slots) t->common->resize(t->common, old.slots, 0);
  return true;
}

bool pair_table_put(PairTable *t, uint64_t a, uint64_t b, uint64_t value)
{
  bool has_room = t->slots && t->n_used < (t->mask + 1) / 4 * 3;
  if (!has_room && !make_room(t)) return false;
  PairSlot *slot = slot_of(t, a, b);
  t->n_used += !slot->value;
  *slot = (PairSlot){ a, b, value };
  return true;
}

void pair_table_clear(PairTable *t)
{
  if (t->slots) t->common->resize(t->common, t->slots, 0);
  t->slots = NULL;
  t->n_used = 0;
}

void *array_grow(const MillHost *common, void *old, uint32_t n, uint32_t *max, size_t element_size)
{
  if (n < *max) return old;
  uint32_t wanted = *max ? *max * 2 : 8;
  void *larger = wanted > n ? common->resize(common, old, (size_t)wanted * element_size) : NULL;
  if (larger) *max = wanted;
  return larger;
}
