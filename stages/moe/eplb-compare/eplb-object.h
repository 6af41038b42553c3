/* The comparison as the original communicationOverhead gives it. */
/* SPDX-License-Identifier: MIT */
#ifndef EPLB_OBJECT_H
#define EPLB_OBJECT_H

#include <glib.h>

#include "kernel-side.h"

/* NULL: memory was refused.  Sides have their sums. */
GString *eplb_object(const KernelSide sides[N_SIDES]);

#endif
