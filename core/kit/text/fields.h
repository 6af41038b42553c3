/* Several texts as one, whatever is in them: each as its length, a colon, and its bytes. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_FIELDS_H
#define KIT_FIELDS_H

#include <stagemill/types.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/state/grow.h"

typedef struct Buffer { /* { .common = common } is empty */
  const MillHost *common;
  char *text;
  size_t len, capacity;
} Buffer;

/* Here and below false means that memory was refused. */
static inline bool buffer_add(Buffer *b, const char *text, size_t len)
{
  if (!array_reserve(b->common, &b->text, &b->capacity, b->len + len + 1, 1)) return false;
  if (len) memcpy(b->text + b->len, text, len);
  b->len += len;
  b->text[b->len] = 0;
  return true;
}

static inline bool fields_put(Buffer *b, const char *text, size_t len)
{
  char digits[DIGITS_MAX + 1];
  size_t n = digits_write(digits, (int64_t)len);
  digits[n] = ':';
  return buffer_add(b, digits, n + 1) && buffer_add(b, text, len);
}

typedef MillText Field;

/* The next one, and where the one after it is; empty at the end. */
static inline Field fields_next(const char **io_at, const char *end)
{
  uint64_t len = 0;
  const char *p = digits_scan(*io_at, end, 10, (uint64_t)(end - *io_at), &len);
  Field none = { end, 0 };
  if (!p || p == *io_at || p == end || *p != ':' || len > (uint64_t)(end - p - 1)) {
    *io_at = end;
    return none;
  }
  *io_at = p + 1 + len;
  return (Field){ p + 1, (size_t)len };
}

#endif
