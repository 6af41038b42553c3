/* From the numbers of an axis to pixels of the page. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_SCALE_H
#define KIT_DISPLAY_SCALE_H

#include "kit/picture/picture.h"

typedef struct Scale {
  double low, high; /* what the axis shows, as printed: times its factor */
  bool log;
  double from, to; /* pixels of both */
} Scale;

/* `more`: the part by which it is longer than the axis says, so that there is room beyond its end; below, too, when
 * it begins below zero. */
Scale scale_of(const PictureAxis *a, double more, double from, double to);
/* Of a number of the table, and of one as printed; NaN where there is none.  Far outside it stands still. */
double scale_place(const Scale *s, const PictureAxis *a, double v);
double scale_at(const Scale *s, double printed);

#endif
