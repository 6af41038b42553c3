/* One big plain file parsed by several threads.
 * At an arbitrary place it is unknown whether it is inside a string, or how deep. A worker guesses
 * the start of an event near the start of its chunk and parses from there. Chunks are committed in
 * order. A chunk counts only if the one before, parsed from a proven start, ended exactly where
 * this one began. Otherwise the committing thread parses it again from the proven place. So the
 * result is that of one thread, whatever the file holds.
 * Tracks are numbered within a slot, and mapped when an event on them is committed. So wrong
 * guesses have no effect, and no number depends on timing. */
/* SPDX-License-Identifier: MIT */
#include "input/chunks.h"

#include <pthread.h>
#include <string.h>

#include "base/thread.h"
#include "input/feed.h"
#include "input/parsed.h"

#define MAX_THREADS 64

typedef enum { CHUNK_FREE, CHUNK_CLAIMED, CHUNK_DONE } ChunkState;

typedef struct Chunk {
  ChunkState state;
  uint64_t start, end;     /* in the file: the chunk has the events that begin here */
  uint64_t begin, reached; /* first event parsed; where parsing stopped */
  int status;              /* of the last parse */
  bool guessed;            /* a start was found */
  Instance *fork;          /* kept for the next chunk of the slot, because its caches are warm */
  Tracks *tracks;          /* numbered by the fork */
  TrackMap track_map;      /* from these to the tracks of the lane */
  GPtrArray *batches;
  guint next_batch;
  Error *broken; /* an error: the source asked for something that a fork may not have */
} Chunk;

struct Chunks {
  ChunkSource from;
  uint32_t n_threads; /* workers beside the caller */
  pthread_t threads[MAX_THREADS];
  pthread_mutex_t lock, fork_lock; /* the source itself is in one call at a time */
  pthread_cond_t changed;
  uint64_t first, file_size;
  uint32_t n_slots;
  Chunk *slots;                /* chunk k is slots[k % n_slots] */
  uint64_t claimed, committed; /* chunks */
  uint64_t proven;             /* the first byte of the next event */
  Chunk *current;              /* whose batches are given at present */
  uint64_t reparsed;
  bool stop;
};

/* ----------------------------------------------------------------- parsing */

static void chunk_clear(Chunks *c, Chunk *k)
{
  for (guint i = k->next_batch; i < k->batches->len; i++)
    batch_give(c->from.batches, k->batches->pdata[i]);
  g_ptr_array_set_size(k->batches, 0);
  k->next_batch = 0;
  if (!k->fork) return;
  notices_clear(&k->fork->notices);
  notices_init(&k->fork->notices, k->fork->descriptor);
}

static void chunk_free(Chunks *c, Chunk *k)
{
  chunk_clear(c, k);
  error_free(k->broken);
  instance_free(k->fork);
  tracks_free(k->tracks);
  track_map_clear(&k->track_map);
  g_ptr_array_unref(k->batches);
}

/* After a wrong guess, any failure is possible; a real one happens once more in order, and is
 * reported then. So only errors that are wrong in any place are kept. True: it failed. */
static bool take_failure(Chunk *k, Error *e)
{
  if (e && e->status == EXIT_INTERNAL)
    k->broken = error_join(k->broken, e);
  else
    error_free(e);
  return e != NULL;
}

static bool open_fork(Chunks *c, Chunk *k)
{
  Instance *main = c->from.instance;
  const MillSourceOps *ops = main->descriptor->source_ops;
  if (k->fork) return k->fork->self != NULL;
  k->fork = instance_new(main->env, main->lane, main->descriptor, main->id);
  k->tracks = tracks_new();
  k->fork->tracks = k->tracks;
  k->fork->mute = main->mute;
  k->fork->again = main->again;
  pthread_mutex_lock(&c->fork_lock);
  instance_enter(k->fork, PHASE_FORK);
  int status = ops->fork(main->self, &k->fork->host.source, &k->fork->self);
  Error *e = instance_leave(k->fork, "dividing its work", status);
  pthread_mutex_unlock(&c->fork_lock);
  return !take_failure(k, e) && k->fork->self;
}

/* The bytes of the file that begin at `offset`. */
typedef struct Piece {
  Block *block;
  const char *bytes;
  size_t len;
  uint64_t offset;
} Piece;

/* `want` bytes (up to a page less if they are mapped), or those up to the end of the file; none
 * if it cannot be read. */
static Piece get_piece(Chunks *c, uint64_t offset, size_t want)
{
  BlockPool *pool = c->from.blocks;
  size_t at;
  bool usual = want <= CHUNK_BYTES + CHUNK_OVERLAP; /* windows of one size can be reused */
  Window *w =
      usual ? reader_window(c->from.reader, CHUNK_BYTES + CHUNK_OVERLAP, offset, &at) : NULL;
  if (w) {
    Block *seen = block_of_window(pool, w);
    block_add_place(seen, at, c->from.origin, offset);
    return (Piece){ seen, w->bytes + at, w->size - at, offset };
  }
  Block *b = block_take(pool, want);
  int64_t got = reader_read_at(c->from.reader, b->bytes, want, offset);
  Piece piece = { b, b->bytes, got > 0 ? (size_t)got : 0, offset };
  block_pad(b, piece.len);
  block_add_place(b, 0, c->from.origin, offset);
  return piece;
}

