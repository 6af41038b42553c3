/* Memory of one unpacked packet: handed out in a row, and given back all at once. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#define CHUNK_BYTES ((size_t)32 << 10)
#define ALIGNMENT 16u

struct ArenaChunk {
  ArenaChunk *next;
  size_t used, size;
  _Alignas(ALIGNMENT) char bytes[];
};

static ArenaChunk *add_chunk(Arena *a, size_t bytes)
{
  size_t size = MAX(bytes, CHUNK_BYTES);
  if (a->is_refused || a->total + size > ARENA_MAX) return NULL;
  ArenaChunk *c = a->common->resize(a->common, NULL, sizeof *c + size);
  a->is_refused = !c;
  if (!c) return NULL;
  c->size = size;
  c->next = a->chunks;
  a->chunks = c;
  a->total += size;
  return c;
}

static void *take(void *user, size_t bytes)
{
  Arena *a = user;
  if (bytes > ARENA_MAX) return NULL;
  size_t whole = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  ArenaChunk *c = a->chunks;
  if (!c || c->size - c->used < whole) c = add_chunk(a, whole);
  if (!c) return NULL;
  void *taken = c->bytes + c->used;
  c->used += whole;
  return taken;
}

static void give_back(void *user, void *pointer) { (void)user, (void)pointer; }

void arena_init(Arena *a, const MillHost *common)
{
  *a = (Arena){ .allocator = { take, give_back, a }, .common = common };
}

/* The chunk of usual size that came first stays. */
void arena_reset(Arena *a)
{
  while (a->chunks && (a->chunks->next || a->chunks->size > CHUNK_BYTES)) {
    ArenaChunk *c = a->chunks;
    a->chunks = c->next;
    a->total -= c->size;
    a->common->resize(a->common, c, 0);
  }
  if (a->chunks) a->chunks->used = 0;
}

void arena_clear(Arena *a)
{
  arena_reset(a);
  if (a->chunks) a->common->resize(a->common, a->chunks, 0);
  a->chunks = NULL;
}
