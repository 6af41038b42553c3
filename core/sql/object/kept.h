/* Rows that were read once: in memory up to a limit, then in a temporary file; in their order, or by a key. */
/* SPDX-License-Identifier: MIT */
#ifndef SQL_OBJECT_KEPT_H
#define SQL_OBJECT_KEPT_H

#include <glib.h>
#include <stdbool.h>
#include <stagemill/types.h>

typedef struct KeptFile { /* one for all rows of a connection */
  const char *folder;
  uint64_t max_bytes; /* that may be held in memory */
  uint64_t bytes;     /* that are */
  int fd;             /* -1: none so far */
  uint64_t size;
} KeptFile;

typedef struct Kept Kept;

/* lasts: of each column, whether its texts need no copy.  keyed: rows will be looked up. */
Kept *kept_new(KeptFile *file, const bool *lasts, uint32_t n_columns, bool keyed);
void kept_free(Kept *k);
/* Texts are copied where they have to be.  False: the file failed, errno says why. */
bool kept_add(Kept *k, uint64_t key, const MillValue *cells);
bool kept_end(Kept *k); /* after the last one; the same */

/* Equal values have equal keys, also an integer and the same real number; `key` is that of the values before it. */
uint64_t kept_key(uint64_t key, const MillValue *value);

typedef struct KeptCursor {
  const Kept *kept;
  bool all;
  uint64_t key;
  guint piece;
  uint64_t at, stop; /* entries, or bytes, of the piece */
} KeptCursor;
void kept_all(const Kept *k, KeptCursor *c);
void kept_find(const Kept *k, uint64_t key, KeptCursor *c); /* rows of other keys may come, too */
/* False: there are no more.  Texts live as long as what is kept. */
bool kept_next(KeptCursor *c, MillValue *cells);

#endif
