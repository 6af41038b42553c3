/* A figure in the axes of one that is not there. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "figure-over"
#define FIGURE_MORE .over = "others",
#include "template.h"
