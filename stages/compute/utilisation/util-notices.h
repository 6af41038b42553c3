/* What the stage says of jobs and their tables. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_NOTICES_H
#define UTIL_NOTICES_H

#include <stagemill/types.h>

enum {
  UTIL_UNCERTAIN = 1,
  UTIL_ALIKE,
  UTIL_OVER,
  UTIL_UNKNOWN,
  UTIL_NO_TABLE,
  UTIL_NO_TIME,
  UTIL_OVERLAPPING,
  UTIL_HIDDEN,
  UTIL_AUTOPILOT,
  UTIL_N_NOTICES = UTIL_AUTOPILOT
};

extern const MillNotice util_notices[UTIL_N_NOTICES];

#endif
