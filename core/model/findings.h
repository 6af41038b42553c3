/* What was wrong or odd on the way and did not end the run: errors that were set aside, and the engine's own notices. */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include "model/error.h"
#include "model/notice.h"

typedef struct Findings {
  Notices notices;   /* the engine's */
  bool keep_going;   /* what is wrong with one input does not end the run */
  GPtrArray *errors; /* Error *: those that did not */
} Findings;

void findings_init(Findings *f, bool keep_going);
void findings_clear(Findings *f);
/* Under keep_going what is wrong with an input, or a folder of them, is kept: NULL.  Else it comes back. */
Error *findings_set_aside(Findings *f, Error *e);
/* What was kept, once; the caller frees it. */
Error *findings_take_errors(Findings *f);

#endif
