/* More rows than any stage has. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "too-many-rows"
#define N_OPTIONS 5000
#include "template.h"
