/* Calls of an isolated stage that have a batch. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ISOLATE_BATCH_H
#define HOST_ISOLATE_BATCH_H

#include "host/instance.h"

/* A batch that the stage only looks at may wait until several are sent at a time. */
Error *isolate_batch(Instance *i, BatchCall call, Batch *b);
/* Those that wait; before anything else is asked of the stage. */
Error *isolate_send_waiting(Instance *i);

#endif
