/* Blocks of decompressed bytes in order. Each begins with the bytes that the parser left of the
 * block before. For a plain file they are the file's own pages, mapped, if possible. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_FEED_H
#define INPUT_FEED_H

#include <glib.h>

#include "base/stream.h"
#include "model/block.h"
#include "model/error.h"

#define FEED_BLOCK (512u << 10)
#define FEED_CARRY_MAX (64u << 10) /* room before the data, for carried bytes */
#define FEED_MAX_EVENT (64u << 20) /* one event must fit */

/* The same within --max-memory: while an event is put together, its bytes are there twice. */
static inline size_t feed_max_event(uint64_t limit_bytes)
{
  return (size_t)CLAMP(limit_bytes / 2, FEED_BLOCK, FEED_MAX_EVENT);
}

typedef struct Feed Feed;
typedef struct FeedView {
  Block *block; /* owned by the feed; take a reference to keep it */
  const char *bytes;
  size_t len;
  uint64_t offset; /* of bytes[0] in the decompressed input */
  bool at_end;
} FeedView;

/* origin: of a plain file, or NULL. ahead: decompress on a thread of its own. recover: a
 * truncated compressed file ends without an error. max_event: bytes. */
Feed *feed_new(Reader *reader, const Origin *origin, BlockPool *pool, bool ahead, bool recover,
               size_t max_event);
void feed_free(Feed *f);
/* The next view; it begins with the last `left` bytes of the view before. */
Error *feed_next(Feed *f, size_t left, const char *name, FeedView *out);
/* Plain files: go on from here, without carried bytes. */
void feed_seek(Feed *f, uint64_t offset);
uint64_t feed_bytes(const Feed *f); /* decompressed so far */

#endif
