/* A temporary file of batches, for what does not fit in memory. */
#ifndef RUN_SPILL_H
#define RUN_SPILL_H

#include "model/error.h"
#include "run/pool.h"

typedef struct Spill Spill;

/* The file is beside the output and has no name: it is gone with the process. */
Error *spill_new(const char *folder, Spill **out);
void spill_free(Spill *s);
/* All events of the batch must own their bytes (copies made by batch_copy_event). */
Error *spill_write(Spill *s, const Batch *b);
/* Reads the batch at *io_offset and moves it on; *out is NULL at `end`. */
Error *spill_read(Spill *s, uint64_t *io_offset, uint64_t end, BatchPool *pool, Batch **out);
uint64_t spill_size(const Spill *s);

#endif
