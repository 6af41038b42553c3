/* One slice for each interval of stamps that a device event has. */
/* SPDX-License-Identifier: MIT */
#ifndef CYCLES_SPLIT_H
#define CYCLES_SPLIT_H

#include "kit/trace/stamps.h"

enum { SPLIT_PARTS = 3 }; /* DmaI, Cmpt, DmaO */

typedef struct SplitPart {
  MillSym name;
  int64_t ts_ns, dur_ns;
} SplitPart;

/* Preparations have no part. */
bool split_drops(const MillHost *common, MillSym name);
/* The parts of an event that ends at end_ns with its last stamp; how many.  A part ends half a
 * cycle before its stamp, so that parts never meet; one without a cycle is none. */
uint32_t split_event(const MillHost *common, int64_t hz, MillSym name, const Stamps *stamps,
                     int64_t end_ns, SplitPart *out);

#endif
