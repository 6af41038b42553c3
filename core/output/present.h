/* Results without a run: sinks write results that were read from files, or computed from others. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_PRESENT_H
#define OUTPUT_PRESENT_H

#include "output/output.h"
#include "plan/modules.h"
#include "results/results.h"

typedef struct PresentJob {
  Modules *modules;
  const char *const *formats; /* ends in NULL */
  const GPtrArray *settings;  /* char *: "csv.option=value", or NULL */
  Results *results;           /* with the lanes that sinks may ask for */
  Output *output;
  bool verify;
  bool pass_missing; /* formats whose program is missing are left out, with a message */
  Error **
      unwritten; /* or NULL; set to the result of sinks_unwritten, for after the output is in place */
} PresentJob;

/* Writes all into the output, which is not sealed. EXIT_USAGE: an unknown format, or a format of
 * events. */
Error *present_results(const PresentJob *job);
/* The same errors, before there is an output. */
Error *present_check(Modules *modules, const char *const *formats, const GPtrArray *settings);

#endif
