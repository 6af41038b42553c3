/* There is no table of operations. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-ops"
#define STAGE_OPS NULL
#include "template.h"
