/* Which events of an AIU trace are work of the device, and of what sort, in the words of its dialect: the runtime's
 * own traces stamp them (TS1 to TS5), torch traces give them a category. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DEVICE_H
#define KIT_DEVICE_H

#include <stagemill/types.h>

#include "kit/state/symclass.h"

typedef struct DeviceWords {
  const MillHost *common;
  bool is_named; /* device work is known by its category */
  MillSym stamp, stamps, group;
  SymClass names, cats;
} DeviceWords;

void device_open(DeviceWords *, const MillHost *common);

/* A slice of what ran on the device: it has a stamp; torch: "gpu" or "kernel" is in its category. */
bool device_has(DeviceWords *, const MillBatch *, const MillEvent *);
/* It computes: its name ends in "Cmpt Exec"; torch: "kernel" is in its category. */
bool device_computes(DeviceWords *, const MillEvent *);
/* It belongs to a collective: it has a CollGroup; torch: "HCOLL" is in its name. */
bool device_is_collective(DeviceWords *, const MillBatch *, const MillEvent *);
/* It moves data between ranks: it is of a collective, or "Rdma" is in its name; torch: of NCCL, too. */
bool device_communicates(DeviceWords *, const MillBatch *, const MillEvent *);

/* For a stage's `reads`: what device_has looks at, and what all of them do. */
#define DEVICE_HAS_READS \
  { "TS1", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }, { "cycles_ts", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }
#define DEVICE_READS \
  DEVICE_HAS_READS, { "CollGroup", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }

#endif
