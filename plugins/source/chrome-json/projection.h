/* Which attributes stages asked for, by key. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_PROJECTION_H
#define CHROME_JSON_PROJECTION_H

#include "parser.h"

#define MAX_OPEN_KEYS \
  65536u /* beyond that, keys of "*" are interned but not watched for duplicates */

static inline uint32_t slot_of(const Projection *p, const char *text, size_t len)
{
  return (uint32_t)hash_bytes(p->seed, text, len) & p->mask;
}

static inline WantedKey *find_key(const Projection *p, const char *text, size_t len)
{
  uint64_t head = jsn_head(text, len);
  for (uint32_t at = slot_of(p, text, len); p->slots[at]; at = (at + 1) & p->mask) {
    WantedKey *k = &g_array_index(p->keys, WantedKey, p->slots[at] - 1);
    if (k->head == head && k->len == len && jsn_same_tail(k->text, text, len)) return k;
  }
  return NULL;
}

/* Of a key that is not there yet. */
WantedKey *jsn_add_key(Source *s, const char *text, size_t len);

static inline WantedKey *key_at(const Projection *p, uint32_t index)
{
  return &g_array_index(p->keys, WantedKey, index);
}

#endif
