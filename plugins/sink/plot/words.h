/* Text in pictures: made harmless, measured, cut to a width, quoted. */
#ifndef PLOT_WORDS_H
#define PLOT_WORDS_H

#include "fonts.h"

enum { WORDS_MOST = 240 }; /* characters of any text */

/* Control characters, line breaks and what no font has are replaced, long texts lose their middle.  fonts NULL: who
 * shows the picture finds fonts by itself. */
char *words_clean(const Fonts *fonts, const char *text);
/* In the pixels of `size`, about: as DejaVu Sans has it. */
double words_width(const char *text, double size);
/* The same text, or its ends with an ellipsis between them. */
char *words_cut(const char *text, double size, double width);
/* 'it''s': nothing in it means anything to gnuplot. */
void words_put(GString *out, const char *text);
/* The same where gnuplot takes "%" for the begin of a number's format. */
void words_put_tick(GString *out, const char *text);

#endif
