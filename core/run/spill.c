/* A temporary file of batches.  Images are for this process only: symbols and tracks stay as they are. */
#include "run/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Spill {
  int fd;
  uint64_t size;
};

typedef struct ImageHead {
  uint32_t lane, n_events, n_attrs, reserved;
  uint64_t own_len;
} ImageHead;

static Error *spill_error(const char *doing)
{
  Error *e = error_new(EXIT_LIMIT, "RUN-08", "events beyond the memory limit could not be %s: %s", doing,
                       g_strerror(errno));
  return error_help(e, "give more memory with --max-memory, or an output folder with more free space");
}

Error *spill_new(const char *folder, Spill **out)
{
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    g_autofree char *path = g_build_filename(folder, ".stagemill-spill-XXXXXX", NULL);
    fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) unlink(path);
  }
  if (fd < 0) return error_at(spill_error("put aside"), "in %s", folder);
  Spill *s = g_new0(Spill, 1);
  s->fd = fd;
  *out = s;
  return NULL;
}

void spill_free(Spill *s)
{
  if (!s) return;
  close(s->fd);
  g_free(s);
}

static bool write_all(Spill *s, const void *bytes, size_t len)
{
  for (const char *p = bytes; len;) {
    ssize_t n = pwrite(s->fd, p, len, (off_t)s->size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    s->size += (uint64_t)n;
    len -= (size_t)n;
  }
  return true;
}

Error *spill_write(Spill *s, const Batch *b)
{
  ImageHead head = { b->pub.lane, b->pub.n_events, b->pub.n_attrs, 0, b->own_len };
  if (write_all(s, &head, sizeof head) && write_all(s, b->pub.events, head.n_events * sizeof(MillEvent)) &&
      write_all(s, b->pub.attrs, head.n_attrs * sizeof(MillAttr)) && write_all(s, b->pub.own, head.own_len))
    return NULL;
  return spill_error("written to a temporary file");
}

static bool read_all(Spill *s, void *bytes, size_t len, uint64_t *io_offset)
{
  for (char *p = bytes; len;) {
    ssize_t n = pread(s->fd, p, len, (off_t)*io_offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    *io_offset += (uint64_t)n;
    len -= (size_t)n;
  }
  return true;
}

static void make_room(Batch *b, const ImageHead *head)
{
  if (b->pub.max_events < head->n_events) {
    b->pub.max_events = head->n_events;
    b->pub.events = g_renew(MillEvent, b->pub.events, head->n_events);
  }
  if (b->pub.max_attrs < head->n_attrs) {
    b->pub.max_attrs = head->n_attrs;
    b->pub.attrs = g_renew(MillAttr, b->pub.attrs, head->n_attrs);
  }
  if (b->own_max < head->own_len) {
    if (b->own_max) g_free((char *)b->pub.own);
    b->pub.own = g_malloc(head->own_len);
    b->own_max = head->own_len;
  }
}

Error *spill_read(Spill *s, uint64_t *io_offset, uint64_t end, BatchPool *pool, Batch **out)
{
  ImageHead head;
  *out = NULL;
  if (*io_offset >= end) return NULL;
  if (!read_all(s, &head, sizeof head, io_offset)) return spill_error("read back");
  Batch *b = batch_take(pool, head.lane);
  make_room(b, &head);
  b->pub.n_events = head.n_events;
  b->pub.n_attrs = head.n_attrs;
  b->own_len = head.own_len;
  if (read_all(s, b->pub.events, head.n_events * sizeof(MillEvent), io_offset) &&
      read_all(s, b->pub.attrs, head.n_attrs * sizeof(MillAttr), io_offset) &&
      read_all(s, (char *)b->pub.own, head.own_len, io_offset)) {
    *out = b;
    return NULL;
  }
  batch_give(pool, b);
  return spill_error("read back");
}

uint64_t spill_size(const Spill *s)
{
  return s->size;
}
