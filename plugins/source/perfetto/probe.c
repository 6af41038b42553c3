/* Whether first bytes are packets: any file may begin with a line break, so the fields of packets are looked at. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_8 = 1, WIRE_BYTES = 2, WIRE_4 = 5 };
enum { SURE = 90, BY_NAME = 40, LARGEST_FIELD = 1023 };

/* The next field; NULL when it is none.  One whose bytes go on behind the end ends there. */
static const uint8_t *skip_field(const uint8_t *p, const uint8_t *end, bool is_whole,
                                 uint64_t *out_field, unsigned *out_wire)
{
  uint64_t tag, value = 0;
  p = frame_varint(p, end, &tag);
  if (!p) return NULL;
  *out_field = tag >> 3;
  *out_wire = tag & 7;
  switch (*out_wire) {
  case WIRE_VARINT: return frame_varint(p, end, &value);
  case WIRE_8: value = 8; break;
  case WIRE_4: value = 4; break;
  case WIRE_BYTES:
    p = frame_varint(p, end, &value);
    if (!p) return NULL;
    break;
  default: return NULL;
  }
  if (value <= (uint64_t)(end - p)) return p + value;
  return is_whole ? NULL : end;
}

static bool is_number(uint64_t field)
{
  static const uint64_t numbers[] = { 3, 8, 10, 13, 41, 42, 58, 79, 87, 98 };
  for (size_t i = 0; i < MILL_COUNT(numbers); i++)
    if (field == numbers[i]) return true;
  return false;
}

/* What nearly every packet has one of. */
static bool is_mark(uint64_t field)
{
  static const uint64_t marks[] = { 3, 6, 8, 10, 11, 12, 13, 33, 36, 50, 59, 60, 133 };
  for (size_t i = 0; i < MILL_COUNT(marks); i++)
    if (field == marks[i]) return true;
  return false;
}

/* False: it is no packet.  What is cut off by the end of what is shown may be one. */
static bool look_at_packet(const uint8_t *p, const uint8_t *end, bool is_whole, bool *io_marked)
{
  while (p < end) {
    uint64_t field = 0;
    unsigned wire = 0;
    const uint8_t *after = skip_field(p, end, is_whole, &field, &wire);
    if (!after) return !is_whole && end - p < 20;
    if (field == 0 || field > LARGEST_FIELD) return false;
    if (wire != (is_number(field) ? WIRE_VARINT : WIRE_BYTES)) return false;
    *io_marked = *io_marked || is_mark(field);
    p = after;
  }
  return true;
}

static bool are_packets(const uint8_t *p, const uint8_t *end)
{
  bool is_marked = false;
  uint64_t len;
  while (p < end && *p == 0x0a) {
    const uint8_t *body = frame_varint(p + 1, end, &len);
    if (!body) return is_marked && end - p <= 10;
    if (len > PACKET_MAX) return false;
    bool is_whole = len <= (uint64_t)(end - body);
    if (!look_at_packet(body, is_whole ? body + len : end, is_whole, &is_marked)) return false;
    if (!is_whole) return is_marked;
    p = body + len;
  }
  return is_marked && p == end;
}

int pft_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  const uint8_t *p = (const uint8_t *)bytes;
  if (len == 0 || *p != 0x0a) return 0;
  if (are_packets(p, p + len)) return SURE;
  bool is_named = name && (strstr(name, ".pftrace") || strstr(name, ".perfetto-trace"));
  return is_named ? BY_NAME : 0;
}
