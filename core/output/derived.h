/* A folder of results that are made from finished runs: complete or not at all, with its
 * run.json. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_DERIVED_H
#define OUTPUT_DERIVED_H

#include "output/output.h"
#include "plan/modules.h"
#include "results/results.h"

typedef struct DerivedFile {
  const char *name, *text;
  size_t len;
} DerivedFile;

typedef struct DerivedJob {
  const char *profile; /* the name of such folders: an earlier one of this name is replaced */
  const char *folder;
  const GPtrArray *inputs;       /* char *: the files that were read */
  const GPtrArray *command_line; /* char * */
  GPtrArray *arguments; /* char *: the arguments of the command line that results depend on */
  int64_t started_ns;   /* usage_clock_ns */
  uint32_t jobs;
  bool force, sync, pass_missing; /* pass_missing: as in present.h */
  /* What is written: results by sinks, or files. */
  Modules *modules;
  const char *const *formats; /* ends in NULL */
  const GPtrArray *settings;  /* char *: "csv.option=value" */
  Results *results;           /* or NULL */
  const DerivedFile *files;
  size_t n_files;
} DerivedJob;

/* ERROR_UNWRITTEN_FORMAT: all other formats are in place. *out is what was written, for its
 * names; the caller frees it, also after an error: it may be NULL. */
Error *derived_write(const DerivedJob *job, Output **out);

#endif
