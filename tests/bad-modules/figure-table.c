/* A figure of a table that is not there. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "figure-table"
#define FIGURE_TABLE "sums"
#include "template.h"
