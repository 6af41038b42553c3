/* Text in pictures: made harmless, measured, cut to a width. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_WORDS_H
#define KIT_DISPLAY_WORDS_H

#include <glib.h>

enum { WORDS_MOST = 240 }; /* characters of any text */

/* Control characters and line breaks are replaced, long texts lose their middle. */
char *words_clean(const char *text);
/* In the pixels of `size`, about: as DejaVu Sans has it. */
double words_width(const char *text, double size);
/* The same text, or its ends with an ellipsis between them. */
char *words_cut(const char *text, double size, double width);

#endif
