/* A notice that chooses between words and does not say where the choice ends. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "open-bracket"
#define NOTICE_WHAT "{count} event[|s are odd"
#include "template.h"
