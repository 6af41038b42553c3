/* A notice that chooses between three words. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "three-words"
#define NOTICE_WHAT "{count} [one|two|many]"
#include "template.h"
