/* Moving complete files to where the user wants them: all of them, or none. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_PLACE_H
#define OUTPUT_PLACE_H

#include <sys/stat.h>

#include "model/error.h"

typedef struct Place {
  const char *name; /* for messages */
  const char *from;
  char *to;           /* place_free frees it; for a link that was followed, its target */
  GPtrArray *made;    /* folders above it that this run made, see folder.h; NULL: none so far */
  char *aside;        /* a name for the replaced file, if files cannot be exchanged */
  const char *old;    /* the present place of the replaced file */
  bool there, placed; /* there is something to replace; it was moved */
} Place;

void place_free(gpointer place);
/* Refuses an existing file, unless force; what is no regular file; and a link that leads
 * nowhere. */
Error *place_check(Place *p, bool force, bool follow_links);
/* Moves one checked file in a single step; the old file is then at `from`. False: nothing has
 * happened. */
bool place_exchange(const Place *p);
/* Moves checked files, and makes their folders. Replaced files are kept in the folder `aside`.
 * *out_stuck: a file of the user is still there. */
Error *place_all(GPtrArray *places, const char *aside, bool *out_stuck);

Error *place_not_written(const char *path, int error_no);
Error *place_exists(const char *path);
/* An error: the path names no place for a file, but a folder, a socket, or a link that leads
 * nowhere. */
Error *place_unfit(const char *path, const char *what);

/* A link to nothing, which another process may change meanwhile. */
bool place_is_dangling(const char *path);
/* A mount point, which nothing can replace by renaming. */
bool place_is_mount_point(const char *path);

/* Bytes and names survive a crash of the machine. Folders and file systems that do not support
 * this are no error. */
Error *place_sync(const char *path);

#endif
