/* The whole script of a picture: it runs alone, reads no file, and writes the picture to its standard output. */
#ifndef PLOT_SCRIPT_H
#define PLOT_SCRIPT_H

#include "draw.h"

/* fonts may be NULL. */
GString *script_of(const Picture *p, PlotType type, const Fonts *fonts);
/* "png", "svg", "pdf", "txt" */
const char *script_ending(PlotType type);

/* Pieces: what a script begins with; where a panel is, with its axes; its blocks, labels and the command that draws. */
void script_put_begin(GString *out, const Page *page);
void script_put_frame(GString *out, const Page *page, const Tile *t);
void script_put_plot(GString *out, const Draw *d);

#endif
