/* Held events, packed: 48 bytes each, and what else it has beside them.
 *
 * Of bytes that can be read again only the place is held.  A pack is one piece of memory without
 * pointers of its own, so that it can be written to a file and read back as it is. */
/* SPDX-License-Identifier: MIT */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include "model/batch.h"

#define PACK_ORIGINS 0xffffu /* of one pack, at most */

typedef struct HeldEvent {
  int64_t ts_ns;
  uint64_t
      place; /* of its raw bytes: the origin in the highest 16 bits, or PACK_ORIGINS for the pack itself */
  uint64_t seq; /* in the lowest 48 bits; then the kind of id and flags, then what is dirty */
  uint32_t dur_ns;
  uint32_t raw_len; /* in the lowest 28 bits; then the kind */
  MillSym name, cat;
  uint32_t track;
  uint32_t rest; /* where in the pack's bytes the rest begins; 0: there is none */
} HeldEvent;

typedef struct Pack {
  uint32_t lane, n_events, n_origins;
  uint32_t n_bytes;
  /* then: events, origins, bytes */
} Pack;

static inline size_t pack_size(const Pack *p)
{
  return sizeof *p + p->n_events * sizeof(HeldEvent) + p->n_origins * sizeof(Origin *) + p->n_bytes;
}
static inline const HeldEvent *pack_events(const Pack *p) { return (const HeldEvent *)(p + 1); }

/* Events on their way into packs. */
typedef struct Packing Packing;

Packing *packing_new(bool with_raw);
void packing_free(Packing *p);
void packing_add(Packing *p, const Batch *from, const MillEvent *e);
/* The event of another pack, as it is there. */
void packing_copy(Packing *p, const Pack *from, uint32_t index);
size_t packing_bytes(const Packing *p); /* of the pack that it would make */
/* No more events should come into it. */
bool packing_is_full(const Packing *p, uint32_t max_events);
Pack *packing_finish(Packing *p,
                     uint32_t lane); /* NULL: there are none; the caller frees with g_free */

/* Order as in batch.h. */
int pack_compare(const Pack *a, uint32_t at, const Pack *b, uint32_t bt);
int64_t pack_dur_ns(const Pack *p, uint32_t index);
bool pack_has_ts(const Pack *p, uint32_t index);

/* Appends the event to the batch with all but bytes that are elsewhere: their place in *out_place, the
 * origin NULL when they are not.  Texts within them have PACK_ATTR_IN_RAW and count from the event's
 * beginning, and *io_texts becomes true. */
#define PACK_ATTR_IN_RAW (1u << 10)
MillEvent *pack_unpack(const Pack *p, uint32_t index, Batch *to, BlockPlace *out_place,
                       bool *io_texts);

#endif
