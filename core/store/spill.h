/* The temporary file of a run, for held events that do not fit in memory: packs as they are. */
/* SPDX-License-Identifier: MIT */
#ifndef STORE_SPILL_H
#define STORE_SPILL_H

#include "model/error.h"
#include "store/pack.h"

typedef struct Spill Spill;
typedef struct SpillImage { /* where a pack lies in the file */
  uint64_t offset, len;
} SpillImage;

/* One file for all lanes, made when the first image is written.  It is in `folder` and has no name:
 * it is gone with the process. */
Spill *spill_new(const char *folder);
void spill_free(Spill *s);
Error *spill_write(Spill *s, const Pack *p, SpillImage *out);     /* any thread */
Error *spill_read(Spill *s, const SpillImage *image, Pack **out); /* the caller frees with g_free */
void spill_forget(Spill *s, const SpillImage *image);             /* gives its space on disk back */

#endif
