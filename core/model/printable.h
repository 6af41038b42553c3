/* Text of unknown origin, made fit for a message or a terminal. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PRINTABLE_H
#define MODEL_PRINTABLE_H

#include <glib.h>
#include <stdbool.h>

/* A copy to g_free: control bytes and invalid UTF-8 as \xNN, the middle of a long text as "...". */
char *printable(const char *text);
/* The same of all of it, at the end of `out`; these control characters stay as they are. */
void printable_append(GString *out, const char *text, size_t len, const char *kept);

/* What is not text, but steers a terminal. */
bool printable_escapes(gunichar c);

#endif
