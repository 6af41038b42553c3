/* Inputs as the command line names them: files, folders, patterns, lists, labels and tags. */
#ifndef INPUT_INPUT_WORDS_H
#define INPUT_INPUT_WORDS_H

#include <glib.h>

#include "model/error.h"

/* InputSpec * in order; free with g_ptr_array_unref.  All problems at once. */
Error *inputs_expand(const GPtrArray *words, GPtrArray **out_specs);
/* Nobody named an input, and those that the profile reads then are not there: how they are made, a line each (or
 * NULL).  Takes and gives the error. */
Error *inputs_say_how(const GPtrArray *words, const char *how, Error *e);
/* "traces" for traces/, "rank0" for runs/rank0.json.gz: what a default output is called by. */
char *inputs_stem(const char *word, const GPtrArray *specs);

#endif
