/* Condensed traces, .dmat: pages by clock; pages as records, in the order of the file. */
/* SPDX-License-Identifier: MIT */
#include "probe-bin.h"

enum { ENTRY = 12 };

static int cut_short(const Source *s, const char *what)
{
  if (s->stream.status < 0) return s->stream.status;
  return probe_fail(s, PB_BAD_DMAT, what, NULL);
}

int dmat_begin(Source *s)
{
  const uint8_t *head = stream_need(&s->stream, 16);
  if (!head) return cut_short(s, "the file is shorter than its 16 first bytes");
  uint64_t pages = get_u64(head), end;
  s->groups_left = get_u64(head + 8);
  if (__builtin_mul_overflow(pages, 8, &end) || __builtin_add_overflow(end, 16, &end))
    return cut_short(s, "the list of pages is beyond the file");
  if (!stream_skip_to(&s->stream, end)) return cut_short(s, "the list of pages is cut short");
  return 0;
}

static int next_group(Source *s)
{
  const uint8_t *head = stream_need(&s->stream, 16);
  if (!head) return cut_short(s, "the file has fewer clocks than it says");
  s->clock = get_u64(head);
  s->entries_left = get_u64(head + 8);
  s->stream.pos += 16;
  s->groups_left--;
  return 0;
}

int dmat_give(Source *s, MillBatch *b)
{
  while (s->groups_left || s->entries_left) {
    int status = s->entries_left ? 0 : next_group(s);
    if (status < 0) return status;
    for (; s->entries_left; s->entries_left--) {
      const uint8_t *entry = stream_need(&s->stream, ENTRY);
      if (!entry) return cut_short(s, "the pages of a clock are cut short");
      if (!record_begin(&s->writer, b, s->names[4], 3)) return 1;
      record_int(&s->writer, b, KEY_CLOCK, (int64_t)s->clock);
      record_int(&s->writer, b, KEY_PAGE, (int64_t)get_u64(entry));
      record_int(&s->writer, b, KEY_COUNT, get_u32(entry + 8));
      s->stream.pos += ENTRY;
    }
  }
  if (stream_need(&s->stream, 1)) return cut_short(s, "bytes follow the last clock");
  return s->stream.status < 0 ? s->stream.status : 0;
}
