/* Tables, metrics and notices of a finished run, folded and ordered, as sinks see them. */
#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include "run/run.h"

typedef struct Results Results;

/* Folds what lanes and run-level instances reported. */
Results *results_new(Run *run);
void results_free(Results *r);
const MillResults *results_view(const Results *r);

#endif
