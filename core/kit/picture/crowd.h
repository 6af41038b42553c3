/* What the median of many series is made of; see crowd.c. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_CROWD_H
#define KIT_PICTURE_CROWD_H

#include "kit/picture/chart.h"

typedef struct At { /* a value of a series */
  double x, y;
  uint32_t name;
} At;

/* Of series of steps, by x and name: At for every series that has begun, at every place where one of them changes.
 * n_names: of all names that there are. */
GArray *crowd_held(const GArray *sorted, uint32_t n_names, uint32_t n_series);

#endif
