/* Batches as the engine owns them: the public part, the block its raw bytes live in, and what stages emitted. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include <stagemill/types.h>

#include "model/block.h"
#include "model/budget.h"
#include "model/fate.h"

#define BATCH_EVENTS 1024u
#define BATCH_IN_PLACE UINT32_MAX     /* in fresh_at: nobody has looked yet where it belongs */
#define BATCH_AT_END (UINT32_MAX - 1) /* behind all events */
#define BATCH_NO_SEQ UINT64_MAX       /* of what is emitted in its place, until it is there */
#define BATCH_EMITTED 0x80000000u /* index of an emitted event, or'ed with its index in `fresh` */
#define BATCH_MAX_ATTRS 16384u    /* a source closes a batch at 256 KiB of attributes */
#define BATCH_MAX_OWN (1u << 20)  /* of copied bytes; one event may go beyond */

typedef struct
    BatchEnd { /* where a stage left a batch: its last event and what was emitted after it */
  bool known;
  uint16_t sub;
  uint64_t seq;
} BatchEnd;

typedef struct Batch {
  MillBatch pub; /* first */
  Block *block;
  size_t own_len, own_max; /* of pub.own_ */
  MillEvent *fresh;
  uint32_t *fresh_at;
  uint32_t n_fresh, max_fresh;
  MillEvent *spare; /* the other half of the double buffer for merging `fresh` in */
  uint32_t max_spare;
  BatchEnd before;    /* how the stage that has it left the one before */
  Budget *charged_to; /* what it was charged with beyond its share, until it is reset; or NULL */
  uint64_t charged;
  struct Batch *next;
} Batch;

static inline Batch *batch_of(MillBatch *b) { return (Batch *)b; }
static inline const Batch *batch_of_const(const MillBatch *b) { return (const Batch *)b; }

Batch *batch_new(uint32_t max_events);
void batch_free(Batch *b);
void batch_reset(Batch *b, uint32_t lane); /* empty; gives the block back */

#define BATCH_SHARE (4u << 20) /* of memory that is not charged; then in steps of as much */

/* What a stage lets go at once may be all that it ever saw.  Emitted events are twice there while they are merged
 * in. */
static inline uint64_t batch_grown(const Batch *b)
{
  return b->own_len + (uint64_t)b->n_fresh * (2 * sizeof(MillEvent) + sizeof(uint32_t)) +
         (uint64_t)b->pub.n_attrs * sizeof(MillAttr);
}
static inline bool batch_wants_charge(const Batch *b)
{
  return batch_grown(b) >= b->charged + BATCH_SHARE;
}
bool batch_charge(Batch *b, Budget *budget); /* false: it does not fit */

MillEvent *batch_event(Batch *b, uint32_t index); /* also of emitted ones; NULL when out of range */
/* Whether something can be emitted there: an event's index, MILL_AT_START, MILL_AT_END or MILL_IN_PLACE. */
bool batch_can_emit_after(const Batch *b, uint32_t after);
uint32_t batch_emit(Batch *b, uint32_t after, const MillEvent *e);
/* Emits a deep copy with its own seq, attributes and raw bytes. */
uint32_t batch_emit_copy(Batch *b, uint32_t after, const MillBatch *src, const MillEvent *e);
/* By position, those of one position as they came; what belongs in its place is last. */
void batch_order_emitted(Batch *b);
/* Emitted events that come from elsewhere, with their positions. */
void batch_take_fresh(Batch *b, const MillEvent *events, const uint32_t *at, uint32_t n);
/* Before it is compacted. */
BatchEnd batch_end(const Batch *b);
/* Drops what is marked and merges what was emitted in.  Counts both, dropped events by their fate. */
void batch_compact(Batch *b, bool may_drop, uint64_t io_dropped[FATES], uint64_t *io_emitted);

/* Whether so many bytes more can be copied into it: offsets have 32 bits. */
static inline bool batch_has_room(const Batch *b, size_t len)
{
  return len <= UINT32_MAX && b->own_len <= UINT32_MAX - len;
}
uint32_t batch_own_text(Batch *b, const char *text, size_t len); /* it must have room */
bool batch_set_attr(Batch *b, MillEvent *e, MillSym key,
                    MillValue value); /* false: it has too many */
/* To the last event, as read; false: it has too many. */
bool batch_add_attr(Batch *b, MillSym key, MillValue value);
bool batch_grow_attrs(Batch *b);
void batch_remove_attrs(Batch *b, const MillSym *keys, uint32_t n_keys);

/* One more event; one more row of attributes, the last event's.  Nothing is set yet. */
MillEvent *batch_add_event(Batch *b);
MillAttr *batch_add_attrs(Batch *b, uint32_t n);
/* Appends a deep copy: attributes, texts and (if with_raw) raw bytes go into dst's own memory. */
MillEvent *batch_copy_event(Batch *dst, const MillBatch *src, const MillEvent *e, bool with_raw);
/* No more events should be copied into it: huge ones count by their bytes. */
static inline bool batch_is_full(const Batch *b, uint32_t max_events)
{
  return b->pub.n_events >= max_events || b->own_len >= BATCH_MAX_OWN ||
         b->pub.n_attrs >= BATCH_MAX_ATTRS;
}
/* The raw bytes of an event, wherever they are. */
static inline const char *batch_raw(const MillBatch *b, const MillEvent *e)
{
  return (e->flags & MILL_FLAG_OWN_RAW ? b->own_ : b->raw_) + e->raw_off;
}

/* Order everywhere: ts ascending (no time first), duration descending, seq, sub. */
static inline int64_t event_sort_ts(const MillEvent *e)
{
  return e->flags & MILL_FLAG_NO_TS ? INT64_MIN : e->ts_ns;
}
static inline int event_compare_time(const MillEvent *a, const MillEvent *b)
{
  int64_t ta = event_sort_ts(a), tb = event_sort_ts(b);
  if (ta != tb) return ta < tb ? -1 : 1;
  if (a->dur_ns != b->dur_ns) return a->dur_ns > b->dur_ns ? -1 : 1;
  return 0;
}
static inline int event_compare(const MillEvent *a, const MillEvent *b)
{
  int order = event_compare_time(a, b);
  if (order) return order;
  if (a->seq != b->seq) return a->seq < b->seq ? -1 : 1;
  return a->sub < b->sub ? -1 : a->sub > b->sub;
}

#endif
