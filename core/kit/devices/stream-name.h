/* On which stream device work ran, as a text. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_STREAM_NAME_H
#define KIT_STREAM_NAME_H

#include "kit/text/fields.h"

/* For a stage's `reads`; the key is the symbol of "stream". */
#define STREAM_READ                              \
  {                                              \
    "stream", MILL_AS_ANY, MILL_KIND(MILL_SLICE) \
  }

typedef struct StreamRoom { /* for the digits of a number */
  char digits[DIGITS_MAX];
} StreamRoom;

/* What the attribute says, else the thread of the event's track; "stream 7" is 7.  In the room, the batch or a symbol. */
Field stream_name(const MillHost *, const MillBatch *, const MillEvent *, MillSym key,
                  StreamRoom *);

#endif
