/* Panels of a picture: marks with their axes, colour bars and legend. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_PANELS_H
#define KIT_PICTURE_PANELS_H

#include "kit/picture/marks.h"

void panels_fill(Marks *m, Picture *out);
void panel_free(gpointer panel);
/* Bars of a timeline that lie side by side have other colours, also where there are more names than colours. */
void colors_keep_apart(const Marks *m, Picture *io_picture);
/* What the colours of its marks mean. */
void legend_fill(Marks *m, Picture *out);
/* What the picture shows, for who cannot see it. */
char *picture_describe(const Marks *m, const Picture *p);

#endif
