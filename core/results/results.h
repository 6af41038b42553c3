/* Tables, metrics and notices of a finished run, folded and ordered, as sinks see them. */
#ifndef RESULTS_RESULTS_H
#define RESULTS_RESULTS_H

#include "sched/run.h"

typedef struct Results Results;

/* Folds what lanes and run-level instances reported. */
Results *results_new(Run *run);
void results_free(Results *r);
const MillResults *results_view(const Results *r);

#endif
