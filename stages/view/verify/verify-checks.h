/* The checks of the stage verify, and what each has found. */
/* SPDX-License-Identifier: MIT */
#ifndef VERIFY_CHECKS_H
#define VERIFY_CHECKS_H

#include <stagemill/stage.h>

typedef enum Check {
  CHECK_PHASES,
  CHECK_TIME_ORDER,
  CHECK_STAMP_ORDER,
  CHECK_NESTING,
  CHECK_STREAM_OVERLAP,
  CHECK_KERNEL_SPAN,
  CHECK_LONE_KERNELS,
  CHECK_LONE_SCHEDULES,
  N_CHECKS
} Check;

typedef struct Place { /* of an event, for people */
  uint64_t seq;
  MillSym name;
} Place;

static inline Place place_of(const MillEvent *e) { return (Place){ e->seq, e->name }; }

typedef struct Found {
  uint64_t count;
  Place first;
} Found;

#endif
