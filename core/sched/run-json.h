/* run.json: how the results came to be. */
#ifndef SCHED_RUN_JSON_H
#define SCHED_RUN_JSON_H

#include "base/json-write.h"
#include "sched/run.h"

/* Seals the output and adds run.json to it. */
Error *run_json_write(Run *run);
void run_json_put_tags(JsonWriter *out, const Lane *lane); /* the member "tags" */

#endif
