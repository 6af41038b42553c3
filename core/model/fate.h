/* Whether results are with an event, and what speaks against it: for the account of a run. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_FATE_H
#define MODEL_FATE_H

#include <stagemill/types.h>

typedef enum Fate {
  FATE_USABLE,
  FATE_PHASE,       /* nobody knows its phase */
  FATE_NO_TIME,     /* it has none, and is of a kind that needs it */
  FATE_NO_DURATION, /* a slice without */
  FATE_NOTICE,      /* a stage counted it in a notice of events that results are without */
  FATES
} Fate;

static inline Fate fate_of(const MillEvent *e)
{
  if (e->kind == MILL_OTHER) return FATE_PHASE;
  if (e->flags & MILL_FLAG_NO_TS && e->kind != MILL_META && e->kind != MILL_RECORD)
    return FATE_NO_TIME;
  if (e->kind == MILL_SLICE && e->dur_ns < 0) return FATE_NO_DURATION;
  return e->flags & MILL_FLAG_LEFT_OUT ? FATE_NOTICE : FATE_USABLE;
}

#endif
