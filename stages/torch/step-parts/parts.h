/* The stage step-parts: its instance, and what its files report. */
/* SPDX-License-Identifier: MIT */
#ifndef STEP_PARTS_PARTS_H
#define STEP_PARTS_PARTS_H

#include "torch/lib/step-facts.h"

enum {
  TABLE_PARTS,
  TABLE_SPANS,
  TABLE_COPIES,
  TABLE_COLLECTIVES,
  TABLE_ARRIVALS,
  TABLE_GAPS,
  TABLE_ALLOCATIONS
};
enum { STEPS_JUDGED = 5 }; /* habits show from so many steps on */

typedef struct StepParts {
  const MillStageHost *host;
  const MillHost *common;
  uint64_t *n_groups; /* of all run-level instances; NULL: nothing is merged */
  Facts facts;
} StepParts;

/* On the run level: rows of collectives, then those of steps; 0, or what the host returned. */
int arrivals_report(StepParts *);
int steps_report(const StepParts *);

#endif
