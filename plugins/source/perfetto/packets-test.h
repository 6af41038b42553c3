/* Packets of a Perfetto trace, field by field, for tests. */
/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_PERFETTO_PACKETS_TEST_H
#define SOURCE_PERFETTO_PACKETS_TEST_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* Each adds to the message and returns it. */
static inline GString *put_varint(GString *m, uint64_t value)
{
  for (; value > 0x7f; value >>= 7) g_string_append_c(m, (char)(value | 0x80));
  g_string_append_c(m, (char)value);
  return m;
}

static inline GString *put_num(GString *m, unsigned field, uint64_t value)
{
  return put_varint(put_varint(m, field << 3), value);
}

static inline GString *put_word(GString *m, unsigned field, uint64_t value)
{
  put_varint(m, field << 3 | 1);
  for (int i = 0; i < 8; i++, value >>= 8) g_string_append_c(m, (char)value);
  return m;
}

static inline GString *put_real(GString *m, unsigned field, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return put_word(m, field, bits);
}

static inline GString *put_bytes(GString *m, unsigned field, const char *bytes, size_t len)
{
  put_varint(put_varint(m, field << 3 | 2), len);
  return g_string_append_len(m, bytes, (gssize)len);
}

static inline GString *put_text(GString *m, unsigned field, const char *text)
{
  return put_bytes(m, field, text, strlen(text));
}

/* Frees the inner message. */
static inline GString *put_sub(GString *m, unsigned field, GString *inner)
{
  put_bytes(m, field, inner->str, inner->len);
  g_string_free(inner, TRUE);
  return m;
}

static inline GString *message(void) { return g_string_new(NULL); }

/* Fields of packets, and of what they hold. */
enum {
  P_TRACE_PACKET = 1,
  P_SNAPSHOT = 6,
  P_TIME = 8,
  P_SEQUENCE = 10,
  P_EVENT = 11,
  P_INTERNED = 12,
  P_FLAGS = 13,
  P_COMPRESSED = 50,
  P_CLOCK = 58,
  P_DEFAULTS = 59,
  P_TRACK = 60
};
enum { BEGINS = 1, ENDS = 2, IS_INSTANT = 3, IS_COUNTER = 4 };
enum { CLEARED = 1, NEEDS = 2 };

/* A packet of the first writer; an event in it. */
static inline GString *event_packet(uint64_t time, GString *event)
{
  return put_sub(put_num(put_num(message(), P_TIME, time), P_SEQUENCE, 1), P_EVENT, event);
}

static inline GString *track_event(unsigned type, uint64_t track, const char *name)
{
  GString *e = put_num(put_num(message(), 9, type), 11, track);
  return name ? put_text(e, 23, name) : e;
}

static inline GString *process_track(uint64_t uuid, int pid, const char *name)
{
  GString *process = put_num(message(), 1, (uint64_t)pid);
  if (name) put_text(process, 6, name);
  return put_sub(put_num(message(), 1, uuid), 3, process);
}

static inline GString *thread_track(uint64_t uuid, int pid, int tid, const char *name)
{
  GString *thread = put_num(put_num(message(), 1, (uint64_t)pid), 2, (uint64_t)tid);
  if (name) put_text(thread, 5, name);
  return put_sub(put_num(message(), 1, uuid), 4, thread);
}

static inline GString *plain_track(uint64_t uuid, uint64_t parent, const char *name)
{
  return put_text(put_num(put_num(message(), 1, uuid), 5, parent), 2, name);
}

static inline GString *clock_reading(unsigned clock, uint64_t time)
{
  return put_num(put_num(message(), 1, clock), 2, time);
}

static inline void add_packet(GString *trace, GString *packet)
{
  put_sub(trace, P_TRACE_PACKET, packet);
}

static inline void add_track(GString *trace, GString *track)
{
  add_packet(trace, put_sub(put_num(message(), P_SEQUENCE, 1), P_TRACK, track));
}

static inline void add_event(GString *trace, uint64_t time, GString *event)
{
  add_packet(trace, event_packet(time, event));
}

#endif
