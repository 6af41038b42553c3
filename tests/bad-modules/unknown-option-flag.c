/* An option flag that this program does not know. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "unknown-option-flag"
#define OPTION_FLAGS (1u << 9)
#include "template.h"
