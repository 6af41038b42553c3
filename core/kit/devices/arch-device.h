/* Which of the bundled devices a trace of PyTorch ran on: its profiler lists the names in deviceProperties. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_ARCH_DEVICE_H
#define KIT_ARCH_DEVICE_H

#include <stagemill/stage.h>

#include "kit/devices/arch.h"

enum { ARCH_OTHER = -1, ARCH_UNSAID = 0 }; /* else 1 and up: a bundled one */

/* Of a lane, while it is saved or reported. */
int arch_device_of_lane(const MillStageHost *);
/* Of devices that are not the same none is right. */
int arch_device_join(int, int);
/* By the name that a driver gives it. */
int arch_device_named(const char *name, size_t len);
/* Nothing unless it is a bundled one. */
void arch_of_device(int device, Arch *out);

#endif
