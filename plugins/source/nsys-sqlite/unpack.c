/* A compressed database: SQLite needs its pages in any order, so that it is unpacked to a temporary file.
 *
 * The file has no name but for the moment in which SQLite opens it: whatever ends the program, nothing stays. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "nsys-sqlite.h"

#define PIECE_BYTES (256u << 10)

static int fail(Source *s, const char *folder)
{
  g_autofree char *why = g_strdup_printf("%s: %s", folder, g_strerror(errno));
  return database_fail(s, NSQL_UNPACK, NULL, why);
}

static bool write_all(int fd, const char *bytes, size_t len)
{
  while (len) {
    ssize_t n = write(fd, bytes, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    len -= (size_t)n;
  }
  return true;
}

static int fill(Source *s, int fd, const char *folder)
{
  g_autofree char *piece = g_malloc(PIECE_BYTES);
  int64_t n;
  while ((n = s->host->read(s->host, piece, PIECE_BYTES)) > 0)
    if (!write_all(fd, piece, (size_t)n)) return fail(s, folder);
  if (n == 0) return 0;
  g_autofree char *why = g_strdup(s->host->read_why(s->host));
  return database_fail(s, NSQL_BROKEN, "the database cannot be unpacked", why);
}

/* A name for the file, taken away by unpack_forget. */
static int give_name(Source *s, int fd, const char *folder)
{
  g_autofree char *open_file = g_strdup_printf("/proc/self/fd/%d", fd);
  for (int tries = 0; tries < 100; tries++) {
    g_autofree char *name = g_strdup_printf("stagemill-nsys-%08x", g_random_int());
    g_free(s->unpacked);
    s->unpacked = g_build_filename(folder, name, NULL);
    if (!linkat(AT_FDCWD, open_file, AT_FDCWD, s->unpacked, AT_SYMLINK_FOLLOW)) return 0;
    if (errno != EEXIST) break;
  }
  g_clear_pointer(&s->unpacked, g_free);
  return fail(s, folder);
}

int unpack_file(Source *s)
{
  const char *folder = g_get_tmp_dir();
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return fail(s, folder);
  int status = fill(s, fd, folder);
  if (!status) status = give_name(s, fd, folder);
  close(fd);
  return status;
}

void unpack_forget(Source *s)
{
  if (s->unpacked) unlink(s->unpacked);
  g_clear_pointer(&s->unpacked, g_free);
}
