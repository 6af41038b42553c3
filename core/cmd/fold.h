/* Texts in lines that are not too wide. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_FOLD_H
#define CMD_FOLD_H

#include <glib.h>

/* The words of `text` in lines up to `width`; the first continues where `out` ends, `indent` wide by now, as all
 * others are.  Line breaks stay. */
void fold_words(GString *out, const char *text, int width, int indent);
/* Lines that are too wide continue below where their last column begins, or a little to the right of their
 * beginning.  What is to be typed stays in one line. */
void fold_lines(GString *text, int width);
glong fold_width(const char *text, gssize len); /* in columns; colours have none */

#endif
