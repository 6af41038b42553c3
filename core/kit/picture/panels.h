/* Panels of a picture: marks with their axes, colour bars and legend. */
#ifndef KIT_PICTURE_PANELS_H
#define KIT_PICTURE_PANELS_H

#include "kit/picture/marks.h"

void panels_fill(Marks *m, Picture *out);
void panel_free(gpointer panel);
/* What the colours of its marks mean. */
void legend_fill(Marks *m, Picture *out);
/* What the picture shows, for who cannot see it. */
char *picture_describe(const Marks *m, const Picture *p);

#endif
