/* Where an axis has its marks, and what stands beside them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_TICKS_H
#define KIT_DISPLAY_TICKS_H

#include "kit/picture/picture.h"

typedef struct Tick {
  double at;  /* as printed: times the factor of the axis */
  char *text; /* NULL: a small one without text */
} Tick;

/* At most about `most` with a text; of categories every so many-th, of counts none between two whole ones.  Tick; frees itself. */
GArray *ticks_of(const PictureAxis *a, unsigned most);
/* A number of the table as printed. */
double ticks_scaled(const PictureAxis *a, double v);
bool ticks_is_log(const PictureAxis *a);

#endif
