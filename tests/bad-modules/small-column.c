/* Columns shorter than those of the first header. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "small-column"
#define COLUMN_STRIDE 8
#include "template.h"
