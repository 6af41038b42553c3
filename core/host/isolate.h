/* Stages in processes of their own (--isolate): one for each instance, a copy of the program at the moment when the
 * instance opens.  See docs/decisions/0046-isolated-stages.md. */
#ifndef HOST_ISOLATE_H
#define HOST_ISOLATE_H

#include "host/away.h"

extern const AwayOps isolate_ops; /* Instance.away of such an instance */

#define ISOLATE_LIMIT_NS INT64_C(60000000000) /* of processor time, for one call */

#endif
