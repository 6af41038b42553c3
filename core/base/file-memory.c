/* Memory that lies in a temporary file; see file-memory.h. */
/* SPDX-License-Identifier: MIT */
#include "base/file-memory.h"

#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/nameless.h"
#include "base/process.h"

/* Of the file, mapped at once: the file doubles until pieces are large, so that there are few of them. */
#define LEAST_PIECE ((size_t)16 << 20)
#define MOST_PIECE ((size_t)1 << 30)

/* The system maps as much as AROUND for an address that is looked at, so no more than TOUCHES times that is in memory. */
enum { AROUND = 64 << 10, TOUCHES = 256 };

enum { ALIGNED = 16, MOST_PIECES = 64 };

typedef struct Piece {
  char *at;
  size_t size;
} Piece;

struct FileMemory {
  FileMemory *next; /* in the list of all */
  char *folder;
  pid_t owner;
  pthread_mutex_t lock;
  int fd;
  bool is_full; /* nobody asks again */
  Piece pieces[MOST_PIECES];
  _Atomic unsigned n_pieces; /* the last one has room */
  size_t used;               /* of the last one */
  _Atomic uint64_t size, touches;
  atomic_uintptr_t last; /* which AROUND of the addresses was touched last */
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static FileMemory *_Atomic all;

FileMemory *file_memory_new(const char *folder)
{
  FileMemory *m = g_new0(FileMemory, 1);
  m->folder = g_strdup(folder);
  m->owner = process_id();
  m->fd = -1;
  pthread_mutex_init(&m->lock, NULL);
  pthread_mutex_lock(&all_lock);
  m->next = atomic_load(&all);
  atomic_store(&all, m);
  pthread_mutex_unlock(&all_lock);
  return m;
}

static void leave_list(const FileMemory *m)
{
  pthread_mutex_lock(&all_lock);
  FileMemory *before = atomic_load(&all);
  if (before == m) {
    atomic_store(&all, m->next);
  } else {
    while (before->next != m) before = before->next;
    before->next = m->next;
  }
  pthread_mutex_unlock(&all_lock);
}

void file_memory_free(FileMemory *m)
{
  if (!m) return;
  leave_list(m);
  for (unsigned i = 0; i < atomic_load(&m->n_pieces); i++)
    munmap(m->pieces[i].at, m->pieces[i].size);
  if (m->fd >= 0) close(m->fd);
  pthread_mutex_destroy(&m->lock);
  g_free(m->folder);
  g_free(m);
}

/* With the lock held.  The disk has given the room before anything is written there: writing to a mapping has no errors. */
static bool add_piece(FileMemory *m, size_t at_least)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const unsigned n = atomic_load(&m->n_pieces);
  const uint64_t offset = atomic_load(&m->size);
  const size_t usual = (size_t)CLAMP(offset, LEAST_PIECE, MOST_PIECE);
  Piece p = { .size = MAX(usual, (at_least + page - 1) / page * page) };
  if (n == MOST_PIECES) return false;
  if (m->fd < 0) m->fd = nameless_open(m->folder);
  if (m->fd < 0 || posix_fallocate(m->fd, (off_t)offset, (off_t)p.size)) return false;
  p.at = mmap(NULL, p.size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)offset);
  if (p.at == MAP_FAILED) return false;
  m->pieces[n] = p;
  m->used = 0;
  atomic_store(&m->size, offset + p.size);
  atomic_store(&m->n_pieces, n + 1);
  return true;
}

static bool has_room(const FileMemory *m, size_t bytes)
{
  const unsigned n = atomic_load(&m->n_pieces);
  return n && m->pieces[n - 1].size - m->used >= bytes;
}

static void *take(FileMemory *m, size_t bytes)
{
  if (m->is_full) return NULL;
  if (!has_room(m, bytes) && !add_piece(m, bytes)) {
    m->is_full = true;
    return NULL;
  }
  char *at = m->pieces[atomic_load(&m->n_pieces) - 1].at + m->used;
  m->used += bytes;
  return at;
}

void *file_memory_take(FileMemory *m, size_t bytes)
{
  const size_t rounded = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  if (process_id() != m->owner || rounded < bytes) return NULL;
  pthread_mutex_lock(&m->lock);
  void *at = take(m, rounded);
  pthread_mutex_unlock(&m->lock);
  return at;
}

/* With the lock held.  Pages that were written stay in the file. */
static void let_go(FileMemory *m)
{
  for (unsigned i = 0; i < atomic_load(&m->n_pieces); i++)
    madvise(m->pieces[i].at, m->pieces[i].size, MADV_DONTNEED);
}

static void let_go_if_many(FileMemory *m)
{
  pthread_mutex_lock(&m->lock);
  if (atomic_load(&m->touches) >= TOUCHES) {
    atomic_store(&m->touches, 0);
    let_go(m);
  }
  pthread_mutex_unlock(&m->lock);
}

void file_memory_touch(FileMemory *m, const void *at)
{
  if (!m) return;
  const uintptr_t place = (uintptr_t)at / AROUND;
  if (atomic_load_explicit(&m->last, memory_order_relaxed) == place) return;
  atomic_store_explicit(&m->last, place, memory_order_relaxed);
  if (atomic_fetch_add(&m->touches, 1) + 1 >= TOUCHES) let_go_if_many(m);
}

void file_memory_copy(FileMemory *m, void *to, const void *from, size_t bytes)
{
  for (size_t at = 0; at < bytes; at += AROUND) {
    file_memory_touch(m, (const char *)from + at);
    file_memory_touch(m, (char *)to + at);
    memcpy((char *)to + at, (const char *)from + at, MIN((size_t)AROUND, bytes - at));
  }
}

uint64_t file_memory_bytes(const FileMemory *m) { return m ? atomic_load(&m->size) : 0; }

bool file_memory_holds(const void *address)
{
  for (const FileMemory *m = atomic_load(&all); m; m = m->next)
    for (unsigned i = 0; i < atomic_load(&m->n_pieces); i++)
      if ((uintptr_t)address - (uintptr_t)m->pieces[i].at < m->pieces[i].size) return true;
  return false;
}
