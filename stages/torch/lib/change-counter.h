/* Levels as counters of the trace. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_CHANGE_COUNTER_H
#define TORCH_LIB_CHANGE_COUNTER_H

#include "torch/lib/changes.h"
#include "kit/text/fields.h"

typedef struct ChangeCounter {
  const MillStageHost *host;
  MillBatch *batch; /* of flush: counters come at its end */
  MillEvent event;
  MillSym key; /* of the value */
  double per;  /* the value is the level divided by this; 0: the level */
} ChangeCounter;

/* A counter of that name, "PREFIX NAME", on a track.  False: memory was refused. */
bool change_counter_open(ChangeCounter *, const char *prefix, Field name, uint32_t track);
ChangeSample change_counter_emit; /* user: the ChangeCounter */

#endif
