/* Reading files of finished runs, and errors with a place in them. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_LOAD_FILE_H
#define RESULTS_LOAD_FILE_H

#include "base/json-members.h"
#include "model/error.h"

/* All of a regular file, decompressed; g_free.  EXIT_INPUT: it is not there or cannot be read. */
Error *load_file(const char *path, char **out_text, size_t *out_len);
/* EXIT_INPUT, with the place at which `in` failed. */
Error *load_fault(const char *path, const JsonIn *in);
/* Whether the value at hand is a version "MAJOR.N" of a schema; additions of a newer minor
 * version are skipped. */
bool load_version(JsonIn *in, int64_t oldest, int64_t newest); /* its major version is one of these */

#endif
