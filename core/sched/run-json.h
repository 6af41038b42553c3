/* run.json: how the results came to be. */
#ifndef SCHED_RUN_JSON_H
#define SCHED_RUN_JSON_H

#include "base/json-write.h"
#include "sched/run.h"

/* Seals the output and adds run.json to it. */
Error *run_json_write(Run *run);
/* Its members that do not need a run. */
void run_json_put_program(JsonWriter *out);
void run_json_put_notices(JsonWriter *out, const MillResults *r);
void run_json_put_time(JsonWriter *out, const char *key, int64_t seconds_ago); /* the wall clock */
void run_json_put_tags(JsonWriter *out, const Lane *lane); /* the member "tags" */

#endif
