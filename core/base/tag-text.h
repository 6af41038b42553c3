/* Names and values as lines of one text. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_TAG_TEXT_H
#define BASE_TAG_TEXT_H

#include <glib.h>
#include <stdbool.h>

/* A line "name=value", after a newline unless it is the first.  A backslash stands before what would be read
 * otherwise: \\ is a backslash, \n a newline, and in names \= is "=". */
void tag_text_add(GString *text, const char *name, const char *value);
/* The next one, unescaped; both are the caller's to free.  Begin with *at the text; false at its end. */
bool tag_text_next(const char **at, char **out_name, char **out_value);

/* No tag can have this name, which a rank may follow: the number of another lane that has this rank, or the lane's own;
 * "" if there is none. */
#define TAG_OTHER_OF_RANK "rank="

#endif
