/* A notice with a name that does not end. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "open-brace"
#define NOTICE_EFFECT "it is left out of {table"
#include "template.h"
