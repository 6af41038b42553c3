/* The record of an earlier run in its run.json, read piece by piece, because a run of very many
 * inputs has a long one. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_RUN_RECORD_H
#define OUTPUT_RUN_RECORD_H

#include <glib.h>

/* FOLDER/run.json may be of another program. The name of the profile in it; NULL if no run can
 * have written it. */
char *run_record_profile(const char *folder);
/* The names of the files that the run wrote: a set of texts, see base/trees.h; empty without a
 * record. */
GTree *run_record_files(const char *folder);

#endif
