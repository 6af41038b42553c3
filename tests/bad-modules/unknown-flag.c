/* A stage flag that this program does not know. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "unknown-flag"
#define STAGE_FLAGS (1u << 30)
#include "template.h"
