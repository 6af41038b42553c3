/* Neither stage, source nor sink. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "unknown-kind"
#define MODULE_KIND 9
#include "template.h"
