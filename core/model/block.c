/* Blocks of input bytes, shared by reference between batches and reused. */
/* SPDX-License-Identifier: MIT */
#include "model/block.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"

_Static_assert(BLOCK_PAD == SCAN_PAD, "bytes in a block are scanned like those in a window");

#define KEEP_FREE 4

struct BlockPool {
  pthread_mutex_t lock;
  size_t block_size;
  Block *free;
  uint32_t n_free;
  atomic_bool torn;
};

BlockPool *block_pool_new(size_t block_size)
{
  BlockPool *p = g_new0(BlockPool, 1);
  pthread_mutex_init(&p->lock, NULL);
  p->block_size = block_size;
  return p;
}

static void destroy(Block *b)
{
  if (!b->window) g_free(b->bytes);
  window_free(b->window);
  g_free(b->places);
  g_free(b);
}

void block_pool_free(BlockPool *p)
{
  if (!p) return;
  for (Block *b = p->free, *next; b; b = next) {
    next = b->next;
    destroy(b);
  }
  pthread_mutex_destroy(&p->lock);
  g_free(p);
}

static Block *take_free(BlockPool *p)
{
  pthread_mutex_lock(&p->lock);
  Block *b = p->free;
  if (b) {
    p->free = b->next;
    p->n_free--;
  }
  pthread_mutex_unlock(&p->lock);
  return b;
}

Block *block_take(BlockPool *p, size_t at_least)
{
  Block *b = at_least <= p->block_size ? take_free(p) : NULL;
  if (!b) {
    b = g_new0(Block, 1);
    b->max = MAX(at_least, p->block_size);
    b->bytes = g_malloc(b->max + BLOCK_PAD);
    b->pool = p;
  }
  b->next = NULL;
  b->n_places = 0;
  atomic_store(&b->refs, 1);
  return b;
}

Block *block_of_window(BlockPool *p, Window *w)
{
  Block *b = g_new0(Block, 1);
  b->window = w;
  b->bytes = w->bytes;
  b->max = w->size;
  b->pool = p;
  atomic_store(&b->refs, 1);
  return b;
}

bool block_take_torn(Block *b) { return b->window && atomic_exchange(&b->window->torn, false); }

bool block_pool_torn(const BlockPool *p) { return atomic_load(&((BlockPool *)p)->torn); }

Block *block_ref(Block *b)
{
  if (b) atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
  return b;
}

void block_unref(Block *b)
{
  if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
  BlockPool *p = b->pool;
  if (block_take_torn(b)) atomic_store(&p->torn, true);
  pthread_mutex_lock(&p->lock);
  bool keep = !b->window && b->bytes && b->max == p->block_size && p->n_free < KEEP_FREE;
  if (keep) {
    b->next = p->free;
    p->free = b;
    p->n_free++;
  }
  pthread_mutex_unlock(&p->lock);
  if (!keep) destroy(b);
}

void block_pad(Block *b, size_t len) { memset(b->bytes + len, 0xff, BLOCK_PAD); }

void block_add_place(Block *b, size_t at, const Origin *origin, uint64_t offset)
{
  if (!origin) return;
  if (b->n_places == b->max_places) {
    b->max_places = b->max_places ? b->max_places * 2 : 1;
    b->places = g_renew(BlockPlace, b->places, b->max_places);
  }
  b->places[b->n_places++] = (BlockPlace){ at, origin, offset };
}

BlockPlace block_place(const Block *b, size_t at)
{
  uint32_t low = 0, high = b ? b->n_places : 0;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (b->places[middle].at <= at)
      low = middle;
    else
      high = middle;
  }
  if (low == high || b->places[low].at > at) return (BlockPlace){ 0 };
  const BlockPlace *p = &b->places[low];
  return (BlockPlace){ at, p->origin, p->offset + (at - p->at) };
}

Block *block_absent(BlockPool *p, size_t len)
{
  Block *b = g_new0(Block, 1);
  b->max = len;
  b->pool = p;
  atomic_store(&b->refs, 1);
  return b;
}

Error *block_read_again(Block *b)
{
  Error *e = NULL;
  b->bytes = g_malloc(b->max + BLOCK_PAD);
  block_pad(b, b->max);
  for (uint32_t i = 0; i < b->n_places && !e; i++) {
    const BlockPlace *p = &b->places[i];
    size_t end = i + 1 < b->n_places ? p[1].at : b->max;
    int fd;
    e = origin_open(p->origin, &fd);
    if (e) break;
    e = origin_read(p->origin, fd, p->offset, b->bytes + p->at, end - p->at);
    close(fd);
  }
  return e;
}
