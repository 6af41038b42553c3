/* A growing run of bytes; see text.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/text.h"

#include <glib.h>
#include <math.h>

#include "base/json.h"
#include "base/num.h"

void text_grow(Text *t, size_t more)
{
  size_t capacity = t->capacity ? t->capacity : 4096;
  while (capacity - t->len < more) capacity *= 2;
  t->bytes = g_realloc(t->bytes, capacity);
  t->capacity = capacity;
}

void text_free(Text *t)
{
  g_free(t->bytes);
  *t = (Text){ 0 };
}

static bool needs_care(const char *bytes, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') return true;
  }
  return false;
}

void text_quote(Text *t, const char *bytes, size_t len)
{
  if (needs_care(bytes, len)) {
    GString *quoted = g_string_sized_new(len + 16);
    json_quote(quoted, bytes, len);
    text_put(t, quoted->str, quoted->len);
    g_string_free(quoted, TRUE);
    return;
  }
  text_char(t, '"');
  text_put(t, bytes, len);
  text_char(t, '"');
}

static char *reserve_number(Text *t)
{
  if (t->capacity - t->len < NUM_BUF) text_grow(t, NUM_BUF);
  return t->bytes + t->len;
}

void text_int(Text *t, int64_t v) { t->len += num_format_int(reserve_number(t), v); }

void text_us(Text *t, int64_t ns) { t->len += num_format_us(reserve_number(t), ns); }

void text_real(Text *t, double v)
{
  if (isfinite(v))
    t->len += num_format_real(reserve_number(t), v);
  else
    text_literal(t, "null");
}

void text_hex(Text *t, uint64_t v)
{
  char digits[20];
  size_t at = sizeof(digits);
  digits[--at] = '"';
  do digits[--at] = "0123456789abcdef"[v & 15];
  while (v >>= 4);
  text_literal(t, "\"0x");
  text_put(t, digits + at, sizeof(digits) - at);
}
