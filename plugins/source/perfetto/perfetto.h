/* What the files of the perfetto source share: packets from bytes, sequences, clocks, tracks, the instance. */
/* SPDX-License-Identifier: MIT */
#ifndef PERFETTO_H
#define PERFETTO_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/pair-table.h"
#include "perfetto.pb-c.h"

enum { /* MillNotice.number */
       PFT_CUT = 1,
       PFT_BROKEN = 2,
       PFT_LONG = 3,
       PFT_NO_PACKET = 4,
       PFT_EMPTY = 5,
       PFT_INFLATE = 6,
       PFT_RECOVERED = 10,
       PFT_LEFT_OUT = 11,
       PFT_LOST_STATE = 12,
       PFT_DROPPED = 13,
       PFT_NO_TIME = 14,
       PFT_BAD_CLOCK = 15,
       PFT_NO_TRACK = 16,
       PFT_BAD_COUNTER = 17,
       PFT_NO_TEXT = 18,
       PFT_LEGACY = 19,
       PFT_NO_TYPE = 20,
       PFT_FLOW_ORDER = 21,
       PFT_FLOW_ALONE = 22,
       PFT_NOT_UTF8 = 23,
       PFT_BAD_ANNOTATION = 24,
       PFT_MANY_ANNOTATIONS = 25,
       PFT_FTRACE = 30,
       PFT_PROCESSES = 31,
       PFT_SYSTEM = 32,
       PFT_PROFILES = 33,
       PFT_GPU = 34,
       PFT_ANDROID = 35,
       PFT_CHROME = 36,
       PFT_OTHER = 37
};
#define PFT_N_NOTICES 30u
extern const MillNotice pft_notices[PFT_N_NOTICES];

/* ---------------------------------------------------------------- arena.c */
#define ARENA_MAX (256u << 20) /* bytes of one unpacked packet */

typedef struct ArenaChunk ArenaChunk;

/* Memory of one unpacked packet, given back all at once. */
typedef struct Arena {
  ProtobufCAllocator allocator; /* for the unpacking of protobuf-c */
  const MillHost *common;
  ArenaChunk *chunks;
  size_t total;
  bool is_refused; /* by the host, which has failed the instance */
} Arena;

void arena_init(Arena *a, const MillHost *common);
void arena_reset(Arena *a); /* what was given is gone */
void arena_clear(Arena *a);

/* --------------------------------------------------------------- frames.c */
#define PACKET_MAX (64u << 20)

typedef enum FrameStatus {
  FRAME_END,
  FRAME_PACKET,
  FRAME_CUT,       /* the bytes end within a packet */
  FRAME_NO_PACKET, /* no packet begins here */
  FRAME_LONG,      /* a packet is longer than PACKET_MAX */
  FRAME_FAILED     /* reading has, or memory was refused: see Frames.status */
} FrameStatus;

/* Packets out of bytes that are read piece by piece. */
typedef struct Frames {
  int64_t (*read)(void *user, void *buffer, size_t max); /* negative: failed */
  void *user;
  const MillHost *common;
  char *bytes; /* from `at` to `end` is not used yet */
  size_t at, end, max;
  uint64_t n_before; /* bytes of the input before bytes[0] */
  bool at_end;
  int status;
} Frames;

typedef struct Frame {
  const uint8_t *bytes;
  size_t len;
  uint64_t at; /* of the packet in the input */
} Frame;

FrameStatus frames_next(Frames *f, Frame *out);
void frames_restart(Frames *f); /* the bytes are those of another input */
void frames_clear(Frames *f);
/* A varint; the byte after it, or NULL when it does not end before `end`. */
const uint8_t *frame_varint(const uint8_t *p, const uint8_t *end, uint64_t *out);

/* -------------------------------------------------------------- inflate.c */
typedef struct Inflater Inflater;
Inflater *inflater_new(const MillHost *common); /* NULL: refused */
void inflater_free(Inflater *z);
void inflater_start(Inflater *z, const uint8_t *bytes, size_t len, bool is_zstd);
int64_t inflater_read(void *inflater, void *buffer, size_t max); /* -1: see inflater_why */
const char *inflater_why(const Inflater *z);

