/* A growing run of bytes: what the sink composes before it hands pieces to the host. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_TEXT_H
#define KIT_CHROME_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Text {
  char *bytes;
  size_t len;
  size_t capacity;
} Text;

void text_grow(Text *t, size_t more);
void text_free(Text *t);
/* A JSON string with its quotes; always valid, whatever the bytes are. */
void text_quote(Text *t, const char *bytes, size_t len);
void text_int(Text *t, int64_t v);
void text_hex(Text *t, uint64_t v); /* "0x1f", quoted */
void text_us(Text *t, int64_t ns);  /* microseconds with all their digits */
void text_real(Text *t, double v);  /* null where JSON has no number */

static inline void text_put(Text *t, const char *bytes, size_t len)
{
  if (t->capacity - t->len < len) text_grow(t, len);
  memcpy(t->bytes + t->len, bytes, len);
  t->len += len;
}

static inline void text_char(Text *t, char c) { text_put(t, &c, 1); }

#define text_literal(t, literal) text_put((t), (literal), sizeof(literal) - 1)

#endif
