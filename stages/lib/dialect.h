/* Whose habits a lane follows. */
#ifndef STAGES_DIALECT_H
#define STAGES_DIALECT_H

#include <stagemill/types.h>
#include <string.h>

/* Of a torch profiler: device events are known by their category, and their times need no stamps. */
static inline bool lane_is_torch(const MillHost *common)
{
  MillLane lane = { .size = sizeof lane, .dialect = "" };
  common->lane(common, MILL_NO_LANE, &lane);
  return strcmp(lane.dialect, "kineto") == 0;
}

#endif
