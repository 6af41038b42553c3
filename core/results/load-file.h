/* Files of finished runs: reading them, and saying what is wrong with one. */
#ifndef RESULTS_LOAD_FILE_H
#define RESULTS_LOAD_FILE_H

#include "base/json-members.h"
#include "model/error.h"

/* All of a regular file; g_free.  EXIT_INPUT: it is not there or cannot be read. */
Error *load_file(const char *path, char **out_text, size_t *out_len);
/* EXIT_INPUT, with the place of what `in` failed at. */
Error *load_fault(const char *path, const JsonIn *in);
/* The text at hand is a version "MAJOR.N" of a schema; what a newer minor one has on top is passed over. */
bool load_version(JsonIn *in, int64_t major);

#endif
