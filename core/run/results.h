/* Tables, metrics and notices of a finished run, folded and ordered, as sinks see them. */
#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include "run/run.h"

typedef struct Results Results;

/* Folds what lanes and run-level instances reported. */
Results *results_new(Run *run);
void results_free(Results *r);
const MillResults *results_view(const Results *r);

/* Oddities that the engine itself counts. */
enum {
  ENGINE_DUPLICATE_RANK = 20,
  ENGINE_BYPASSED = 21,
  ENGINE_DEPRECATED = 22,
  ENGINE_UNKNOWN_TAG = 23
};
const MillStage *engine_stage(void);

#endif
