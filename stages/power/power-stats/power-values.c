/* A hash of powers; see power-values.h. */
#include "power-values.h"

#include <stdlib.h>
#include <string.h>

#include "lib/clip.h"

#define SLOTS (2 * POWER_VALUES_MAX)

static PowerValue *slot_of(PowerValue *slots, int64_t key)
{
  uint32_t at = (uint32_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SLOTS;
  while (slots[at].key && slots[at].key != key) at = (at + 1) % SLOTS;
  return &slots[at];
}

/* False when there was no more space for a new one. */
static bool put(PowerValues *v, int64_t key, int64_t dur_ns)
{
  PowerValue *slot = slot_of(v->slots, key);
  if (!slot->key && v->n == POWER_VALUES_MAX) return false;
  if (!slot->key) v->n++;
  slot->key = key;
  slot->dur_ns = add_clipped(slot->dur_ns, dur_ns);
  return true;
}

/* One bit less of each. */
static bool coarsen(const MillHost *common, PowerValues *v)
{
  PowerValue *old = v->slots;
  PowerValue *slots = mill_new(common, SLOTS * sizeof *slots);
  if (!slots) return false;
  *v = (PowerValues){ .slots = slots, .shift = v->shift + 1 };
  for (uint32_t i = 0; i < SLOTS; i++)
    if (old[i].key) put(v, ((old[i].key - 1) >> 1) + 1, old[i].dur_ns);
  common->resize(common, old, 0);
  return true;
}

bool power_values_add(const MillHost *common, PowerValues *v, int64_t nw, int64_t dur_ns)
{
  if (!v->slots) v->slots = mill_new(common, SLOTS * sizeof *v->slots);
  if (!v->slots) return false;
  while (!put(v, (nw >> v->shift) + 1, dur_ns))
    if (!coarsen(common, v)) return false;
  return true;
}

bool power_values_merge(const MillHost *common, PowerValues *to, const PowerValues *from)
{
  bool fits = true;
  while (fits && from->n > 0 && to->shift < from->shift) {
    if (!to->slots) to->slots = mill_new(common, SLOTS * sizeof *to->slots);
    fits = to->slots && coarsen(common, to);
  }
  for (uint32_t i = 0; fits && from->n > 0 && i < SLOTS; i++)
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

MillValue power_values_median(const MillHost *common, const PowerValues *v)
{
  if (v->n == 0) return mill_none();
  PowerValue *sorted = common->scratch(common, v->n * sizeof *sorted);
  uint32_t n = 0;
  __extension__ __int128 whole_ns = 0, passed_ns = 0;
  if (!sorted) return mill_none();
  for (uint32_t i = 0; i < SLOTS; i++) {
    if (!v->slots[i].key) continue;
    sorted[n++] = v->slots[i];
    whole_ns += v->slots[i].dur_ns;
  }
  qsort(sorted, n, sizeof *sorted, by_power);
  for (n = 0; n < v->n - 1; n++) {
    passed_ns += sorted[n].dur_ns;
    if (2 * passed_ns >= whole_ns) break;
  }
  return mill_real((double)((sorted[n].key - 1) << v->shift) / 1e9);
}
