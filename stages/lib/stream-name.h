/* On which stream device work ran, as a text. */
#ifndef STAGE_LIB_STREAM_NAME_H
#define STAGE_LIB_STREAM_NAME_H

#include "lib/fields.h"

/* For a stage's `reads`; the key is the symbol of "stream". */
#define STREAM_READ                              \
  {                                              \
    "stream", MILL_AS_ANY, MILL_KIND(MILL_SLICE) \
  }

/* What the attribute says, else the thread of the event's track; "stream 7" is 7.  In scratch memory or in the batch. */
Field stream_name(const MillHost *, const MillBatch *, const MillEvent *, MillSym key);

#endif
