/* A run whose lanes have ended, for the code that makes results: reports and counts by stage. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_ENDED_RUN_H
#define RESULTS_ENDED_RUN_H

#include "host/instance.h"
#include "input/inputs.h"
#include "plan/plan.h"
#include "results/results.h"

typedef struct EndedGroup { /* of lanes whose tags have these values */
  char *const *values;      /* in the order of EndedStage.by; "": they have none */
  const Reported *reported;
  const Notices *notices;
} EndedGroup;

typedef struct EndedStage {
  const PlanStage *planned;
  const Counters *counters; /* of all lanes */
  const Notices *notices;   /* the same */
  const Reported **lanes;   /* by lane, then those of the merged stream; NULL: nothing */
  const GPtrArray *by;      /* char *: the tags of its groups */
  GArray *groups;           /* EndedGroup */
} EndedStage;

typedef struct EndedRun {
  const Plan *plan;
  const Inputs *inputs;
  const LaneInfo *merged;         /* the stream of all lanes, or NULL */
  const PlanClass **classes;      /* of each lane */
  EndedStage *stages;             /* as in the plan */
  const GPtrArray *arguments;     /* char *: the arguments of the command line that results depend on; or NULL */
  const GPtrArray *source_settings; /* char *: "csv.option=value", or NULL */
  bool cascade, recover;
  FileMemory *rows_file;   /* where some of the rows lie; NULL: none of them */
  GPtrArray *input_hashes; /* char *, once a sink has asked for them */
  Results *results;        /* NULL: not made yet */
} EndedRun;

/* Its stages are empty. */
EndedRun *ended_run_new(const Plan *plan, const Inputs *inputs, const LaneInfo *merged);
void ended_run_free(EndedRun *e); /* with its results; NULL is fine */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EndedRun, ended_run_free)

#endif
