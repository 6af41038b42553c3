/* What an earlier run left in its run.json, read a piece at a time: one of very many inputs is long. */
#ifndef OUTPUT_RUN_RECORD_H
#define OUTPUT_RUN_RECORD_H

#include <glib.h>

/* FOLDER/run.json may be anybody's.  The name of the profile in it; NULL when there is none that a run can
 * have written. */
char *run_record_profile(const char *folder);
/* The names of the files that the run wrote: a set of texts, see base/trees.h; empty without a record. */
GTree *run_record_files(const char *folder);

#endif
