/* run.json: how the results came to be. */
#ifndef SCHED_RUN_JSON_H
#define SCHED_RUN_JSON_H

#include "sched/run.h"

/* Seals the output and adds run.json to it. */
Error *run_json_write(Run *run);

#endif
