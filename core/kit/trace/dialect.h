/* How a lane tells device work, by the dialect that its source has given it: the one place that knows dialects by name,
 * with torch-words.h for what their categories mean. */
/* SPDX-License-Identifier: MIT */
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

/* Device events are known by their category, and their times need no stamps. */
static inline bool lane_names_device_work(const MillHost *common)
{
  static const char *const dialects[] = { "kineto", "rocprof", "nsys" };
  for (uint32_t i = 0; i < MILL_COUNT(dialects); i++)
    if (lane_has_dialect(common, dialects[i])) return true;
  return false;
}

/* Device events are those with stamps, as of the FLEX runtime. */
static inline bool lane_stamps_device_work(const MillHost *common)
{
  return lane_has_dialect(common, "aiu");
}

#endif
