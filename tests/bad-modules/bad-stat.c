/* A statistic that is neither a word nor a percentile. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-stat"
#define METRIC_STATS "mean,p50%"
#include "template.h"
