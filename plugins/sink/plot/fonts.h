/* Which characters some installed font has: cairo paints a black block for any other. */
#ifndef PLOT_FONTS_H
#define PLOT_FONTS_H

#include <glib.h>
#include <stdbool.h>

typedef struct Fonts Fonts;

/* Of the lines that `fc-list --format '%{charset}\n'` prints: "20-7e a0 1f600-1f64f".  Without any: only Latin, Greek
 * and Cyrillic letters are counted on. */
Fonts *fonts_new(const char *lists, gsize len);
void fonts_free(Fonts *f);
bool fonts_have(const Fonts *f, gunichar c);
/* The text has a character that not every font of Latin letters has: it is worth asking. */
bool fonts_matter(const char *text);

#endif
