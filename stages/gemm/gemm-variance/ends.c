/* Shortest and longest slices by name; see ends.h. */
/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include <string.h>

#include "kit/state/grow.h"

typedef struct NameEnds {
  MillSym name;
  bool is_seen;
  KernelEnd min, max;
} NameEnds;

static bool is_before(const KernelEnd *a, const KernelEnd *b)
{
  return a->dur_ns != b->dur_ns ? a->dur_ns < b->dur_ns : a->seq < b->seq;
}

static void widen(NameEnds *e, const KernelEnd *min, const KernelEnd *max)
{
  if (!e->is_seen || is_before(min, &e->min)) e->min = *min;
  if (!e->is_seen || is_before(&e->max, max)) e->max = *max;
  e->is_seen = true;
}

bool ends_add(KernelEnds *k, const MillEvent *e)
{
  uint32_t number = symmap_number(k->common, &k->numbers, e->name);
  if (number == MILL_FAILED ||
      !array_reserve_at(k->common, &k->names, &k->max_names, number, sizeof *k->names))
    return false;
  const KernelEnd end = { e->dur_ns, e->ts_ns, e->seq };
  k->names[number].name = e->name;
  widen(&k->names[number], &end, &end);
  return true;
}

bool ends_find(const KernelEnds *k, MillSym kernel, KernelEnd *out_min, KernelEnd *out_max)
{
  size_t len, name_len;
  NameEnds all = { 0 };
  const char *prefix = k->common->symbol_text(k->common, kernel, &len);
  for (uint32_t i = 0; i < k->numbers.n; i++) {
    const char *name = k->common->symbol_text(k->common, k->names[i].name, &name_len);
    if (name_len < len || memcmp(name, prefix, len) != 0) continue;
    widen(&all, &k->names[i].min, &k->names[i].max);
  }
  *out_min = all.min;
  *out_max = all.max;
  return all.is_seen;
}
