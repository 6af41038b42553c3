/* For fuzz targets of code that reads files: the bytes as a file. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_SAVED_H
#define FUZZ_SAVED_H

#include <glib/gstdio.h>
#include <stdint.h>
#include <unistd.h>

#include "promise.h"

static char path[] = "/tmp/stagemill-fuzz-XXXXXX";

static void remove_file(void) { g_unlink(path); }

/* One file is used over and over.  Not by targets of code that this processor does not have. */
static inline void save(const uint8_t *data, size_t size)
{
  static int fd = -1;
  if (fd < 0) {
    fd = mkstemp(path);
    PROMISE(fd >= 0 && atexit(remove_file) == 0);
  }
  PROMISE(pwrite(fd, data, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0);
}

#endif
