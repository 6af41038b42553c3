/* The members of an event that the writer knows, and reading all of them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_FIELDS_H
#define KIT_CHROME_FIELDS_H

#include "kit/chrome/event.h"

enum {
  F_PH,
  F_CAT,
  F_NAME,
  F_PID,
  F_TID,
  F_TS,
  F_DUR,
  F_ID,
  F_BP,
  F_ARGS,
  F_ID2,
  F_ATTR,
  F_BIND_ID,
  N_FIELDS
};

#define MEMBERS_ROOM 64 /* that most events do not exceed: reserved from the start */

/* All members of the old text.  False when it is not well formed. */
bool members_read(EventWriter *w, const char *raw, size_t len);

#endif
