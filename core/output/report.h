/* More formats of a finished run, from its summary.json and run.json alone. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include "output/output.h"
#include "plan/modules.h"

typedef struct ReportJob {
  Modules *modules;
  const char *folder;         /* of the run */
  const char *output;         /* another folder, or NULL: the same */
  const char *const *formats; /* ends in NULL */
  const GPtrArray *settings;  /* char *: "csv.option=value", after those of the run; or NULL */
  bool force, sync, verify;
} ReportJob;

/* ERROR_UNWRITTEN_FORMAT: the others are in place. The files are the same as those the run would
 * have written, and are there all or none. *out is what was written, for its names; the caller
 * frees it, also after an error: it may be NULL. */
Error *report_run(const ReportJob *job, Output **out);

#endif
