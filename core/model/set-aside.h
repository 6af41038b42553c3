/* What was wrong or odd on the way and did not end the run: errors that were set aside, and the engine's own notices. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SET_ASIDE_H
#define MODEL_SET_ASIDE_H

#include "model/error.h"
#include "model/notice.h"

typedef struct SetAside {
  Notices notices;   /* the engine's */
  bool keep_going;   /* what is wrong with one input does not end the run */
  GPtrArray *errors; /* Error *: those that did not */
} SetAside;

void aside_init(SetAside *f, bool keep_going);
void aside_clear(SetAside *f);
/* Under keep_going what is wrong with an input, or a folder of them, is kept: NULL.  Else it comes back. */
Error *aside_put(SetAside *f, Error *e);
/* What was kept, once; the caller frees it. */
Error *aside_take_errors(SetAside *f);

#endif
