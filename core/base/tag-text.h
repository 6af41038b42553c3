/* Names and values as lines of one text. */
#ifndef BASE_TAG_TEXT_H
#define BASE_TAG_TEXT_H

#include <glib.h>
#include <stdbool.h>

/* A line "name=value", after a newline unless it is the first.  A backslash stands before what would be read
 * otherwise: \\ is a backslash, \n a newline, and in names \= is "=". */
void tag_text_add(GString *text, const char *name, const char *value);
/* The next one, unescaped; both are the caller's to free.  Begin with *at the text; false at its end. */
bool tag_text_next(const char **at, char **out_name, char **out_value);

/* No tag can have this name: of a lane "yes" or "no", whether another one of the run has its rank. */
#define TAG_RANK_IS_SHARED "rank="

#endif
