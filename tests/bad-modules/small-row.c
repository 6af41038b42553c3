/* Option rows shorter than those of the first header. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "small-row"
#define OPTION_STRIDE 4
#include "template.h"
