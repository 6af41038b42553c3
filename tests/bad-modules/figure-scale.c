/* A figure with a scale that is not known. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "figure-scale"
#define FIGURE_MORE .y_scale = "cubic",
#include "template.h"
