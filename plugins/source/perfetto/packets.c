/* One packet after the other, also out of compressed ones: what it changes, and the event that it holds. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>

#include "kit/read/input.h"

/* ---------------------------------------------------------------- failing */
static char *place_of(const Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  return g_strdup_printf("%s, byte %" G_GUINT64_FORMAT, lane.name, s->packet_at);
}

static void note_why(const Source *s, uint32_t number, const char *why)
{
  if (s->is_survey) return;
  g_autofree char *where = g_strdup_printf("byte %" G_GUINT64_FORMAT, s->packet_at);
  const MillNamed named[] = { { "where", mill_text(where, strlen(where)) },
                              { "why", mill_text(why, strlen(why)) } };
  s->common->note(s->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static int fail(const Source *s, uint32_t number, const char *why)
{
  if (s->is_survey) return -MILL_BAD_INPUT;
  g_autofree char *where = place_of(s);
  return input_fail(s->common, pft_notices, number, MILL_BAD_INPUT, NULL, where, why);
}

/* A packet that cannot be used: 1 when the others are used without it. */
static int leave_out(Source *s, uint32_t number, const char *why)
{
  if (!s->is_recovering) return fail(s, number, why);
  note_why(s, PFT_LEFT_OUT, why);
  return 1;
}

/* Behind this place nothing can be used: 1 when what came before it is. */
static int end_here(Source *s, uint32_t number, const char *why)
{
  if (!s->is_recovering || !s->n_packets) return fail(s, number, why);
  note_why(s, PFT_RECOVERED, why);
  s->has_ended = true;
  return 1;
}

/* ------------------------------------------------------------------ taking */
static int open_inner(Source *s, const Pft__Packet *p)
{
  bool is_zstd = p->has_zstd_compressed_packets;
  const ProtobufCBinaryData *in = is_zstd ? &p->zstd_compressed_packets : &p->compressed_packets;
  if (s->is_inner) return leave_out(s, PFT_INFLATE, "they hold compressed packets themselves");
  if (!s->inflater) s->inflater = inflater_new(s->common);
  if (!s->inflater) return -MILL_LIMIT;
  inflater_start(s->inflater, in->data, in->len, is_zstd);
  s->inner.user = s->inflater;
  frames_restart(&s->inner);
  s->is_inner = true;
  return 1;
}

static int take_packet(Source *s, const Pft__Packet *p)
{
  int64_t ts_ns = 0;
  Sequence *q = sequence_get(s, p->trusted_packet_sequence_id);
  if (!q || !sequence_update(s, q, p)) return -MILL_LIMIT;
  if (p->clock_snapshot && !clock_snapshot(s, q, p->clock_snapshot)) return -MILL_LIMIT;
  if (p->has_compressed_packets || p->has_zstd_compressed_packets) return open_inner(s, p);
  if (!sequence_can_read(q, p)) {
    source_note(s, PFT_LOST_STATE);
    return 1;
  }
  bool has_time = p->has_timestamp && clock_time(s, q, p, &ts_ns);
  kinds_count(s, p);
  if (p->track_descriptor && !track_describe(s, q, p->track_descriptor)) return -MILL_LIMIT;
  int status = p->track_event ? event_begin(s, q, p, has_time, ts_ns) : 0;
  return status < 0 ? status : 1;
}

static int unpack(Source *s, const Frame *frame)
{
  const Arena *a = &s->arenas[s->is_inner];
  const Pft__Packet *p = source_unpack(s, &pft__packet__descriptor, frame->bytes, frame->len);
  s->n_packets++;
  if (p) return take_packet(s, p);
  if (a->is_refused) return -MILL_LIMIT;
  bool is_large = a->total > ARENA_MAX / 2;
  return leave_out(s, PFT_BROKEN,
                   is_large ? "it has more parts than fit in memory"
                            : "its fields do not end with it, or have wrong types");
}

/* ----------------------------------------------------------------- reading */
static int end_inner(Source *s, FrameStatus status)
{
  int failed = s->inner.status;
  s->is_inner = false;
  switch (status) {
  case FRAME_END: return 1;
  case FRAME_FAILED:
    return failed == -MILL_LIMIT ? failed : leave_out(s, PFT_INFLATE, inflater_why(s->inflater));
  case FRAME_CUT: return leave_out(s, PFT_INFLATE, "the last one of them is cut off");
  case FRAME_LONG: return leave_out(s, PFT_INFLATE, "one of them is longer than 64 MiB");
  default: return leave_out(s, PFT_INFLATE, "their decompressed data is not a list of packets");
  }
}

/* Compressed data that breaks off can be used as far as it goes. */
static int end_failed(Source *s)
{
  int status = s->outer.status;
  bool usable = s->is_recovering && s->n_packets && status != -MILL_LIMIT;
  if (!usable || s->common->cancelled(s->common)) return status;
  const char *why = s->host->read_why(s->host);
  note_why(s, PFT_RECOVERED, why ? why : "reading failed");
  s->has_ended = true;
  return 1;
}

static int end_outer(Source *s, FrameStatus status)
{
  switch (status) {
  case FRAME_END: return s->n_packets ? 0 : fail(s, PFT_EMPTY, NULL);
  case FRAME_FAILED: return end_failed(s);
  case FRAME_CUT: return end_here(s, PFT_CUT, "the input ends within a packet");
  case FRAME_LONG: return end_here(s, PFT_LONG, "a packet says that it is longer than 64 MiB");
  default: return end_here(s, PFT_NO_PACKET, "a packet begins with the byte 0x0a, and its length");
  }
}

int packets_next(Source *s)
{
  Frame frame;
  if (s->has_ended) return 0;
  arena_reset(&s->arenas[s->is_inner]);
  FrameStatus status = frames_next(s->is_inner ? &s->inner : &s->outer, &frame);
  if (!s->is_inner && status != FRAME_FAILED) s->packet_at = frame.at;
  if (status == FRAME_PACKET) return unpack(s, &frame);
  return s->is_inner ? end_inner(s, status) : end_outer(s, status);
}

/* -------------------------------------------------------------- first look */
void packets_find_base(Source *s, const char *bytes, size_t len)
{
  const uint8_t *p = (const uint8_t *)bytes, *end = p + len;
  uint64_t packet_len;
  while (!s->has_base && p < end && *p == 0x0a) {
    const uint8_t *body = frame_varint(p + 1, end, &packet_len);
    if (!body || packet_len > (uint64_t)(end - body)) break;
    arena_reset(&s->arenas[0]);
    const Pft__Packet *packet =
        source_unpack(s, &pft__packet__descriptor, body, (size_t)packet_len);
    if (packet && packet->clock_snapshot) clock_find_base(s, packet->clock_snapshot);
    p = body + packet_len;
  }
  arena_reset(&s->arenas[0]);
}