/* ---------------------------------------------------------------- clock.c */
enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6, CLOCK_FIRST_OWN = 64, CLOCK_LAST_OWN = 127 };

typedef struct ClockPoint {
  int64_t clock_ns, trace_ns;
} ClockPoint;

typedef struct Clock {
  int64_t unit_ns;
  bool is_incremental;
  int64_t last_ns;    /* incremental: of the last packet */
  ClockPoint *points; /* rising */
  uint32_t n_points, max_points;
} Clock;

/* ------------------------------------------------------------- sequence.c */
enum { TEXT_CATEGORY, TEXT_NAME, TEXT_ANNOTATION_NAME, TEXT_ANNOTATION, N_TEXTS };

typedef struct UuidList {
  uint64_t *all;
  uint32_t n, max;
} UuidList;

/* What the packets of one writer share until their state is cleared. */
typedef struct Sequence {
  uint32_t id;
  uint32_t index;
  uint32_t generation; /* of its state; the same one is never used again */
  bool is_cleared, is_lost;
  bool has_clock, has_track, has_thread;
  uint32_t clock;
  uint64_t track;
  int64_t pid, tid;
  UuidList counters, real_counters;
} Sequence;

/* ---------------------------------------------------------------- track.c */
typedef struct Track {
  uint64_t uuid, parent;
  bool is_described, has_process, has_thread, is_counter, is_incremental, has_row;
  int64_t pid, tid, multiplier;
  MillSym name, unit;
  MillSym told_process, told_thread; /* names in events so far */
  int64_t last;                      /* incremental: the value so far */
  uint32_t generation;               /* incremental: of the state that it counts from */
  uint32_t sequence;                 /* that described it last */
  uint32_t row;                      /* of the lane */
  MillSym shown;                     /* a counter's name, of which there is one in its process */
} Track;

/* --------------------------------------------------------------- instance */
/* A name of a process or thread that is to be told. */
typedef struct NameRow {
  MillSym kind, name; /* "thread_name", ... */
  int64_t pid, tid;
  bool has_tid;
} NameRow;

/* The events of one track event that are still to be given. */
typedef struct Todo {
  const Pft__TrackEvent *event; /* NULL: none */
  Sequence *sequence;
  Track *track;
  int64_t ts_ns;
  uint32_t row;
  size_t step, n_steps;
  size_t n_flows, n_ends, n_values, n_reals;
} Todo;

enum { FLOW_BEGINS, FLOW_GOES_ON, FLOW_ENDS, FLOW_IS_ALONE };

typedef struct FlowRole {
  uint32_t what; /* FLOW_BEGINS ... */
  uint32_t nth;  /* of the flows that had its number one after the other, from 0 */
} FlowRole;

/* Where a flow is named by an event. */
typedef struct FlowUse {
  uint64_t id;
  int64_t ts_ns;
  uint32_t place; /* in the order of the file */
  bool is_end;
} FlowUse;

typedef struct Symbols {
  MillSym process_name, thread_name, name, value, flow, perfetto;
} Symbols;

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  bool is_recovering;
  Symbols symbols;

  Frames outer, inner;
  bool is_inner; /* packets come out of compressed ones */
  Inflater *inflater;
  Arena arenas[2];    /* of the packet at hand, and of the one within */
  uint64_t packet_at; /* of the outer packet */
  uint64_t n_packets;

  PairTable sequence_by_id, texts, clock_by_id, track_by_uuid, shown, flows, flow_counts;
  Sequence **sequences;
  uint32_t n_sequences, max_sequences, last_generation;
  Clock *clocks;
  uint32_t n_clocks, max_clocks;
  uint32_t trace_clock;
  bool has_base;
  Track **tracks;
  uint32_t n_tracks, max_tracks;

  bool is_survey, is_surveyed;
  FlowUse *uses; /* of a survey */
  uint32_t n_uses, max_uses;
  FlowRole *roles; /* of each use, from a survey; or NULL */
  uint32_t n_roles, n_roles_used;

  Todo todo;
  NameRow names[2];
  uint32_t n_names, n_names_given;
  size_t text_len; /* of the batch */
  bool is_refused; /* memory, while events were given */
  bool has_ended;  /* before the end of the input */
} Source;

