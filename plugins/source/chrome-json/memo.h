/* Short texts that were parsed before, and what they meant.
 *
 * Rows, and what is between two events, are mostly the same as last time.  A memo is a short
 * text and what it meant; comparing is cheaper than parsing. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_MEMO_H
#define CHROME_JSON_MEMO_H

#include <stagemill/types.h>
#include <string.h>

#define MEMO_BYTES 16u
typedef struct Memo {
  uint64_t text[2], mask[2]; /* mask 0: empty, and never matched */
  uint32_t len;              /* to pass when it matches */
  MillSym meaning;           /* of a category */
  MillValue value;           /* of a row */
} Memo;

static inline bool memo_matches(const Memo *m, const char *p)
{
  uint64_t text[2];
  memcpy(text, p, sizeof text);
  uint64_t other = ((text[0] ^ m->text[0]) & m->mask[0]) | ((text[1] ^ m->text[1]) & m->mask[1]);
  return other == 0 && m->mask[0];
}

/* A longer text empties the memo. */
static inline void memo_set(Memo *m, const char *p, size_t len)
{
  char mask[MEMO_BYTES] = { 0 };
  if (len <= MEMO_BYTES) memset(mask, 0xff, len);
  memcpy(m->mask, mask, sizeof mask);
  memcpy(m->text, p, sizeof m->text);
  m->len = (uint32_t)len;
}

#endif
