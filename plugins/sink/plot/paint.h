/* A display list as bytes of a file.  Equal lists give equal bytes. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PAINT_H
#define PLOT_PAINT_H

#include "kit/display/display.h"

typedef enum PaintType { PAINT_PNG, PAINT_SVG, PAINT_PDF } PaintType;

/* Without the libraries a build has no pictures but those of characters. */
bool paint_is_there(void);
/* NULL: *out_why says why there is none; to be freed.  io_room: memory for pixels, of one picture after another: asking
 * the system for it takes longer than to paint. */
GByteArray *paint(const Display *d, PaintType type, const char *title, GByteArray *io_room,
                  char **out_why);

#endif
