/* The temporary file of a run.  Images are for this process only: symbols and tracks stay as
 * they are. */
/* SPDX-License-Identifier: MIT */
#include "store/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nameless.h"

struct Spill {
  char *folder;
  pthread_mutex_t lock; /* of the opening */
  _Atomic int fd;
  _Atomic uint64_t size;
};

Spill *spill_new(const char *folder)
{
  Spill *s = g_new0(Spill, 1);
  s->folder = g_strdup(folder);
  pthread_mutex_init(&s->lock, NULL);
  atomic_init(&s->fd, -1);
  return s;
}

void spill_free(Spill *s)
{
  if (!s) return;
  if (s->fd >= 0) close(s->fd);
  pthread_mutex_destroy(&s->lock);
  g_free(s->folder);
  g_free(s);
}

static Error *spill_error(const Spill *s, const char *doing)
{
  Error *e = error_new(EXIT_OUTPUT, "RUN-08", "events beyond the memory limit could not be %s: %s",
                       doing, g_strerror(errno));
  error_at(e, "in %s", s->folder);
  return error_help(e,
                    "give more memory with --max-memory, or an output folder with more free space");
}

static Error *open_once(Spill *s)
{
  if (atomic_load(&s->fd) >= 0) return NULL;
  pthread_mutex_lock(&s->lock);
  if (atomic_load(&s->fd) < 0) atomic_store(&s->fd, nameless_open(s->folder));
  Error *e = atomic_load(&s->fd) < 0 ? spill_error(s, "put aside") : NULL;
  pthread_mutex_unlock(&s->lock);
  return e;
}

/* Writes or reads all of it. */
static bool move_bytes(int fd, bool out, void *bytes, size_t len, uint64_t *io_offset)
{
  for (char *p = bytes; len;) {
    off_t at = (off_t)*io_offset;
    ssize_t n = out ? pwrite(fd, p, len, at) : pread(fd, p, len, at);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 && !out) errno = EIO;
    if (n <= 0) return false;
    p += n;
    *io_offset += (uint64_t)n;
    len -= (size_t)n;
  }
  return true;
}

Error *spill_write(Spill *s, const Pack *p, SpillImage *out)
{
  Error *e = open_once(s);
  if (e) return e;
  out->len = pack_size(p);
  uint64_t at = out->offset = atomic_fetch_add(&s->size, out->len);
  if (move_bytes(s->fd, true, (Pack *)p, out->len, &at)) return NULL;
  return spill_error(s, "written to a temporary file");
}

Error *spill_read(Spill *s, const SpillImage *image, Pack **out)
{
  uint64_t at = image->offset;
  Pack *p = *out = g_malloc(image->len);
  if (move_bytes(s->fd, false, p, image->len, &at)) return NULL;
  Error *e = spill_error(s, "read back");
  g_clear_pointer(out, g_free);
  return e;
}

/* Where the file system cannot do it, the space comes back with the file. */
void spill_forget(Spill *s, const SpillImage *image)
{
  fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)image->offset,
            (off_t)image->len);
}
