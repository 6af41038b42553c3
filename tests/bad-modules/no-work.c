/* Neither process nor observe. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-work"
#define OPS_WITHOUT_WORK
#define STAGE_OPS &idle
#include "template.h"
