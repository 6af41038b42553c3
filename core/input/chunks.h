/* One big plain file parsed by several threads: guessed starts, which are proven before they
 * count. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_CHUNKS_H
#define INPUT_CHUNKS_H

#include "base/stream.h"
#include "host/instance.h"
#include "model/block.h"

#define CHUNK_BYTES (1u << 20)
#define CHUNK_OVERLAP (64u << 10) /* an event may reach this far into the next chunk */

typedef struct ChunkSource { /* what is parsed, by which source, into which pools */
  Reader *reader;
  const Origin *origin;
  Instance *instance; /* open, for the lane that is read */
  BatchPool *batches;
  BlockPool *blocks;
  uint32_t chunk_bytes; /* at most CHUNK_BYTES */
} ChunkSource;
typedef struct Chunks Chunks;

/* Goes on where the sequential parser stopped: `begin` is the first byte of an event. */
Chunks *chunks_new(const ChunkSource *from, uint64_t begin, uint32_t threads);
void chunks_free(Chunks *c);
/* The next batch in file order. *out NULL: the sequential parser goes on at *out_offset. */
Error *chunks_next(Chunks *c, Batch **out, uint64_t *out_offset);
uint64_t chunks_bytes(Chunks *c); /* parsed so far, for progress */
uint64_t chunks_reparsed(const Chunks *c);

#endif
