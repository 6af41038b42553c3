/* What is checked on each row, event by event in the order of time. */
/* SPDX-License-Identifier: MIT */
#ifndef VERIFY_ROW_H
#define VERIFY_ROW_H

#include "kit/trace/ends.h"
#include "verify-checks.h"

typedef struct Row {
  Ends ends;                /* of open slices */
  int64_t busy_to_ns;       /* end of the device work so far; INT64_MIN: none */
  uint64_t n_begins;        /* that have no end yet */
  Place first_begin;        /* of these */
  int64_t ts_ns;            /* of the event before */
  uint64_t earlier;         /* highest ordinal, plus 1, of events before ts_ns in the input `job` */
  uint64_t now, slices_now; /* of those at ts_ns, and of the slices among them */
  MillSym job;
  bool is_known;
} Row;

/* Each is true if the event fails the check; events without a time are not for them. */
bool row_is_late(Row *, const MillEvent *, MillSym job);
bool row_is_alone(Row *, const MillEvent *); /* an end without a begin, an unknown phase */
bool row_is_crossed(const MillHost *, Row *, const MillEvent *slice, bool *out_failed);
bool row_is_busy(Row *, const MillEvent *work);

#endif