/* False: it has failed, or broke its contract, and would come to no end. */
static bool parse_batch(Chunks *c, Chunk *k, MillBlock *io_view, Batch *b)
{
  const Descriptor *source = c->from.instance->descriptor;
  size_t pos = io_view->pos;
  const MillBatch before = b->pub;
  instance_enter(k->fork, PHASE_FORKED);
  k->status = source->source_ops->parse(k->fork->self, io_view, &b->pub);
  Error *e = instance_leave(k->fork, "reading", k->status);
  e = error_join(e, parsed_check_batch(source, &before, b));
  bool unfinished = k->status == MILL_PARSE_MORE; /* it is read again, with more bytes */
  if (!e && !unfinished) e = parsed_check(source, io_view, pos, k->status, b->pub.n_events);
  return !take_failure(k, e);
}

static void parse_piece(Chunks *c, Chunk *k, const Piece *piece, size_t pos)
{
  BatchPool *batches = c->from.batches;
  MillBlock view = {
    .bytes = piece->bytes, .len = piece->len, .pos = pos, .offset = piece->offset
  };
  view.stop = (size_t)MIN(k->end - piece->offset, (uint64_t)piece->len);
  view.at_end = piece->offset + piece->len >= c->file_size;
  k->begin = piece->offset + pos;
  do {
    Batch *b = batch_take(batches, c->from.instance->lane->index);
    b->block = block_ref(piece->block);
    b->pub.raw_ = piece->bytes;
    if (!parse_batch(c, k, &view, b)) k->status = -1;
    if (b->pub.n_events)
      g_ptr_array_add(k->batches, b);
    else
      batch_give(batches, b);
  } while (k->status == MILL_PARSE_FULL);
  k->reached = piece->offset + view.pos;
}

/* Parses from `begin`, or from a guess if begin is 0. more: how far beyond the chunk to read. */
static void parse_chunk(Chunks *c, Chunk *k, uint64_t begin, size_t more)
{
  const MillSourceOps *ops = c->from.instance->descriptor->source_ops;
  uint64_t offset = begin ? begin : k->start;
  Piece piece = get_piece(c, offset, (size_t)(k->end - offset) + more);
  int64_t pos = 0;
  k->status = -1;
  k->guessed = false;
  if (piece.len > 0) {
    if (!begin) pos = ops->sync(piece.bytes, piece.len);
    k->guessed = pos >= 0 && pos < (int64_t)(k->end - offset) && open_fork(c, k);
    if (k->guessed) parse_piece(c, k, &piece, (size_t)pos);
  }
  if (block_take_torn(piece.block)) k->status = -1;
  block_unref(piece.block);
}

/* ----------------------------------------------------------------- workers */

static Chunk *slot_of(Chunks *c, uint64_t index) { return &c->slots[index % c->n_slots]; }

/* With the lock held: the next chunk that no thread has, or NULL. */
static Chunk *claim(Chunks *c)
{
  uint64_t start = c->first + c->claimed * c->from.chunk_bytes;
  if (c->stop || c->claimed >= c->committed + c->n_slots || start >= c->file_size) return NULL;
  Chunk *k = slot_of(c, c->claimed++);
  k->state = CHUNK_CLAIMED;
  k->start = start;
  k->end = MIN(start + c->from.chunk_bytes, c->file_size);
  return k;
}

static void work_on(Chunks *c, Chunk *k)
{
  pthread_mutex_unlock(&c->lock);
  parse_chunk(c, k, k->start == c->first ? c->first : 0, CHUNK_OVERLAP);
  pthread_mutex_lock(&c->lock);
  k->state = CHUNK_DONE;
  pthread_cond_broadcast(&c->changed);
}

static void *worker(void *data)
{
  Chunks *c = data;
  pthread_mutex_lock(&c->lock);
  while (!c->stop) {
    Chunk *k = claim(c);
    if (k)
      work_on(c, k);
    else
      pthread_cond_wait(&c->changed, &c->lock);
  }
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

Chunks *chunks_new(const ChunkSource *from, uint64_t begin, uint32_t threads)
{
  Chunks *c = g_new0(Chunks, 1);
  c->from = *from;
  c->first = c->proven = begin;
  c->file_size = reader_size(from->reader);
  c->n_slots = threads + 2;
  c->slots = g_new0(Chunk, c->n_slots);
  for (uint32_t i = 0; i < c->n_slots; i++) c->slots[i].batches = g_ptr_array_new();
  pthread_mutex_init(&c->lock, NULL);
  pthread_mutex_init(&c->fork_lock, NULL);
  pthread_cond_init(&c->changed, NULL);
  for (uint32_t i = 1; i < MIN(threads, MAX_THREADS); i++)
    if (!thread_start(&c->threads[c->n_threads], worker, c)) c->n_threads++;
  return c;
}

static void stop_workers(Chunks *c)
{
  pthread_mutex_lock(&c->lock);
  c->stop = true;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->lock);
  for (uint32_t i = 0; i < c->n_threads; i++) pthread_join(c->threads[i], NULL);
  c->n_threads = 0;
}

