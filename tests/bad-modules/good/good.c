/* A sound stage: the yardstick of the bad ones. */
/* SPDX-License-Identifier: MIT */
#include "../template.h"
