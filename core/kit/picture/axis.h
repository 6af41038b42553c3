/* Axes: labels, units that are read easily, and what range is shown. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_AXIS_H
#define KIT_PICTURE_AXIS_H

#include "kit/picture/chart.h"

typedef struct Range {
  double low, high; /* low > high: empty */
} Range;
#define RANGE_EMPTY ((Range){ G_MAXDOUBLE, -G_MAXDOUBLE })
void range_add(Range *r, double value); /* NaN is ignored */
static inline bool range_is_empty(const Range *r) { return r->low > r->high; }

/* "Output throughput"; of a column's name. */
char *column_title(const char *name);
/* The unit as printed for values up to `largest`, and what they are multiplied by. */
const char *unit_shown(const char *unit, double largest, double *out_factor);
/* Whether numbers of that unit, printed times factor, have nothing between two whole ones. */
bool unit_counts(const char *unit, bool integers, double factor);
/* Sets label, unit and factor.  text: of the figure, or NULL; it keeps a unit in brackets. */
void axis_label(PictureAxis *a, const char *text, const char *name, const char *unit,
                double largest);
/* Sets low and high: finite, low < high. */
typedef enum Fit { FIT_TIGHT, FIT_LOOSE, FIT_FROM_ZERO } Fit;
void axis_limits(PictureAxis *a, Range r, Fit fit);
void axis_names(PictureAxis *a, Names *names);
/* A number of that unit for people, in three digits, or as "0.1", "0.01x" or "0%" say. */
char *number_text(double value, const char *unit, const char *format);

/* Marks along y of a field are what the annotation says of its rows: addresses, not their numbers. */
void axis_mark(const Layer *l, const Pane *p, PictureAxis *io_axis);

#endif
