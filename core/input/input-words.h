/* Inputs as the command line names them: files, folders, patterns, lists, labels and tags. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_INPUT_WORDS_H
#define INPUT_INPUT_WORDS_H

#include <glib.h>

#include "model/error.h"

/* InputSpec * in order; free with g_ptr_array_unref. The error has all problems at once. */
Error *inputs_expand(const GPtrArray *words, GPtrArray **out_specs);
/* No input was named, and those of the profile do not exist: adds how to make them, a line each
 * (or NULL). Takes and gives the error. */
Error *inputs_say_how(const GPtrArray *words, const char *how, Error *e);
/* "traces" for traces/, "rank0" for runs/rank0.json.gz: the beginning of the name of a default
 * output. */
char *inputs_stem(const char *word, const GPtrArray *specs);

#endif
