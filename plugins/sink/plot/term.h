/* Pictures of characters: the page, its texts and marks, in cells from the upper left corner. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_TERM_H
#define PLOT_TERM_H

#include "kit/display/draw.h"

#define TERM_FILE "figures" /* .txt: all of them below each other */
#define TERM_FILLER 0xe000u /* takes the second cell of a wide character; texts never hold it */

/* The whole text; panels stand below each other, each as large as the terminal.  columns, lines: of the terminal. */
char *term_text(const Picture *p, unsigned columns, unsigned lines);
/* The marks of a panel, one character a series. */
void term_draw_marks(Draw *d);
/* The character of that line of the legend, and of that series. */
char term_char(guint key);
guint term_key(const Draw *d, const PictureSeries *s);
/* From the least of a colour bar to its most. */
const char *term_levels(void);
/* Cleaned, of at most so many cells. */
char *term_words(const char *text, unsigned most);

/* The marks of a list as lines of text; no blanks at their ends, no empty ones after the last. */
char *canvas_text(const Display *d);

#endif
