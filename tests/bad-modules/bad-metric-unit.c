/* A unit as long as a sentence. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-metric-unit"
#define METRIC_UNIT "output-tokens-per-second"
#include "template.h"
