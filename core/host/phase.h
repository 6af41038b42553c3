/* Which call an instance is in, and what it may ask there: the table of stage.h, source.h and sink.h. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_PHASE_H
#define HOST_PHASE_H

#include "host/state.h"

enum {
  PHASE_OPEN = 1 << 0, /* lane, merged */
  PHASE_OPEN_RUN = 1 << 1,
  PHASE_OBSERVE = 1 << 2,
  PHASE_DECIDE = 1 << 3,  /* also loading a decision */
  PHASE_PROCESS = 1 << 4, /* and flush */
  PHASE_SAVE = 1 << 5,
  PHASE_MERGE = 1 << 6,
  PHASE_REPORT = 1 << 7,
  PHASE_DECIDE_RUN = 1 << 8,
  PHASE_LOAD = 1 << 9, /* a decision: MERGE and DECIDE at once */
  PHASE_CLOSE = 1 << 10,

  PHASE_EXPAND = 1 << 11,
  PHASE_DESCRIBE = 1 << 12,
  PHASE_START = 1 << 13,
  PHASE_READ = 1 << 14, /* next, parse */
  PHASE_FORK = 1 << 15,
  PHASE_FORKED = 1 << 16, /* parse in a fork: other threads read the same lane */

  PHASE_BEGIN = 1 << 17,   /* begin_run */
  PHASE_WRITE = 1 << 18,   /* write, finish */
  PHASE_RESULTS = 1 << 19, /* results, finish_run */

  PHASE_ANY = (1 << 20) - 1,
  PHASE_ON_LANE = PHASE_OPEN | PHASE_OBSERVE | PHASE_DECIDE | PHASE_LOAD | PHASE_PROCESS,
  PHASE_SOURCE = PHASE_DESCRIBE | PHASE_START | PHASE_READ
};

/* False, and the instance has failed with STG-70, when it is in none of these phases. */
bool phase_allows(Instance *i, uint32_t phases, const char *call);

#endif
