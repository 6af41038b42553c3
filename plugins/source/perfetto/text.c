/* Texts of packets, which may hold any bytes. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>
#include "kit/text/symbol.h"

char *source_valid_text(Source *s, const ProtobufCBinaryData *text)
{
  const char *bytes = (const char *)text->data;
  if (!text->len || g_utf8_validate_len(bytes, text->len, NULL)) return NULL;
  source_note(s, PFT_NOT_UTF8);
  return g_utf8_make_valid(bytes, (gssize)text->len);
}

MillSym source_symbol_of(Source *s, const ProtobufCBinaryData *text)
{
  if (!text->len) return 0;
  g_autofree char *valid = source_valid_text(s, text);
  if (valid) return symbol_of(s->common, valid);
  return s->common->intern(s->common, (const char *)text->data, text->len);
}
