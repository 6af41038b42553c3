/* What can be read again: an input that is a regular file, as it was when it was opened. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ORIGIN_H
#define MODEL_ORIGIN_H

#include "base/stream.h"
#include "model/error.h"

typedef struct Origin {
  char *path;
  FileStamp stamp;
  _Atomic bool used; /* it was opened again */
} Origin;

/* Of a regular file that can be opened again by its name; NULL: it is none. */
Origin *origin_new(const Reader *r, const char *path);
void origin_free(Origin *o);
/* Of a reader that opened it again: an error when it is not what it was. */
Error *origin_again(const Origin *o, const Reader *r);
/* A descriptor for reading it, which the caller closes; an error when it is not what it was. */
Error *origin_open(const Origin *o, int *out_fd);
/* All of `len` bytes through that descriptor. */
Error *origin_read(const Origin *o, int fd, uint64_t offset, void *to, size_t len);
/* When all has been read: an error if it is no longer what it was, or is gone. */
Error *origin_check(const Origin *o);
/* how: "changed", or "shrank". */
Error *origin_changed(const char *path, const char *how);

#endif
