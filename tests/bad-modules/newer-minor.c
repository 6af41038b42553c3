/* Built for a newer minor version of the interface. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "newer-minor"
#define MODULE_ABI (MILL_ABI + 1u)
#include "template.h"
