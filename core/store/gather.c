/* Filling batches with events of packs; see gather.h. */
/* SPDX-License-Identifier: MIT */
#include "store/gather.h"

#include <glib.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/window.h"

#define NEAR_BYTES 2048u /* skipping less than that costs more than reading it */
#define FAR_BYTES 16384u /* from one piece to the next, on average */
#define OPEN_FILES 16u   /* that stay open from batch to batch */
#define VIEW_BYTES (14u << 20)
#define FITS_BYTES \
  (13u << 20)       /* to show more of the file for each batch takes as long as reading it */
#define IN_ORDER 8u /* of so many pieces, one before its predecessor is still in order */

typedef struct Piece { /* the bytes of one event */
  const Origin *origin;
  uint64_t offset;
  uint32_t len, event;
} Piece;

typedef struct OpenFile {
  const Origin *origin;
  int fd;
} OpenFile;

/* A part of a file, mapped: events that are nearly in its order are copied from there. */
typedef struct View {
  Window *window;
  const Origin *origin; /* NULL: it shows nothing */
  uint64_t offset;      /* of the window's first byte */
} View;

struct Gather {
  BatchPool *batches;
  BlockPool *blocks;
  Batch *batch; /* being filled */
  Piece *pieces;
  uint32_t n_pieces, max_pieces;
  uint64_t n_bytes; /* of the pieces */
  bool has_texts;   /* attributes lie in them */
  OpenFile files[OPEN_FILES];
  View view;
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
  window_free(g->view.window);
  g->view = (View){ 0 };
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

/* Those of each origin together, else as they are; a merged stream mixes some files of which each is in order. */
static void group_pieces(Gather *g)
{
  const Origin *origins[OPEN_FILES];
  uint32_t counts[OPEN_FILES] = { 0 }, at[OPEN_FILES], n = 0, k;
  for (uint32_t i = 0; i < g->n_pieces; i++, counts[k]++) {
    for (k = 0; k < n && origins[k] != g->pieces[i].origin; k++) continue;
    if (k == OPEN_FILES) return;
    if (k == n) origins[n++] = g->pieces[i].origin;
  }
  if (n < 2) return;
  for (uint32_t sum = k = 0; k < n; sum += counts[k++]) at[k] = sum;
  Piece *grouped = g_new(Piece, g->max_pieces);
  for (uint32_t i = 0; i < g->n_pieces; i++) {
    for (k = 0; origins[k] != g->pieces[i].origin; k++) continue;
    grouped[at[k]++] = g->pieces[i];
  }
  g_free(g->pieces);
  g->pieces = grouped;
}

/* Held events often come as they lie in the file; where they lie far apart no order brings them together. */
static void sort_pieces(Gather *g)
{
  uint64_t distance = 0;
  bool in_order = true;
  group_pieces(g);
  for (uint32_t i = 1; i < g->n_pieces; i++) {
    const Piece *p = &g->pieces[i];
    if (p->origin != p[-1].origin) continue;
    in_order = in_order && p->offset >= p[-1].offset;
    distance += p->offset > p[-1].offset ? p->offset - p[-1].offset : p[-1].offset - p->offset;
  }
  bool far = distance / g->n_pieces > FAR_BYTES * g->n_pieces;
  if (!in_order && !far) qsort(g->pieces, g->n_pieces, sizeof *g->pieces, by_place);
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
  MillEvent *e = &b->pub.events_[event];
  e->raw_off = (uint32_t)at;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    MillAttr *a = &b->pub.attrs_[e->attrs + i];
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

/* ------------------------------------------------- pieces out of order, but near */

/* Pieces of one file, in no order, within what a view can show: where they begin. */
static bool fits_view(const Gather *g, uint64_t *out_start, uint64_t *out_end)
{
  const Origin *origin = g->pieces[0].origin;
  uint64_t start = UINT64_MAX, end = 0;
  uint32_t n_back = 0;
  for (uint32_t i = 0; i < g->n_pieces; i++) {
    const Piece *p = &g->pieces[i];
    if (p->origin != origin) return false;
    n_back += i && p->offset < p[-1].offset;
    start = MIN(start, p->offset);
    end = MAX(end, end_of(p));
  }
  *out_start = start;
  *out_end = end;
  bool fits = end - start <= FITS_BYTES && origin->stamp.size >= VIEW_BYTES;
  return fits && n_back > g->n_pieces / IN_ORDER;
}

static bool shows(const View *v, const Origin *origin, uint64_t start, uint64_t end)
{
  return v->origin == origin && start >= v->offset && end <= v->offset + v->window->size;
}

/* The window then shows these bytes of the file; false: it cannot, as those after the last whole page. */
static Error *show(Gather *g, uint64_t start, uint64_t end, bool *out_shown)
{
  const Origin *origin = g->pieces[0].origin;
  View *v = &g->view;
  int fd;
  size_t at;
  *out_shown = shows(v, origin, start, end);
  if (*out_shown) return NULL;
  Error *e = file_of(g, origin, &fd);
  if (e) return e;
  v->origin = NULL;
  if (!v->window) v->window = window_new(VIEW_BYTES);
  uint64_t from = MIN(start, origin->stamp.size - VIEW_BYTES);
  if (!v->window || !window_show(v->window, fd, from, &at)) return NULL;
  v->origin = origin;
  v->offset = from - at;
  *out_shown = shows(v, origin, start, end);
  return NULL;
}

static Error *copy_from_view(Gather *g, Block *block)
{
  size_t at = 0;
  for (uint32_t i = 0; i < g->n_pieces; i++) {
    const Piece *p = &g->pieces[i];
    memcpy(block->bytes + at, g->view.window->bytes + (p->offset - g->view.offset), p->len);
    block_add_place(block, at, p->origin, p->offset);
    locate_event(g->batch, p->event, at);
    at += p->len;
  }
  block_pad(block, at);
  return atomic_load(&g->view.window->torn) ? origin_changed(g->view.origin->path, "shrank") : NULL;
}

/* *out stays NULL: they are read as they lie in the file. */
static Error *read_by_view(Gather *g, Block **out)
{
  uint64_t start, end;
  bool shown = false;
  Error *e = fits_view(g, &start, &end) ? show(g, start, end, &shown) : NULL;
  if (e || !shown) return e;
  *out = block_take(g->blocks, (size_t)g->n_bytes);
  return copy_from_view(g, *out);
}

static Error *read_in_file_order(Gather *g, Block **out)
{
  sort_pieces(g);
  *out = block_take(g->blocks, bytes_in_all(g));
  return place_pieces(g, *out);
}

static Error *only_places(Gather *g, Block **out)
{
  *out = block_absent(g->blocks, bytes_in_all(g));
  return place_pieces(g, *out);
}

static Error *fill_block(Gather *g, bool with_bytes)
{
  Block *block = NULL;
  Error *e = NULL;
  if (!with_bytes && !g->has_texts)
    e = only_places(g, &block);
  else
    e = read_by_view(g, &block);
  if (!e && !block) e = read_in_file_order(g, &block);
  g->batch->block = block;
  g->batch->pub.raw_ = block ? block->bytes : NULL;
  return e;
}

Error *gather_end(Gather *g, bool with_bytes, Batch **out)
{
  Error *e = NULL;
  if (!g->batch) close_all(g); /* very many may wait after they were read */
  if (g->n_pieces) e = fill_block(g, with_bytes);
  g->has_texts = false;
  g->n_pieces = 0;
  g->n_bytes = 0;
  *out = e ? NULL : g->batch;
  if (e) batch_give(g->batches, g->batch);
  g->batch = NULL;
  return e;
}
