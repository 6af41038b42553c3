/* A headline of which nobody knows what is better. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "aimless-headline"
#define METRIC_BETTER MILL_NEITHER
#define METRIC_HEADLINE "mean"
#include "template.h"
