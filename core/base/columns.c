/* How many columns of a terminal a text takes; see columns.h. */
/* SPDX-License-Identifier: MIT */
#include "base/columns.h"

/* Bytes of the first character; one that is not UTF-8 is shown as one character. */
static size_t next_char(const char *text, size_t len, size_t *out_columns)
{
  *out_columns = 1;
  if ((unsigned char)*text < 0x80) return 1;
  gunichar c = g_utf8_get_char_validated(text, (gssize)len);
  if (c == (gunichar)-1 || c == (gunichar)-2) return 1;
  if (g_unichar_iszerowidth(c))
    *out_columns = 0;
  else if (g_unichar_iswide(c))
    *out_columns = 2;
  return (size_t)(g_utf8_next_char(text) - text);
}

size_t columns_of(const char *text, size_t len)
{
  size_t total = 0, columns;
  for (size_t at = 0; at < len; total += columns) at += next_char(text + at, len - at, &columns);
  return total;
}

size_t columns_head(const char *text, size_t len, size_t most)
{
  size_t at = 0, total = 0, columns;
  while (at < len) {
    size_t n = next_char(text + at, len - at, &columns);
    if (total + columns > most) break;
    total += columns;
    at += n;
  }
  return at;
}

/* Marks whose character is cut off go with it. */
size_t columns_tail(const char *text, size_t len, size_t most)
{
  size_t total = columns_of(text, len), at = 0, columns;
  while (at < len && total > most) {
    at += next_char(text + at, len - at, &columns);
    total -= columns;
  }
  while (at && at < len) {
    size_t n = next_char(text + at, len - at, &columns);
    if (columns) break;
    at += n;
  }
  return len - at;
}
