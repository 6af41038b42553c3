/* Complete files on their way to where the user wants them: all of them arrive, or none. */
#ifndef OUTPUT_PLACE_H
#define OUTPUT_PLACE_H

#include <sys/stat.h>

#include "model/error.h"

typedef struct Place {
  const char *name; /* for messages */
  const char *from;
  char *to;        /* freed by place_free; a link that was followed is the file that it leads to */
  GPtrArray *made; /* folders above it that were not there, see folder.h; NULL: none so far */
  char *aside;     /* a name for the replaced file where it cannot be exchanged */
  const char *old; /* where the replaced file is */
  bool there, placed; /* something is to be replaced; it was moved */
} Place;

void place_free(gpointer place);
/* Refused: what exists, unless force; what is no regular file; a link that leads nowhere. */
Error *place_check(Place *p, bool force, bool follow_links);
/* One checked file, which is there, in a single step: the old one is then at `from`.  False: nothing has happened. */
bool place_exchange(const Place *p);
/* Of checked ones.  Makes folders.  Replaced files are kept in the folder `aside`.  *out_stuck: a file of the user is still there. */
Error *place_all(GPtrArray *places, const char *aside, bool *out_stuck);

Error *place_not_written(const char *path, int error_no);
Error *place_exists(const char *path);
/* What the path names is no place for a file: a folder, a socket, a link that leads nowhere. */
Error *place_unfit(const char *path, const char *what);

/* A link to nothing; not what somebody else puts there meanwhile. */
bool place_is_dangling(const char *path);
/* Nothing can be renamed to take its place. */
bool place_is_mount_point(const char *path);

/* Their bytes and names survive a crash of the machine.  Folders and file systems that know no such thing are fine. */
Error *place_sync(const char *path);

#endif
