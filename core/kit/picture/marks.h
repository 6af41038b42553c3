/* What is drawn of each series: points of a chart become marks of a panel. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_MARKS_H
#define KIT_PICTURE_MARKS_H

#include "kit/picture/axis.h"
#include "kit/picture/chart.h"
#include "kit/picture/colors.h"

typedef struct Marks { /* of a page */
  Chart *chart;
  Colors *colors;
  bool alone;         /* there is one series: it has no name */
  uint64_t n_thinned; /* points that are not drawn */
  uint64_t n_texts;   /* annotations that are not */
  uint64_t n_rules;   /* lines across panels that are not */
} Marks;

enum { MOST_POINTS = 20000, MOST_CELLS = 20000, MOST_COLUMNS = 2400, MOST_TEXTS = 100 };

/* Adds the panel's series; and its colour bar, if it has one, with limits of what is in it. */
void marks_fill(Marks *m, const Pane *p, PicturePanel *out);

void marks_lines(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_points(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_front(Marks *m, const Strand *s, PicturePanel *out);
void marks_intervals(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_bins(Marks *m, const Strand *s, PicturePanel *out);
void marks_outline(Marks *m, const Strand *s, PicturePanel *out); /* bins of several series */
/* Density of x alone; alone: it is the one in its panel. */
void marks_curve(Marks *m, const Strand *s, PicturePanel *out, bool alone);
void marks_rules(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_bars(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_stacks(Marks *m, const Pane *p, PicturePanel *out); /* all series of the figure */
void marks_shares(Marks *m, const Pane *p, PicturePanel *out); /* cumulative, of a ranking */
void marks_spread(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_cells(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);
void marks_field(Marks *m, const Pane *p, const Strand *s, PicturePanel *out);

/* Of the name of a colour bar. */
const char *marks_value_color(Marks *m, uint32_t value);
/* A new series of the panel, with name and colour. */
PictureSeries *marks_series(Marks *m, const Strand *s, PictureMark mark, PicturePanel *out);
/* Puts it into the right slot of a category. */
void marks_slot(const Marks *m, const Pane *p, const Strand *s, PictureSeries *io_series);
PictureNumbers *numbers_new(guint room);
static inline void numbers_add(PictureNumbers *n, double v) { g_array_append_val(n, v); }
/* A column of points; NULL when it has no number. */
PictureNumbers *marks_column(const GArray *points, size_t offset);
/* Annotations of the points; NULL: none. */
GPtrArray *marks_texts(Marks *m, const Pane *p, const Strand *s, const GArray *points);
char *marks_annotation(const Layer *l, const Point *at); /* "": none */

#endif
