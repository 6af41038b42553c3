/* Guarded memory; see guard.h.
 *
 * It is cut from large ranges of addresses, one piece after the other, so that no address is used twice before a
 * whole range is given back. */
/* SPDX-License-Identifier: MIT */
#include "base/guard.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define RANGE_BYTES ((size_t)1 << 30)
#define ALIGNMENT 16u /* of max_align_t */

enum {
  RANGES = 64,
  MOST_PIECES = 16384, /* at once: each takes two of the maps that the system allows a process */
};

typedef struct Range {
  _Atomic uintptr_t start; /* 0: free */
  size_t bytes, used;
  size_t n_pieces; /* that live */
} Range;

_Atomic bool checks_are_off;

static Range ranges[RANGES];
static Range *current;
static size_t n_all;
static _Atomic uint64_t n_asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------- processes */

/* A process that is made while another thread holds the lock would wait for it for ever. */
static void hold(void) { pthread_mutex_lock(&lock); }

static void let_go(void) { pthread_mutex_unlock(&lock); }

static void hold_in_forks(void) { pthread_atfork(hold, let_go, let_go); }

/* ----------------------------------------------------------------------- pieces */

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

size_t guard_slack(size_t bytes) { return round_up(bytes, ALIGNMENT) - bytes; }

static Range *range_of(uintptr_t address)
{
  for (int i = 0; i < RANGES; i++) {
    uintptr_t start = atomic_load(&ranges[i].start);
    if (start && address >= start && address - start < ranges[i].bytes) return &ranges[i];
  }
  return NULL;
}

bool guard_has(const void *address) { return range_of((uintptr_t)address) != NULL; }

static void give_back(Range *r)
{
  uintptr_t start = atomic_exchange(&r->start, 0);
  munmap((void *)start, r->bytes);
  if (current == r) current = NULL;
}

static Range *new_range(size_t at_least)
{
  Range *r = NULL;
  for (int i = 0; i < RANGES && !r; i++)
    if (!atomic_load(&ranges[i].start)) r = &ranges[i];
  if (!r) return NULL;
  size_t bytes = MAX(RANGE_BYTES, at_least);
  void *start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return NULL;
  r->bytes = bytes;
  r->used = r->n_pieces = 0;
  atomic_store(&r->start, (uintptr_t)start);
  return r;
}

/* So many bytes of whole pages, with a page after them. */
static char *take_pages(size_t bytes, size_t page)
{
  size_t whole = bytes + page;
  if (n_all >= MOST_PIECES) return NULL;
  if (!current || current->bytes - current->used < whole) {
    if (current && !current->n_pieces) give_back(current);
    current = new_range(whole);
  }
  if (!current) return NULL;
  char *at = (char *)atomic_load(&current->start) + current->used;
  if (bytes && mprotect(at, bytes, PROT_READ | PROT_WRITE)) return NULL;
  current->used += whole;
  current->n_pieces++;
  n_all++;
  return at;
}

void *guard_new(size_t bytes)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = round_up(bytes, ALIGNMENT);
  if (rounded < bytes || rounded > PTRDIFF_MAX - 3 * page) return NULL;
  size_t pages = round_up(rounded, page);
  char *at = NULL;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hold_in_forks);
  if (check_is_due(&n_asked)) {
    pthread_mutex_lock(&lock);
    at = take_pages(pages, page);
    pthread_mutex_unlock(&lock);
  }
  return at ? at + pages - rounded : g_try_malloc0(MAX(rounded, 1));
}

void guard_free(void *at, size_t bytes)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = round_up(bytes, ALIGNMENT);
  size_t pages = round_up(rounded, page);
  if (!at) return;
  pthread_mutex_lock(&lock);
  /* Of nothing the address is that of the page after it. */
  Range *r = range_of((uintptr_t)at);
  if (r) {
    char *start = (char *)at + rounded - pages;
    if (pages)
      mmap(start, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    n_all--;
    if (!--r->n_pieces && r != current) give_back(r);
  }
  pthread_mutex_unlock(&lock);
  if (!r) g_free(at);
}
