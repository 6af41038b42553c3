/* A list of statistics with a blank after the comma. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "empty-stat"
#define METRIC_STATS "mean, p50"
#include "template.h"
