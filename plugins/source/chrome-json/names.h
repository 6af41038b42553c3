/* The cache of names: a text's symbol without asking the host.  See also text.c. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_NAMES_H
#define CHROME_JSON_NAMES_H

#include "parser.h"

/* Of longer texts all words, which may overlap at the end, in four lanes. */
static inline uint64_t name_hash_long(const char *p, size_t len)
{
  uint64_t lanes[4] = { len, 1, 2, 3 };
  for (size_t at = 0; at < len; at += 32) {
    const char *q = p + (len - at < 32 ? len - 32 : at);
    for (int i = 0; i < 4; i++)
      lanes[i] = (lanes[i] ^ scan_load64(q + 8 * i)) * 0x9e3779b97f4a7c15u;
  }
  uint64_t a = lanes[0] ^ (lanes[1] << 23 | lanes[1] >> 41);
  uint64_t b = lanes[2] ^ (lanes[3] << 37 | lanes[3] >> 27);
  return jsn_mix(a ^ a >> 32, b ^ b >> 31);
}

/* Of short texts four words, which may overlap: all bytes of up to 32, most of more. */
static inline uint64_t name_hash(const char *p, size_t len)
{
  const uint64_t spread = 0x9e3779b97f4a7c15u;
  if (len < 8) return jsn_mix(len, jsn_head(p, len));
  if (len > NAME_BYTES) return name_hash_long(p, len);
  size_t third = (len - 8) / 3;
  uint64_t a = scan_load64(p), b = scan_load64(p + third);
  uint64_t c = scan_load64(p + 2 * third), d = scan_load64(p + len - 8);
  uint64_t h =
      ((a ^ (b << 29 | b >> 35)) + len) * spread ^ (d ^ (c << 41 | c >> 23)) * (spread >> 3 | 1);
  return (h ^ h >> 29) * spread >> 32;
}

static inline NameSlot *name_slot(const Source *s, const char *p, size_t len)
{
  return &s->names[name_hash(p, len) % NAME_SLOTS];
}

/* The other one of its pair. */
static inline NameSlot *name_other(const Source *s, NameSlot *slot)
{
  return &s->names[(size_t)(slot - s->names) ^ 1];
}

static inline __attribute__((always_inline)) bool name_is(const NameSlot *slot, const char *p,
                                                          size_t len, SameBytes same)
{
  if (slot->len != len || !slot->all) return false;
  if (!same(p, slot->text, len < NAME_BYTES ? len : NAME_BYTES)) return false;
  return len <= NAME_BYTES || !memcmp(slot->all + NAME_BYTES, p + NAME_BYTES, len - NAME_BYTES);
}

/* NULL: not there. */
static inline __attribute__((always_inline)) NameSlot *name_find(const Source *s, const char *p,
                                                                 size_t len, SameBytes same)
{
  NameSlot *slot = name_slot(s, p, len);
  if (name_is(slot, p, len, same)) return slot;
  slot = name_other(s, slot);
  return name_is(slot, p, len, same) ? slot : NULL;
}

#endif
