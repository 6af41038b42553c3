/* Text of unknown origin, made fit for a message; see printable.h. */
/* SPDX-License-Identifier: MIT */
#include "model/printable.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST_BYTES = 160, KEPT_BYTES = 70 };

bool printable_escapes(gunichar c)
{
  return g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT;
}

void printable_append(GString *out, const char *text, size_t len, const char *kept)
{
  const char *p = text, *end = text + len;
  while (p < end) {
    gunichar c = g_utf8_get_char_validated(p, end - p);
    bool valid = c != (gunichar)-1 && c != (gunichar)-2;
    bool plain = valid && !printable_escapes(c);
    if (plain || (*p && strchr(kept, *p))) {
      const char *next = g_utf8_next_char(p);
      g_string_append_len(out, p, next - p);
      p = next;
    } else {
      g_string_append_printf(out, "\\x%02x", (unsigned char)*p++);
    }
  }
}

char *printable(const char *text)
{
  GString *out = g_string_new(NULL);
  size_t len = strlen(text);
  if (len <= LONGEST_BYTES) {
    printable_append(out, text, len, "");
    return g_string_free(out, FALSE);
  }
  size_t head = KEPT_BYTES, tail = len - KEPT_BYTES;
  while (head > KEPT_BYTES - 4 && ((unsigned char)text[head] & 0xc0) == 0x80) head--;
  while (tail < len && ((unsigned char)text[tail] & 0xc0) == 0x80) tail++;
  printable_append(out, text, head, "");
  g_string_append(out, "...");
  printable_append(out, text + tail, len - tail, "");
  return g_string_free(out, FALSE);
}
