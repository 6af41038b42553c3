/* A unit of several words. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-option-unit"
#define OPTION_UNIT "nano seconds"
#include "template.h"
