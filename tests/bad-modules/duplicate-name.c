/* Two options of one name. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "duplicate-name"
#define SECOND_OPTION "first"
#include "template.h"
