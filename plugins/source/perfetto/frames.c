/* Packets out of bytes that are read piece by piece: each is 0x0a, its length, and as many bytes. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>

#define READ_BYTES ((size_t)64 << 10)
#define HEAD_MAX 11u    /* 0x0a and a varint */
#define PACKET_TAG 0x0a /* field 1, bytes */

const uint8_t *frame_varint(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
  uint64_t value = 0;
  for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
    value |= (uint64_t)(*p & 0x7f) << shift;
    if (*p++ < 0x80) {
      *out = value;
      return p;
    }
  }
  return NULL;
}

/* What is not used yet goes to the front. */
static void move_to_front(Frames *f)
{
  size_t len = f->end - f->at;
  if (f->at) memmove(f->bytes, f->bytes + f->at, len);
  f->n_before += f->at;
  f->at = 0;
  f->end = len;
}

static bool resize(Frames *f, size_t max)
{
  char *moved = f->common->resize(f->common, f->bytes, max);
  if (!moved) return false;
  f->bytes = moved;
  f->max = max;
  return true;
}

/* Memory grows with the bytes that are there, not with the length that they claim. */
static bool read_more(Frames *f)
{
  if (f->end == f->max && !resize(f, MAX(2 * f->max, READ_BYTES))) {
    f->status = -MILL_LIMIT;
    return false;
  }
  int64_t n = f->read(f->user, f->bytes + f->end, f->max - f->end);
  f->at_end = n == 0;
  if (n < 0) f->status = (int)n;
  f->end += n > 0 ? (size_t)n : 0;
  return n >= 0;
}

/* At least `wanted` bytes, unless the input ends.  False: failed. */
static bool fill(Frames *f, size_t wanted)
{
  if (f->end - f->at >= wanted || f->at_end) return true;
  move_to_front(f);
  while (f->end < wanted && !f->at_end)
    if (!read_more(f)) return false;
  return true;
}

/* After a large packet there is room for usual ones again. */
static void shrink(Frames *f)
{
  if (f->max <= READ_BYTES || f->end - f->at > READ_BYTES / 2) return;
  move_to_front(f);
  resize(f, READ_BYTES);
}

FrameStatus frames_next(Frames *f, Frame *out)
{
  uint64_t len;
  shrink(f);
  if (!fill(f, HEAD_MAX)) return FRAME_FAILED;
  const uint8_t *p = (const uint8_t *)f->bytes + f->at, *end = p + (f->end - f->at);
  out->at = f->n_before + f->at;
  if (p == end) return FRAME_END;
  if (*p != PACKET_TAG) return FRAME_NO_PACKET;
  const uint8_t *body = frame_varint(p + 1, end, &len);
  if (!body) return end - p < HEAD_MAX ? FRAME_CUT : FRAME_NO_PACKET;
  if (len > PACKET_MAX) return FRAME_LONG;
  size_t whole = (size_t)(body - p) + (size_t)len;
  if (!fill(f, whole)) return FRAME_FAILED;
  if (f->end - f->at < whole) return FRAME_CUT;
  f->at += whole;
  out->bytes = (const uint8_t *)f->bytes + f->at - len;
  out->len = (size_t)len;
  return FRAME_PACKET;
}

void frames_restart(Frames *f)
{
  f->at = f->end = 0;
  f->n_before = 0;
  f->at_end = false;
  f->status = 0;
}

void frames_clear(Frames *f)
{
  if (f->bytes) f->common->resize(f->common, f->bytes, 0);
  f->bytes = NULL;
}
