/* What a call of `parse` of a source came to: whether it keeps to its contract, so that the next one ends, too. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_PARSED_H
#define INPUT_PARSED_H

#include "model/batch.h"
#include "model/descriptor.h"
#include "model/error.h"

/* RUN-70 where the same call would come again for ever, or for an answer that there is not; NULL: all is well.
 * pos: where the call began in the block. */
Error *parsed_check(const Descriptor *source, const MillBlock *block, size_t pos, int status,
                    uint32_t n_events);
/* The same of an answer of `next`, that has come so often without an event and without bytes read. */
Error *parsed_check_next(const Descriptor *source, int status, uint32_t n_idle);
/* The same of the header of a batch, which is empty again then. */
Error *parsed_check_batch(const Descriptor *source, const MillBatch *before, Batch *b);

#endif
