/* What stages reported, put together as sinks see it: tables, metrics, notices. */
#ifndef RESULTS_RESULTS_H
#define RESULTS_RESULTS_H

#include "model/descriptor.h"
#include "model/notice.h"
#include "model/rows.h"
#include "results/sheet.h"

typedef struct Results Results;

Results *results_new(void);
void results_free(Results *r);
/* Takes the sheet; sorts it. */
void results_add_sheet(Results *r, Sheet *s);
/* Takes name and group (as in MillMetricResult); the value belongs to the instance that reported it. */
void results_add_metric(Results *r, const MillMetric *metric, char *name, const MetricValue *value,
                        uint32_t lane, char *group);
/* Those of the sum that were counted; lane_name of the lane of the first example. */
typedef const char *(*LaneNamer)(const void *context, uint32_t lane);
void results_add_notices(Results *r, const Notices *sum, LaneNamer lane_name, const void *context);
/* "program", "version", "profile", "title", ...: what `info` answers. */
void results_set_info(Results *r, const char *key, const char *text);
/* After the last addition. */
const MillResults *results_view(Results *r);

#endif
