/* Maps by size; see ranked.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/ranked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *p, const void *q)
{
  const RankedEntry *a = p, *b = q;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  uint32_t len = a->entry->len < b->entry->len ? a->entry->len : b->entry->len;
  int order = memcmp(a->entry->key, b->entry->key, len);
  return order ? order : (a->entry->len > b->entry->len) - (a->entry->len < b->entry->len);
}

bool ranked_make(const MillHost *common, Keyed *k, int64_t (*size_of)(const void *state),
                 Ranked *out)
{
  const KeyedEntry *const *sorted = keyed_sorted(k);
  *out = (Ranked){ .n = keyed_count(k) };
  out->entries = common->scratch(common, (out->n + (size_t)1) * sizeof *out->entries);
  if (!sorted || !out->entries) return false;
  for (uint32_t i = 0; i < out->n; i++) {
    out->entries[i] = (RankedEntry){ sorted[i], size_of(sorted[i]->state) };
    out->total += out->entries[i].size;
  }
  qsort(out->entries, out->n, sizeof *out->entries, compare);
  return true;
}

double percent_of(__int128 part, __int128 whole)
{
  return whole > 0 ? (double)part / (double)whole * 100 : (double)NAN;
}

double ranked_share(const Ranked *r, uint32_t i)
{
  return percent_of(r->entries[i].size, r->total);
}

double ranked_cumulative(Ranked *r, uint32_t i)
{
  r->sum = i == 0 ? r->entries[i].size : r->sum + r->entries[i].size;
  return percent_of(r->sum, r->total);
}
