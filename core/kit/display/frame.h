/* The whole picture as a display list: titles, axes, legends and colour bars around the marks of its panels. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_FRAME_H
#define KIT_DISPLAY_FRAME_H

#include "kit/display/draw.h"

Display *display_of(const Picture *p);
/* Its panels alone, less high: for a page that has the title and the legend itself. */
Display *display_of_panels(const Picture *p);

#endif
