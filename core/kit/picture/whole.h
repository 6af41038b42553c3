/* Axes and colour bars of counts. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_WHOLE_H
#define KIT_PICTURE_WHOLE_H

#include "kit/picture/axis.h"

/* Says of the axes of a panel, which have labels, whether they count things.  `shared`: with those of the other panels. */
void whole_axes(const Chart *c, const Pane *p, bool shared, PicturePanel *io_panel);
/* The same of a colour bar for the values of so many panels. */
void whole_color(const Chart *c, PicturePanel *const *panels, guint n, PictureAxis *io_axis);

#endif
