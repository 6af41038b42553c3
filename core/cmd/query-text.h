/* The SQL of `query`: what of it only this command knows. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_QUERY_TEXT_H
#define CMD_QUERY_TEXT_H

#include <glib.h>
#include <stdbool.h>

/* arg('NAME') becomes the column of that attribute, in as many bytes where that can be, so that places stay; names get
 * those that the text has, each once (char *).  g_free. */
char *query_text_args(const char *text, GPtrArray *names);
/* The other way round, in the name of a column.  g_free. */
char *query_text_shown(const char *name);
bool query_text_has_word(const char *text, const char *word); /* as a name, outside of texts and comments */

#endif
