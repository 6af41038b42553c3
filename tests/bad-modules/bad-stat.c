/* A statistic that is neither a word nor a percentile. */
#define STAGE_NAME "bad-stat"
#define METRIC_STATS "mean,p50%"
#include "template.h"
