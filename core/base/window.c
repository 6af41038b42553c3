/* Mapped windows, and how they survive the loss of their file; see window.h. */
/* SPDX-License-Identifier: MIT */
#include "base/window.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scan.h"

/* The signal handler walks the list of all windows.  So none ever leaves it, and its place in
 * memory stays reserved: one that is free waits to be used again.  It shows its last piece until
 * then, since to let go of the pages takes as long as to show others. */
static _Atomic(Window *) all;
static Window *free_ones;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic size_t page; /* its size; set before there is a window */

static bool map(char *at, size_t size, int flags, int fd, uint64_t offset)
{
  return mmap(at, size, PROT_READ, MAP_PRIVATE | MAP_FIXED | flags, fd, (off_t)offset) !=
         MAP_FAILED;
}

static Window *take_free(size_t size)
{
  pthread_mutex_lock(&free_lock);
  Window **at = &free_ones;
  while (*at && (*at)->size != size) at = &(*at)->next_free;
  Window *w = *at;
  if (w) *at = w->next_free;
  pthread_mutex_unlock(&free_lock);
  return w;
}

Window *window_new(size_t at_least)
{
  page = (size_t)sysconf(_SC_PAGESIZE);
  size_t size = (at_least + page - 1) / page * page;
  Window *w = take_free(size);
  if (w) return w;
  char *bytes = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return NULL;
  memset(bytes + size, 0xff, SCAN_PAD);
  w = g_new0(Window, 1);
  w->bytes = bytes;
  w->size = size;
  w->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &w->next, w)) continue;
  return w;
}

void window_free(Window *w)
{
  if (!w) return;
  pthread_mutex_lock(&free_lock);
  w->next_free = free_ones;
  free_ones = w;
  pthread_mutex_unlock(&free_lock);
}

bool window_show(Window *w, int fd, uint64_t offset, size_t *out_at)
{
  *out_at = offset % page;
  atomic_store(&w->torn, false);
  if (map(w->bytes, w->size, MAP_POPULATE, fd, offset - *out_at)) return true;
  map(w->bytes, w->size, MAP_ANONYMOUS, -1, 0); /* the failure may have left a hole */
  return false;
}

bool window_repair(const void *address)
{
  uintptr_t a = (uintptr_t)address;
  for (Window *w = atomic_load(&all); w; w = w->next) {
    uintptr_t start = (uintptr_t)w->bytes;
    if (a < start || a >= start + w->size) continue;
    atomic_store(&w->torn, true);
    return map(w->bytes + (a - start) / page * page, page, MAP_ANONYMOUS, -1, 0);
  }
  return false;
}
