/* With the prefix of another vendor than the one that it says it has. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "other.vendor"
#define VENDOR "acme"
#include "template.h"
