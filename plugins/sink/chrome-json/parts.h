/* One lane's trace in several documents: a new one after so many bytes, or one for each window of
 * time.  All parts get their tail at the end of the lane, when its last members and metadata rows
 * are known; of all of them one file at most is open. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_PARTS_H
#define CHROME_JSON_PARTS_H

#include "kit/chrome/document.h"

#define PARTS_MAX 1000
#define PARTS_ROW_BYTES (4u << 20) /* metadata rows that every part gets */

typedef struct Parts Parts;

typedef struct PartsLimit {
  int64_t bytes;     /* 0: no limit */
  int64_t window_ns; /* 0: no windows */
} PartsLimit;

/* What is said of an event besides its text. */
typedef struct PartEvent {
  bool is_row; /* metadata: every part gets it */
  bool timed;
  int64_t ts_ns; /* as it is written */
} PartEvent;

Parts *parts_new(const Frame *frame, const char *file, PartsLimit limit);
void parts_free(Parts *p);
int parts_add(Parts *p, const PartEvent *e, const char *bytes, size_t len);
/* Rows that did not fit, and are in one part only. */
uint64_t parts_lone_rows(const Parts *p);
int parts_finish(Parts *p);

#endif
