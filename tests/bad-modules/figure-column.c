/* A figure of a column that its table does not have. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "figure-column"
#define FIGURE_COLUMN "colour"
#include "template.h"
