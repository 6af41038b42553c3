/* Stages in processes of their own (--isolate): one for each instance, a copy of the program at the moment when the
 * instance opens.  See docs/decisions/0046-isolated-stages.md. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ISOLATE_H
#define HOST_ISOLATE_H

#include "host/away.h"

extern const AwayOps isolate_ops; /* Instance.away of such an instance */

/* In a batch, where stages are isolated: to change between processes costs more than what a larger batch does. */
enum { ISOLATE_BATCH_EVENTS = 8192 };

#define ISOLATE_LIMIT_NS INT64_C(60000000000) /* of processor time, for one call */

#endif
