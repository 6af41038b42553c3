/* PNG files of pictures without transparency. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PNG_H
#define PLOT_PNG_H

#include <glib.h>

/* pixels: 0xXXRRGGBB, in rows of `stride` bytes. */
GByteArray *png_of(const guint8 *pixels, guint width, guint height, guint stride);

#endif
