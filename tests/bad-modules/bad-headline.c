/* A headline statistic that the metric does not have. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-headline"
#define METRIC_STATS "mean,p50"
#define METRIC_HEADLINE "p50,p99"
#include "template.h"
