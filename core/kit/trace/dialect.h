/* Whose habits a lane follows. */
#ifndef KIT_DIALECT_H
#define KIT_DIALECT_H

#include <stagemill/types.h>
#include <string.h>

static inline bool lane_has_dialect(const MillHost *common, const char *dialect)
{
  MillLane lane = { .size = sizeof lane, .dialect = "" };
  common->lane(common, MILL_NO_LANE, &lane);
  return strcmp(lane.dialect, dialect) == 0;
}

/* Of a torch profiler: device events are known by their category, and their times need no stamps. */
static inline bool lane_is_torch(const MillHost *common)
{
  return lane_has_dialect(common, "kineto");
}

/* Of the FLEX runtime: device events are those with stamps. */
static inline bool lane_is_flex(const MillHost *common) { return lane_has_dialect(common, "aiu"); }

#endif
