/* How many values all run-level instances of one stage hold: with a stage that groups by tags, what
 * concerns its groups alike is decided by all of them.  Asked of the host by name; only run-level
 * instances that are folded have it. */
#ifndef BASE_STAGE_TOTAL_H
#define BASE_STAGE_TOTAL_H

#include <stdint.h>

#define STAGE_TOTAL_EXTENSION "stagemill.stage-total/1"

typedef struct StageTotal {
  uint64_t *values; /* stages add to it while they merge, which one does at a time */
} StageTotal;

#endif
