/* The run.json of a finished run, to show where results came from and to add files to them. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_RUN_FILE_H
#define OUTPUT_RUN_FILE_H

#include "base/json-write.h"
#include "model/error.h"
#include "output/output.h"
#include "results/provenance.h"

#define RUN_FILE_NAME "run.json"
#define RUN_FILE_VERSION "1.5"

typedef struct RunFile {
  Provenance provenance;
  GPtrArray *sink_settings; /* char *: "csv.option=value", of the profile and the command line */
  GPtrArray *outputs;       /* OutputEntry *: those of the run, and added ones */
  char *text;
  size_t len;
  size_t outputs_from, outputs_to; /* the place of this member in the text */
  GStringChunk *texts;
} RunFile;

/* EXIT_INPUT, with the place: the folder has no run.json, or one that is truncated, damaged or
 * of a newer major version. */
Error *run_file_load(const char *folder, RunFile **out);
/* The same from a text, which it takes; name: for messages. */
Error *run_file_load_text(const char *name, char *text, size_t len, RunFile **out);
void run_file_free(RunFile *f);
/* The same document with these files (OutputEntry *) added, or with them alone; for the caller
 * to free. */
char *run_file_with(const RunFile *f, const GPtrArray *entries, bool alone);
/* The member "outputs". */
void run_file_put_outputs(JsonWriter *out, const GPtrArray *entries);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunFile, run_file_free)

#endif
