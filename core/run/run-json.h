/* run.json: how the results came to be. */
#ifndef RUN_RUN_JSON_H
#define RUN_RUN_JSON_H

#include "run/run.h"

/* Seals the output and adds run.json to it. */
Error *run_json_write(Run *run);

#endif
