/* Filling batches with events of packs; see gather.h. */
#include "store/gather.h"

#include <glib.h>
#include <stdlib.h>
#include <unistd.h>

#define NEAR_BYTES 2048u /* skipping less than that costs more than reading it */
#define OPEN_FILES 16u   /* that stay open from batch to batch */

typedef struct Piece { /* the bytes of one event */
  const Origin *origin;
  uint64_t offset;
  uint32_t len, event;
} Piece;

typedef struct OpenFile {
  const Origin *origin;
  int fd;
} OpenFile;

struct Gather {
  BatchPool *batches;
  BlockPool *blocks;
  Batch *batch; /* being filled */
  Piece *pieces;
  uint32_t n_pieces, max_pieces;
  uint64_t n_bytes; /* of the pieces */
  bool has_texts;   /* attributes lie in them */
  OpenFile files[OPEN_FILES];
};

Gather *gather_new(BatchPool *batches, BlockPool *blocks)
{
  Gather *g = g_new0(Gather, 1);
  g->batches = batches;
  g->blocks = blocks;
  return g;
}

static void close_file(OpenFile *f)
{
  if (f->origin) close(f->fd);
  f->origin = NULL;
}

static void close_all(Gather *g)
{
  for (unsigned i = 0; i < OPEN_FILES; i++) close_file(&g->files[i]);
}

void gather_free(Gather *g)
{
  if (!g) return;
  batch_give(g->batches, g->batch);
  close_all(g);
  g_free(g->pieces);
  g_free(g);
}

/* ------------------------------------------------------------------- adding */

static void add_piece(Gather *g, BlockPlace place, uint32_t len, uint32_t event)
{
  if (g->n_pieces == g->max_pieces) {
    g->max_pieces = MAX(256u, g->max_pieces * 2);
    g->pieces = g_renew(Piece, g->pieces, g->max_pieces);
  }
  g->pieces[g->n_pieces++] = (Piece){ place.origin, place.offset, len, event };
  g->n_bytes += len;
}

MillEvent *gather_add(Gather *g, const Pack *p, uint32_t index)
{
  BlockPlace place;
  if (!g->batch) g->batch = batch_take(g->batches, p->lane);
  MillEvent *e = pack_unpack(p, index, g->batch, &place, &g->has_texts);
  if (place.origin) add_piece(g, place, e->raw_len, g->batch->pub.n_events - 1);
  return e;
}

bool gather_is_full(const Gather *g)
{
  if (!g->batch) return false;
  return batch_is_full(g->batch, batch_pool_events(g->batches)) || g->n_bytes >= BATCH_MAX_OWN;
}

/* ------------------------------------------------------------------ reading */

static int by_place(const void *a, const void *b)
{
  const Piece *x = a, *y = b;
  if (x->origin != y->origin) return (uintptr_t)x->origin < (uintptr_t)y->origin ? -1 : 1;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Held events often come as they lie in the file. */
static void sort_pieces(Gather *g)
{
  for (uint32_t i = 1; i < g->n_pieces; i++) {
    if (by_place(&g->pieces[i - 1], &g->pieces[i]) <= 0) continue;
    qsort(g->pieces, g->n_pieces, sizeof *g->pieces, by_place);
    return;
  }
}

static uint64_t end_of(const Piece *p) { return p->offset + p->len; }

/* How many pieces from `first` on are read at once, and up to which offset. */
static uint32_t cluster(const Gather *g, uint32_t first, uint64_t *out_end)
{
  uint32_t i = first + 1;
  uint64_t end = end_of(&g->pieces[first]);
  for (; i < g->n_pieces; i++) {
    const Piece *p = &g->pieces[i];
    const Piece *start = &g->pieces[first];
    if (p->origin != start->origin || p->offset < start->offset || p->offset > end + NEAR_BYTES)
      break;
    end = MAX(end, end_of(p));
  }
  *out_end = end;
  return i - first;
}

static size_t bytes_in_all(const Gather *g)
{
  size_t sum = 0;
  uint64_t end;
  for (uint32_t i = 0, n; i < g->n_pieces; i += n) {
    n = cluster(g, i, &end);
    sum += (size_t)(end - g->pieces[i].offset);
  }
  return sum;
}

static Error *file_of(Gather *g, const Origin *origin, int *out_fd)
{
  OpenFile *f = &g->files[((uintptr_t)origin >> 5) % OPEN_FILES];
  Error *e = NULL;
  if (f->origin != origin) {
    close_file(f);
    e = origin_open(origin, &f->fd);
    if (!e) f->origin = origin;
  }
  *out_fd = f->fd;
  return e;
}

static Error *read_bytes(Gather *g, const Origin *origin, uint64_t offset, char *to, size_t len)
{
  int fd;
  Error *e = file_of(g, origin, &fd);
  return e ? e : origin_read(origin, fd, offset, to, len);
}

/* The event's bytes are now at `at` of the block. */
static void locate_event(Batch *b, uint32_t event, size_t at)
{
  MillEvent *e = &b->pub.events[event];
  e->raw_off = (uint32_t)at;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    MillAttr *a = &b->pub.attrs[e->attrs + i];
    if (!(a->type & PACK_ATTR_IN_RAW)) continue;
    a->type &= ~PACK_ATTR_IN_RAW;
    a->u.text.off += e->raw_off;
  }
}

/* Into the block, or only their places. */
static Error *place_pieces(Gather *g, Block *block)
{
  size_t at = 0;
  uint64_t end;
  for (uint32_t i = 0, n; i < g->n_pieces; i += n) {
    const Piece *first = &g->pieces[i];
    n = cluster(g, i, &end);
    size_t len = (size_t)(end - first->offset);
    Error *e =
        block->bytes ? read_bytes(g, first->origin, first->offset, block->bytes + at, len) : NULL;
    if (e) return e;
    block_add_place(block, at, first->origin, first->offset);
    for (const Piece *p = first; p < first + n; p++)
      locate_event(g->batch, p->event, at + (size_t)(p->offset - first->offset));
    at += len;
  }
  if (block->bytes) block_pad(block, at);
  return NULL;
}

Error *gather_end(Gather *g, bool with_bytes, Batch **out)
{
  Error *e = NULL;
  if (!g->batch) close_all(g); /* very many may wait after they were read */
  if (g->n_pieces) {
    bool read = with_bytes || g->has_texts;
    if (read) sort_pieces(g);
    size_t len = bytes_in_all(g);
    Block *block = read ? block_take(g->blocks, len) : block_absent(g->blocks, len);
    e = place_pieces(g, block);
    g->batch->block = block;
    g->batch->pub.raw_ = block->bytes;
  }
  g->has_texts = false;
  g->n_pieces = 0;
  g->n_bytes = 0;
  *out = e ? NULL : g->batch;
  if (e) batch_give(g->batches, g->batch);
  g->batch = NULL;
  return e;
}
