/* The temporary file of a run, for held events that do not fit in memory: images of batches. */
#ifndef STORE_SPILL_H
#define STORE_SPILL_H

#include "model/error.h"
#include "model/pool.h"

typedef struct Spill Spill;
typedef struct SpillImage { /* where a batch lies in the file */
  uint64_t offset, len;
} SpillImage;

/* One file for all lanes, made when the first image is written.  It is in `folder` and has no name:
 * it is gone with the process. */
Spill *spill_new(const char *folder);
void spill_free(Spill *s);
/* Any thread.  All events of the batch must own their bytes (copies made by batch_copy_event). */
Error *spill_write(Spill *s, const Batch *b, SpillImage *out);
Error *spill_read(Spill *s, const SpillImage *image, BatchPool *pool, Batch **out);
void spill_forget(Spill *s, const SpillImage *image); /* gives its space on disk back */

#endif
