/* An empty title. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-title"
#define STAGE_TITLE ""
#include "template.h"
