/* Colours of names: those of categories, else Okabe-Ito's in the order in which they first appear in a report. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_COLORS_H
#define KIT_PICTURE_COLORS_H

#include "kit/picture/names.h"

#define COLOR_ALONE "#0072b2" /* of what is no category */
#define COLOR_IDLE "#bbbbbb"  /* of time in which nothing happens */
#define COLOR_RULE "#000000"  /* across a panel */
#define COLOR_MANY "#666666"  /* of many drawn together */

typedef struct Colors {
  Names *names;
  GPtrArray *colors; /* char *, of each name */
  guint n_taken;     /* of the palette, by names without a given colour */
} Colors;

void colors_open(Colors *c, const MillSeed *seed);
void colors_close(Colors *c);
/* "NCCL=#009e73,...": before others. */
void colors_give(Colors *c, const char *list);
/* Of a category that has one everywhere, or NULL. */
const char *category_color(const char *name);
bool colors_has(const Colors *c, const char *name);
const char *colors_of(Colors *c, const char *name);
const char *const *colors_palette(guint *out_n);

#endif
