/* Another name for a metric that nobody could type. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-alias"
#define METRIC_ALIASES "speed,my rate"
#include "template.h"
