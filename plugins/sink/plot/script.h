/* The whole script of a picture: it runs alone, reads no file, and writes the picture to its standard output. */
#ifndef PLOT_SCRIPT_H
#define PLOT_SCRIPT_H

#include "page.h"

/* fonts may be NULL. */
GString *script_of(const Picture *p, PlotType type, const Fonts *fonts);
/* "png", "svg", "pdf", "txt" */
const char *script_ending(PlotType type);

#endif
