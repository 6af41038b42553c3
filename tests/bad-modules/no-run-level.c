/* Has a metric of the run, but works on lanes alone. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-run-level"
#define METRIC_PER MILL_PER_RUN
#include "template.h"
