/* A temporary file without a name; see nameless.h. */
/* SPDX-License-Identifier: MIT */
#include "base/nameless.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

int nameless_open(const char *folder)
{
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  /* not every file system has files without names */
  g_autofree char *path = g_build_filename(folder, ".stagemill-XXXXXX", NULL);
  fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) g_unlink(path);
  return fd;
}
