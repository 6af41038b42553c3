/* Blocks of decompressed bytes in order; see feed.h. */
/* SPDX-License-Identifier: MIT */
#include "input/feed.h"

#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/num.h"
#include "base/thread.h"

#define QUEUE 3

typedef struct Filled {
  Block *block;
  int64_t len; /* -1: failed */
  char *why;
} Filled;

struct Feed {
  Reader *reader;
  const Origin *origin;
  BlockPool *pool;
  bool plain, ahead, recover;
  size_t max_event;
  uint64_t file_offset; /* plain file: of the next read */
  uint64_t next_offset; /* of the bytes after the view */
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

/* Data goes after FEED_CARRY_MAX bytes, so that carried bytes fit before it. */
static Filled fill(Feed *f)
{
  Block *b = block_take(f->pool, FEED_CARRY_MAX + FEED_BLOCK);
  char *to = b->bytes + FEED_CARRY_MAX;
  int64_t n = f->plain ? reader_read_at(f->reader, to, FEED_BLOCK, f->file_offset)
                       : reader_read(f->reader, to, FEED_BLOCK);
  if (n < 0 && f->recover && reader_truncated(f->reader)) n = 0;
  Filled filled = { b, n, NULL };
  if (n < 0) filled.why = g_strdup(f->plain ? g_strerror(errno) : reader_why(f->reader));
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

Feed *feed_new(Reader *reader, const Origin *origin, BlockPool *pool, bool ahead, bool recover,
               size_t max_event)
{
  Feed *f = g_new0(Feed, 1);
  f->reader = reader;
  f->origin = origin;
  f->pool = pool;
  f->plain = reader_is_plain_file(reader);
  f->ahead = ahead && !f->plain;
  f->recover = recover;
  f->max_event = max_event;
  pthread_mutex_init(&f->lock, NULL);
  pthread_cond_init(&f->changed, NULL);
  if (f->ahead && thread_start(&f->thread, run_ahead, f)) f->ahead = false;
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

/* Puts the carried bytes before the new ones, into the room that every block has for them. */
static void join_short(Feed *f, Filled filled, const char *carry, size_t left)
{
  char *to = filled.block->bytes + FEED_CARRY_MAX - left;
  if (left) memcpy(to, carry, left);
  f->view.block = filled.block;
  f->view.bytes = to;
  f->view.len = left + (size_t)filled.len;
}

/* A long event: each time, its length is read once more, so that it is copied and scanned only a
 * few times. */
static void join_long(Feed *f, Filled *io_filled, const char *carry, size_t left)
{
  size_t enough = MIN(2 * left, f->max_event + 1), len = left;
  Block *larger = block_take(f->pool, enough + FEED_BLOCK);
  memcpy(larger->bytes, carry, left);
  while (io_filled->len > 0) {
    memcpy(larger->bytes + len, io_filled->block->bytes + FEED_CARRY_MAX, (size_t)io_filled->len);
    len += (size_t)io_filled->len;
    block_unref(io_filled->block);
    io_filled->block = NULL;
    if (len >= enough) break;
    *io_filled = take(f);
  }
  block_unref(io_filled->block);
  f->view.block = larger;
  f->view.bytes = larger->bytes;
  f->view.len = len;
}

static Error *too_long(const Feed *f, const char *name, uint64_t offset)
{
  char size[NUM_BUF];
  num_format_size(size, f->max_event);
  Error *e = error_new(EXIT_LIMIT, "RUN-07", "one event is longer than %s", size);
  error_at(e, "in %s, at byte %" G_GUINT64_FORMAT " of the text", name, offset);
  if (f->max_event < FEED_MAX_EVENT)
    return error_help(e, "give more --max-memory: one event may have half of it");
  return error_help(e, "the file is probably not a trace; if it is one, tell us which program "
                       "wrote it");
}

/* Ends the feed: a later call must not wait for the thread that has ended. */
static Error *read_failed(Feed *f, const char *name, Filled filled)
{
  Error *e = error_new(EXIT_INPUT, "RUN-04", "%s cannot be read: %s", name, filled.why);
  g_free(filled.why);
  f->ended = true;
  return e;
}

/* Shows the next piece of a plain file from `offset` on as it is in memory, with the carried
 * bytes in their place: nothing is copied. */
static bool show(Feed *f, uint64_t offset)
{
  size_t at;
  Window *w = reader_window(f->reader, FEED_BLOCK + FEED_CARRY_MAX, offset, &at);
  if (!w) return false;
  Block *b = block_of_window(f->pool, w);
  block_unref(f->view.block);
  f->view = (FeedView){ .block = b, .bytes = b->bytes + at, .len = b->max - at, .offset = offset };
  f->file_offset = offset + f->view.len;
  return true;
}

static Error *copy(Feed *f, size_t left, const char *name)
{
  FeedView old = f->view;
  Filled filled =
      f->ended ? (Filled){ block_take(f->pool, FEED_CARRY_MAX + FEED_BLOCK), 0, NULL } : take(f);
  if (filled.len < 0) {
    block_unref(filled.block);
    return read_failed(f, name, filled);
  }
  const char *carry = old.bytes ? old.bytes + old.len - left : "";
  f->view.offset = f->next_offset - left;
  if (left <= FEED_CARRY_MAX)
    join_short(f, filled, carry, left);
  else
    join_long(f, &filled, carry, left);
  block_unref(old.block);
  if (filled.len < 0) return read_failed(f, name, filled); /* after the beginning of a long event */
  if (!filled.len) f->ended = true;
  f->view.at_end = f->ended;
  block_pad(f->view.block, (size_t)(f->view.bytes - f->view.block->bytes) + f->view.len);
  return NULL;
}

Error *feed_next(Feed *f, size_t left, const char *name, FeedView *out)
{
  uint64_t offset = f->next_offset - left;
  if (left > f->max_event) return too_long(f, name, offset);
  bool shown = f->plain && left <= FEED_CARRY_MAX && show(f, offset);
  Error *e = shown ? NULL : copy(f, left, name);
  if (e) return e;
  Block *block = f->view.block;
  block_add_place(block, (size_t)(f->view.bytes - block->bytes), f->origin, f->view.offset);
  f->next_offset = f->view.offset + f->view.len;
  atomic_store(&f->bytes, f->next_offset);
  *out = f->view;
  return NULL;
}

void feed_seek(Feed *f, uint64_t offset)
{
  block_unref(f->view.block);
  f->view = (FeedView){ 0 };
  f->file_offset = f->next_offset = offset;
  atomic_store(&f->bytes, offset);
  f->ended = false;
}

uint64_t feed_bytes(const Feed *f) { return atomic_load(&f->bytes); }
