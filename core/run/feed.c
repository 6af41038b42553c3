/* Blocks of decompressed bytes in order; see feed.h. */
#include "run/feed.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define QUEUE 3

typedef struct Filled {
  Block *block;
  int64_t len; /* -1: failed */
  char *why;
} Filled;

struct Feed {
  Reader *reader;
  BlockPool *pool;
  bool plain, ahead, recover;
  uint64_t file_offset; /* plain: of the next read */
  FeedView view;
  bool ended;
  _Atomic uint64_t bytes;
  /* the thread that decompresses */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Filled queue[QUEUE];
  unsigned head, count;
  bool stop;
};

/* Data goes behind the room, so that carried bytes fit before it. */
static Filled fill(Feed *f)
{
  Block *b = block_take(f->pool, FEED_ROOM + FEED_BLOCK);
  char *to = b->bytes + FEED_ROOM;
  int64_t n = f->plain ? reader_read_at(f->reader, to, FEED_BLOCK, f->file_offset) : reader_read(f->reader, to, FEED_BLOCK);
  if (n < 0 && f->recover && reader_truncated(f->reader)) n = 0;
  Filled filled = { b, n, n < 0 ? g_strdup(reader_why(f->reader)) : NULL };
  if (n > 0) f->file_offset += (uint64_t)n;
  return filled;
}

static void *run_ahead(void *data)
{
  Feed *f = data;
  for (bool more = true; more;) {
    Filled filled = fill(f);
    more = filled.len > 0;
    pthread_mutex_lock(&f->lock);
    while (f->count == QUEUE && !f->stop) pthread_cond_wait(&f->changed, &f->lock);
    if (f->stop) {
      block_unref(filled.block);
      g_free(filled.why);
      more = false;
    } else {
      f->queue[(f->head + f->count++) % QUEUE] = filled;
      pthread_cond_broadcast(&f->changed);
    }
    pthread_mutex_unlock(&f->lock);
  }
  return NULL;
}

Feed *feed_new(Reader *reader, BlockPool *pool, bool ahead, bool recover)
{
  Feed *f = g_new0(Feed, 1);
  f->reader = reader;
  f->pool = pool;
  f->plain = reader_is_plain_file(reader);
  f->ahead = ahead && !f->plain;
  f->recover = recover;
  pthread_mutex_init(&f->lock, NULL);
  pthread_cond_init(&f->changed, NULL);
  if (f->ahead && pthread_create(&f->thread, NULL, run_ahead, f)) f->ahead = false;
  return f;
}

void feed_free(Feed *f)
{
  if (!f) return;
  if (f->ahead) {
    pthread_mutex_lock(&f->lock);
    f->stop = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    for (; f->count; f->count--, f->head = (f->head + 1) % QUEUE) {
      block_unref(f->queue[f->head].block);
      g_free(f->queue[f->head].why);
    }
  }
  pthread_mutex_destroy(&f->lock);
  pthread_cond_destroy(&f->changed);
  block_unref(f->view.block);
  g_free(f);
}

static Filled take(Feed *f)
{
  if (!f->ahead) return fill(f);
  pthread_mutex_lock(&f->lock);
  while (!f->count) pthread_cond_wait(&f->changed, &f->lock);
  Filled filled = f->queue[f->head];
  f->head = (f->head + 1) % QUEUE;
  f->count--;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->lock);
  return filled;
}

/* The carried bytes before the new ones: in the room, or in a larger block. */
static void join(Feed *f, Block *block, size_t got, const char *carry, size_t left)
{
  if (left <= FEED_ROOM) {
    f->view.bytes = block->bytes + FEED_ROOM - left;
    memcpy((char *)f->view.bytes, carry, left);
  } else {
    /* Room to read into, so that a long event costs few copies. */
    Block *larger = block_take(f->pool, left + got);
    memcpy(larger->bytes, carry, left);
    memcpy(larger->bytes + left, block->bytes + FEED_ROOM, got);
    block_unref(block);
    block = larger;
    f->view.bytes = block->bytes;
  }
  f->view.block = block;
  f->view.len = left + got;
  block_pad(block, (size_t)(f->view.bytes - block->bytes) + f->view.len);
}

static Error *too_long(const char *name, uint64_t offset)
{
  Error *e = error_new(EXIT_LIMIT, "RUN-07", "one event is longer than 64 MiB");
  error_at(e, "in %s, at byte %" G_GUINT64_FORMAT " of the text", name, offset);
  return error_help(e, "this is rarely a trace; if it is, report the producer");
}

Error *feed_next(Feed *f, size_t left, const char *name, FeedView *out)
{
  if (left > FEED_MAX_EVENT) return too_long(name, f->view.offset + f->view.len - left);
  FeedView old = f->view;
  Filled filled = f->ended ? (Filled){ block_take(f->pool, FEED_ROOM + FEED_BLOCK), 0, NULL } : take(f);
  if (filled.len < 0) {
    Error *e = error_new(EXIT_INPUT, "RUN-04", "%s cannot be read: %s", name, filled.why);
    block_unref(filled.block);
    g_free(filled.why);
    return e;
  }
  size_t got = (size_t)filled.len;
  if (!got) f->ended = true;
  join(f, filled.block, got, old.bytes ? old.bytes + old.len - left : "", left);
  f->view.offset = old.bytes ? old.offset + old.len - left : f->file_offset - got;
  f->view.at_end = f->ended;
  atomic_fetch_add(&f->bytes, got);
  block_unref(old.block);
  *out = f->view;
  return NULL;
}

void feed_seek(Feed *f, uint64_t offset)
{
  block_unref(f->view.block);
  f->view = (FeedView){ 0 };
  f->file_offset = offset;
  f->ended = false;
}

uint64_t feed_bytes(const Feed *f)
{
  return atomic_load(&f->bytes);
}
