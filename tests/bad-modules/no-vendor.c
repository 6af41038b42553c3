/* From outside, with a name that could meet one of stagemill's. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-vendor"
#define VENDOR "acme"
#include "template.h"