/* Unpacked in the memory of the packet at hand; NULL: it is no such message, or there is no memory. */
static inline void *source_unpack(Source *s, const ProtobufCMessageDescriptor *of,
                                  const uint8_t *bytes, size_t len)
{
  return protobuf_c_message_unpack(of, &s->arenas[s->is_inner].allocator, len, bytes);
}

/* notices.c */
void source_note(const Source *s, uint32_t number);

/* text.c: valid UTF-8; what is not is counted. */
MillSym source_symbol_of(Source *s, const ProtobufCBinaryData *text);
char *source_valid_text(Source *s, const ProtobufCBinaryData *text); /* g_free; NULL: it is valid */

/* sequence.c: NULL or false: memory was refused. */
Sequence *sequence_get(Source *s, uint32_t id);
bool sequence_update(Source *s, Sequence *q, const Pft__Packet *p);
bool sequence_can_read(const Sequence *q,
                       const Pft__Packet *p); /* what the packet needs was not lost */
MillSym sequence_text(Source *s, const Sequence *q, uint32_t kind,
                      uint64_t iid); /* counted when missing */
bool sequence_keeps_text(const void *source, const PairSlot *slot);

/* clock.c */
bool clock_snapshot(Source *s, const Sequence *q,
                    const Pft__ClockSnapshot *snapshot); /* false: no memory */
void clock_find_base(Source *s, const Pft__ClockSnapshot *snapshot);
void clock_clear_all(Source *s);
/* To the trace's clock; false: it cannot be known. */
bool clock_time(Source *s, const Sequence *q, const Pft__Packet *p, int64_t *out_ns);

/* track.c */
Track *track_get(Source *s, uint64_t uuid);
bool track_describe(Source *s, const Sequence *q, const Pft__TrackDescriptor *d);
bool track_resolve(Source *s, const Sequence *q, Track *t, uint32_t *out_row);

/* kinds.c: counts what is not read. */
void kinds_count(const Source *s, const Pft__Packet *p);

/* event.c: the events of a track event.  begin: 0, or a negative status.  give: false when the batch is full. */
int event_begin(Source *s, Sequence *q, const Pft__Packet *p, bool has_time, int64_t ts_ns);
bool event_give(Source *s, MillBatch *b);
bool event_give_name(Source *s, MillBatch *b);
MillEvent *event_add(Source *s, MillBatch *b, size_t n_attrs); /* NULL: the batch is full */

bool event_survey(Source *s); /* false: memory was refused */
static inline uint32_t flow_role(bool is_open, bool is_end)
{
  if (is_end) return is_open ? FLOW_ENDS : FLOW_IS_ALONE;
  return is_open ? FLOW_GOES_ON : FLOW_BEGINS;
}

/* survey.c: before the first flow is given: finds out what every flow does where.  0, or a negative status. */
int survey_flows(Source *s);
bool survey_add(Source *s, uint64_t id, bool is_end);

/* perfetto.c */
Source *source_new(const MillSourceHost *host); /* NULL: refused */
void source_clear(Source *s);

/* annotation.c */
void annotation_add(Source *s, const Sequence *q, MillBatch *b, const Pft__Annotation *a);

/* packets.c: 1: events may wait, 0: the input has ended, negative: failed. */
int packets_next(Source *s);
void packets_find_base(Source *s, const char *bytes, size_t len); /* in the first bytes */

/* probe.c */
int pft_probe(const MillSource *self, const char *bytes, size_t len, const char *name);

#endif
