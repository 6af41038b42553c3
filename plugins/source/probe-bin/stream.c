/* Bytes of a trace, from a file as they are read or from memory. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe-bin.h"

#define BUFFER ((size_t)256 << 10)

const uint8_t *stream_more(ByteStream *s, size_t n)
{
  if (s->held || s->status < 0 || n > BUFFER) return NULL;
  if (!s->buffer) s->buffer = g_malloc(BUFFER);
  size_t left = s->len - s->pos;
  if (left) memmove(s->buffer, s->buffer + s->pos, left);
  s->offset += s->pos;
  s->at = s->buffer;
  s->pos = 0;
  s->len = left;
  while (s->len < n) { /* a read may give less than is to come */
    int64_t got = s->host->read(s->host, s->buffer + s->len, BUFFER - s->len);
    if (got < 0) s->status = (int)got;
    if (got <= 0) break;
    s->len += (size_t)got;
  }
  return s->len >= n ? s->at : NULL;
}

bool stream_skip_to(ByteStream *s, uint64_t offset)
{
  while (offset > s->offset + s->len) {
    s->pos = s->len;
    if (!stream_more(s, 1)) return false;
  }
  s->pos = (size_t)(offset - s->offset);
  return true;
}

void stream_clear(ByteStream *s)
{
  g_free(s->buffer);
  if (s->held) g_byte_array_unref(s->held);
  *s = (ByteStream){ 0 };
}
