/* The set of launches; see launches.h. */
/* SPDX-License-Identifier: MIT */
#include "launches.h"

#include "kit/state/grow.h"

enum { FIRST_SLOTS = 64, LOG2_IDS = 6 };

typedef struct Ids { /* 64 consecutive ones */
  int64_t number;    /* id / 64, rounded down */
  uint64_t bits;     /* 0: an empty slot */
} Ids;

void launches_init(Launches *l, const MillHost *common)
{
  const MillSeed *seed = common->seed;
  *l = (Launches){ .common = common, .seed = seed };
}

void launches_clear(Launches *l)
{
  array_free(l->common, l->slots);
  array_free(l->common, l->waiting);
  *l = (Launches){ .common = l->common, .seed = l->seed };
}

static int64_t number_of(int64_t id) { return id >> LOG2_IDS; }
static uint64_t bit_of(int64_t id) { return (uint64_t)1 << (id & ((1 << LOG2_IDS) - 1)); }

/* Its slot, or the empty one where it belongs. */
static Ids *slot_of(const Launches *l, int64_t number)
{
  uint32_t i = (uint32_t)hash_pair(l->seed, (uint64_t)number, 0) & (l->n_slots - 1);
  while (l->slots[i].bits && l->slots[i].number != number) i = (i + 1) & (l->n_slots - 1);
  return &l->slots[i];
}

static bool grow(Launches *l)
{
  Launches bigger = *l;
  bigger.n_slots = l->n_slots ? l->n_slots * 2 : FIRST_SLOTS;
  bigger.slots = mill_new(l->common, bigger.n_slots * sizeof *bigger.slots);
  if (!bigger.slots) return false;
  for (uint32_t i = 0; i < l->n_slots; i++)
    if (l->slots[i].bits) *slot_of(&bigger, l->slots[i].number) = l->slots[i];
  array_free(l->common, l->slots);
  bigger.last = NULL;
  *l = bigger;
  return true;
}

bool launches_add(Launches *l, int64_t id)
{
  int64_t number = number_of(id);
  if (l->last && l->last->number == number) {
    l->last->bits |= bit_of(id);
    return true;
  }
  if (l->n >= l->n_slots / 2 && !grow(l)) return false;
  l->last = slot_of(l, number);
  l->n += l->last->bits == 0;
  l->last->number = number;
  l->last->bits |= bit_of(id);
  return true;
}

bool launches_have(const Launches *l, int64_t id)
{
  if (l->n == 0) return false;
  int64_t number = number_of(id);
  const Ids *ids = l->last && l->last->number == number ? l->last : slot_of(l, number);
  return ids->bits & bit_of(id);
}

bool launches_wait(Launches *l, const DeviceWork *work)
{
  if (!array_reserve(l->common, &l->waiting, &l->capacity, l->n_waiting + 1, sizeof *l->waiting))
    return false;
  l->waiting[l->n_waiting++] = *work;
  return true;
}
