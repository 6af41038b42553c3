/* The lanes that go into one document: a few of those of the run, or all of them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_LANES_H
#define KIT_CHROME_LANES_H

#include <stagemill/types.h>

typedef struct TraceLanes {
  const uint32_t *index; /* ascending; NULL: all */
  uint32_t n;
} TraceLanes;

static inline uint32_t lanes_count(const MillHost *common, TraceLanes lanes)
{
  return lanes.index ? lanes.n : common->n_lanes(common);
}

/* The lane at a place in the document. */
static inline uint32_t lanes_at(TraceLanes lanes, uint32_t place)
{
  return lanes.index ? lanes.index[place] : place;
}

/* The place of a lane, which is one of them. */
static inline uint32_t lanes_place(TraceLanes lanes, uint32_t lane)
{
  if (!lanes.index) return lane;
  uint32_t low = 0, high = lanes.n;
  while (low + 1 < high) {
    uint32_t middle = low + (high - low) / 2;
    if (lanes.index[middle] <= lane)
      low = middle;
    else
      high = middle;
  }
  return low;
}

#endif
