/* Declares a table of each lane and a metric of the run that none of its operations report. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-report"
#define STAGE_FLAGS MILL_MERGES
#define METRIC_PER MILL_PER_RUN
#define OPS_WITHOUT_REPORT
#define STAGE_OPS &silent
#include "template.h"
