/* A hash of powers; see power-values.h. */
/* SPDX-License-Identifier: MIT */
#include "power-values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/numbers/clip.h"

#define FIRST_SLOTS 64u

static PowerValue *slot_of(const PowerValues *v, int64_t key)
{
  uint32_t at = (uint32_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % v->n_slots;
  while (v->slots[at].key && v->slots[at].key != key) at = (at + 1) % v->n_slots;
  return &v->slots[at];
}

static void put(PowerValues *v, int64_t key, int64_t dur_ns)
{
  PowerValue *slot = slot_of(v, key);
  v->n += !slot->key;
  slot->key = key;
  slot->dur_ns = add_clipped(slot->dur_ns, dur_ns);
}

/* Into so many places, without so many bits of each. */
static bool lay_out(const MillHost *common, PowerValues *v, uint32_t n_slots, uint32_t bits)
{
  PowerValues old = *v;
  PowerValue *slots = mill_new(common, n_slots * sizeof *slots);
  if (!slots) return false;
  *v = (PowerValues){ .slots = slots, .n_slots = n_slots, .shift = old.shift + bits };
  for (uint32_t i = 0; i < old.n_slots; i++)
    if (old.slots[i].key) put(v, ((old.slots[i].key - 1) >> bits) + 1, old.slots[i].dur_ns);
  if (old.slots) common->resize(common, old.slots, 0);
  return true;
}

static bool coarsen(const MillHost *common, PowerValues *v)
{
  return lay_out(common, v, v->n_slots ? v->n_slots : FIRST_SLOTS, 1);
}

/* Twice as much, up to the most that are told apart; then one bit less of each. */
static bool make_space(const MillHost *common, PowerValues *v)
{
  if (!v->n_slots) return lay_out(common, v, FIRST_SLOTS, 0);
  return v->n < POWER_VALUES_MAX ? lay_out(common, v, 2 * v->n_slots, 0) : coarsen(common, v);
}

bool power_values_add(const MillHost *common, PowerValues *v, int64_t nw, int64_t dur_ns)
{
  while (2 * v->n >= v->n_slots && (!v->n_slots || !slot_of(v, (nw >> v->shift) + 1)->key))
    if (!make_space(common, v)) return false;
  put(v, (nw >> v->shift) + 1, dur_ns);
  return true;
}

bool power_values_merge(const MillHost *common, PowerValues *to, const PowerValues *from)
{
  bool fits = true;
  while (fits && from->n > 0 && to->shift < from->shift) fits = coarsen(common, to);
  for (uint32_t i = 0; fits && i < from->n_slots; i++)
    if (from->slots[i].key)
      fits = power_values_add(common, to, (from->slots[i].key - 1) << from->shift,
                              from->slots[i].dur_ns);
  return fits;
}

static int by_power(const void *a, const void *b)
{
  const PowerValue *p = a, *q = b;
  return (p->key > q->key) - (p->key < q->key);
}

double power_values_median(const MillHost *common, const PowerValues *v)
{
  if (v->n == 0) return (double)NAN;
  PowerValue *sorted = common->scratch(common, v->n * sizeof *sorted);
  uint32_t n = 0;
  __extension__ __int128 whole_ns = 0, passed_ns = 0;
  if (!sorted) return (double)NAN;
  for (uint32_t i = 0; i < v->n_slots; i++) {
    if (!v->slots[i].key) continue;
    sorted[n++] = v->slots[i];
    whole_ns += v->slots[i].dur_ns;
  }
  qsort(sorted, n, sizeof *sorted, by_power);
  for (n = 0; n < v->n - 1; n++) {
    passed_ns += sorted[n].dur_ns;
    if (2 * passed_ns >= whole_ns) break;
  }
  return (double)((sorted[n].key - 1) << v->shift) / 1e9;
}
