/* What gnuplot wrote: whether it is whole, and made the same in every run. */
#ifndef PLOT_FINISH_H
#define PLOT_FINISH_H

#include "page.h"

/* NULL, or what is wrong with it. */
const char *finish_fault(PlotType type, const void *bytes, gsize len);
/* The time of day goes out of a PDF, the picture's title into an SVG. */
GByteArray *finish(PlotType type, const char *title, const void *bytes, gsize len);

#endif
