/* Opening an input once more; see origin.h. */
/* SPDX-License-Identifier: MIT */
#include "model/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

Origin *origin_new(const Reader *r, const char *path)
{
  FileStamp stamp;
  if (!strcmp(path, "-") || !reader_stamp(r, &stamp)) return NULL;
  Origin *o = g_new(Origin, 1);
  o->path = g_strdup(path);
  o->stamp = stamp;
  atomic_init(&o->used, false);
  return o;
}

void origin_free(Origin *o)
{
  if (!o) return;
  g_free(o->path);
  g_free(o);
}

Error *origin_changed(const char *path, const char *how)
{
  Error *e =
      error_new(EXIT_INPUT, "RUN-04", "%s cannot be read: it %s while it was read", path, how);
  return error_help(e, "wait until its writer has ended, then repeat the run");
}

static Error *read_failed(const Origin *o)
{
  return error_new(EXIT_INPUT, "RUN-04", "%s cannot be reread: %s", o->path, g_strerror(errno));
}

/* now: NULL, it is no regular file any more. */
static Error *compare(const Origin *o, const FileStamp *now)
{
  atomic_store(&((Origin *)o)->used, true);
  if (now && file_stamp_equal(now, &o->stamp)) return NULL;
  return origin_changed(o->path, now && now->size < o->stamp.size ? "shrank" : "changed");
}

Error *origin_again(const Origin *o, const Reader *r)
{
  FileStamp now;
  return compare(o, reader_stamp(r, &now) ? &now : NULL);
}

Error *origin_open(const Origin *o, int *out_fd)
{
  FileStamp now;
  int fd = *out_fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return read_failed(o);
  Error *e = compare(o, file_stamp(fd, &now) ? &now : NULL);
  if (!e) return NULL;
  close(fd);
  *out_fd = -1;
  return e;
}

Error *origin_read(const Origin *o, int fd, uint64_t offset, void *to, size_t len)
{
  for (size_t done = 0; done < len;) {
    ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(offset + done));
    if (n > 0) done += (size_t)n;
    if (n == 0) return origin_changed(o->path, "shrank");
    if (n < 0 && errno != EINTR) return read_failed(o);
  }
  return NULL;
}

Error *origin_check(const Origin *o)
{
  int fd;
  if (!o || !atomic_load(&((Origin *)o)->used)) return NULL;
  Error *e = origin_open(o, &fd);
  if (!e) close(fd);
  return e;
}
