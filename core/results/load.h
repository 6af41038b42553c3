/* Results of a finished run from its summary.json: sinks write the same from them as the run
 * did. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_LOAD_H
#define RESULTS_LOAD_H

#include "model/error.h"
#include "results/results.h"

#define SUMMARY_NAME "summary.json"

/* path: a folder of results, or a summary. results_view and results_lane then give what they
 * gave in the run, but names of lanes have no folder. EXIT_INPUT with the place: the file is
 * missing, truncated or damaged, or of a newer major version of the schema. */
Error *results_load(const char *path, Results **out);
/* The same from a text; name: for messages. */
Error *results_load_text(const char *name, const char *text, size_t len, Results **out);
/* A file that is a summary by its name (summary.json, a-summary.json.gz) and by how it begins: other programs
 * write such a name, too. */
bool results_is_summary(const char *path);

#endif