void chunks_free(Chunks *c)
{
  if (!c) return;
  stop_workers(c);
  for (uint32_t i = 0; i < c->n_slots; i++) chunk_free(c, &c->slots[i]);
  pthread_mutex_destroy(&c->lock);
  pthread_mutex_destroy(&c->fork_lock);
  pthread_cond_destroy(&c->changed);
  g_free(c->slots);
  g_free(c);
}

/* -------------------------------------------------------------- committing */

/* The chunk to commit next, parsed; helps the workers until it is. */
static Chunk *wait_for_chunk(Chunks *c)
{
  pthread_mutex_lock(&c->lock);
  for (;;) {
    Chunk *k = slot_of(c, c->committed);
    if (c->claimed > c->committed && k->state == CHUNK_DONE) {
      pthread_mutex_unlock(&c->lock);
      return k;
    }
    Chunk *other = claim(c);
    if (other)
      work_on(c, other);
    else
      pthread_cond_wait(&c->changed, &c->lock);
  }
}

static void release_chunk(Chunks *c, Chunk *k)
{
  chunk_clear(c, k);
  pthread_mutex_lock(&c->lock);
  k->state = CHUNK_FREE;
  c->committed++;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->lock);
}

/* An event that is too long also for reading in order. */
static bool has_huge_event(const Chunk *k, size_t max_event)
{
  for (guint b = 0; b < k->batches->len; b++) {
    const MillBatch *batch = &((const Batch *)k->batches->pdata[b])->pub;
    for (uint32_t i = 0; i < batch->n_events; i++)
      if (batch->events[i].raw_len > max_event) return true;
  }
  return false;
}

/* Parses again from the proven place; an event longer than the overlap needs more and more
 * bytes. */
static void reparse(Chunks *c, Chunk *k)
{
  const size_t max_event = feed_max_event(c->from.instance->env->budget->limit_bytes);
  for (size_t more = CHUNK_OVERLAP; more <= max_event; more *= 4) {
    chunk_clear(c, k);
    c->reparsed++;
    parse_chunk(c, k, c->proven, more);
    bool whole = k->end + more >= c->file_size;
    if (k->status != MILL_PARSE_MORE || whole) break;
  }
  if (has_huge_event(k, max_event)) k->status = MILL_PARSE_MORE;
}

/* True if the current chunk is proven and free of errors. */
static bool accept(Chunks *c, Chunk *k)
{
  if (!k->guessed || k->begin != c->proven || k->status == MILL_PARSE_MORE) reparse(c, k);
  if (!k->guessed || k->status < 0 || k->status == MILL_PARSE_MORE) return false;
  notices_merge(&c->from.instance->notices, &k->fork->notices, c->from.instance->lane->n_events);
  c->proven = k->reached;
  return true;
}

static Batch *take_batch(Chunks *c, Chunk *k)
{
  const LaneInfo *lane = c->from.instance->lane;
  Batch *b = k->batches->pdata[k->next_batch++];
  for (uint32_t i = 0; i < b->pub.n_events; i++) {
    MillEvent *e = &b->pub.events_[i];
    e->track = track_map_find(&k->track_map, k->tracks, e->track, lane->tracks, lane->index);
  }
  return b;
}

Error *chunks_next(Chunks *c, Batch **out, uint64_t *out_offset)
{
  *out = NULL;
  *out_offset = c->proven;
  for (;;) {
    if (c->current && c->current->next_batch < c->current->batches->len) {
      *out = take_batch(c, c->current);
      return NULL;
    }
    bool finished = c->current && c->current->status == MILL_PARSE_DONE;
    if (c->current) release_chunk(c, c->current);
    c->current = NULL;
    if (finished || c->first + c->committed * c->from.chunk_bytes >= c->file_size) break;
    Chunk *k = wait_for_chunk(c);
    if (k->broken) return g_steal_pointer(&k->broken);
    if (c->proven >= k->end) { /* inside an event that began before */
      release_chunk(c, k);
      continue;
    }
    bool proven = accept(c, k);
    if (k->broken) return g_steal_pointer(&k->broken);
    if (!proven) break; /* the sequential parser finds the error, with the right counts */
    c->current = k;
  }
  *out_offset = c->proven;
  return NULL;
}

uint64_t chunks_bytes(Chunks *c)
{
  pthread_mutex_lock(&c->lock);
  uint64_t bytes = c->committed * c->from.chunk_bytes;
  pthread_mutex_unlock(&c->lock);
  return bytes;
}

uint64_t chunks_reparsed(const Chunks *c) { return c->reparsed; }
