/* The whole picture as a display list: titles, axes, legends and colour bars around the marks of its panels. */
#ifndef PLOT_FRAME_H
#define PLOT_FRAME_H

#include "draw.h"

Display *display_of(const Picture *p);

#endif
