/* Texts that grow by small pieces: without a call where there is room, as there mostly is. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_TEXT_PUT_H
#define BASE_TEXT_PUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void text_put(GString *out, const char *bytes, size_t len)
{
  if (out->allocated_len - out->len <= len) {
    g_string_append_len(out, bytes, (gssize)len);
    return;
  }
  memcpy(out->str + out->len, bytes, len);
  out->len += len;
  out->str[out->len] = '\0';
}

/* So that nobody has to look at its characters one by one. */
static inline bool text_is_ascii(const char *text, size_t len)
{
  const uint64_t high = UINT64_C(0x8080808080808080);
  uint64_t eight, seen = 0;
  size_t i = 0;
  for (; i + sizeof eight <= len; i += sizeof eight) {
    memcpy(&eight, text + i, sizeof eight);
    seen |= eight;
  }
  for (; i < len; i++) seen |= (unsigned char)text[i];
  return !(seen & high);
}

#endif
