/* Results of a run that has ended, from its summary.json: sinks write the same from them as in the run. */
#ifndef RESULTS_LOAD_H
#define RESULTS_LOAD_H

#include "model/error.h"
#include "results/results.h"

#define SUMMARY_NAME "summary.json"

/* path: a folder of results, or a summary itself.  What results_view and results_lane give is then as it was in the
 * run, but for names of lanes, which have lost their folder.  EXIT_INPUT with the place: it is not there, is cut or
 * damaged, or of a newer major version of the schema. */
Error *results_load(const char *path, Results **out);
/* The same of a text; name: for messages. */
Error *results_load_text(const char *name, const char *text, size_t len, Results **out);

#endif
