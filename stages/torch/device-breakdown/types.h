/* Which types of device work run at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef DEVICE_BREAKDOWN_TYPES_H
#define DEVICE_BREAKDOWN_TYPES_H

#include "kit/numbers/interval.h"
#include "kit/devices/torch-words.h"

enum { N_MASKS = 1 << N_WORKS }; /* a bit for each TorchWork */

/* How long exactly the types of each mask run; 0 for the empty mask.  Normalises the sets.  False: memory was refused. */
bool types_measure(const MillHost *, IntervalSet sets[N_WORKS], int64_t out_ns[N_MASKS]);

#endif
