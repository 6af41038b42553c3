/* The marks of a panel, as marks of the display list. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_DRAW_H
#define KIT_DISPLAY_DRAW_H

#include "kit/display/display.h"
#include "kit/display/page.h"
#include "kit/display/scale.h"

typedef struct Draw {
  const Page *page;
  const Tile *tile;
  const PicturePanel *panel;
  Scale x, y;       /* of the panel's own axes: sideways panels have x at the left side */
  GPtrArray *marks; /* what is drawn, in its order */
  GPtrArray *front; /* texts, over all of it */
  GArray *data;     /* double: numbers of the mark at hand */
  GArray *colors;   /* guint32: of its rectangles or discs, when they have their own */
  GArray *texts;    /* Box: where texts stand, in pixels of the page */
  GArray *bars;     /* Box: what texts do not stand on */
  GArray *rules;    /* Box: lines that texts of others keep off */
  GPtrArray *ends;  /* texts at ends of bars, until all bars are known */
} Draw;

/* marks: where everything of this panel goes. */
Draw draw_begin(const Page *page, const Tile *t, GPtrArray *marks);
void draw_end(Draw *d);
/* All series of the panel. */
void draw_marks(Draw *d);

/* ---- pieces.  Positions are numbers of the table; sideways panels swap them. */
/* Pixels of the page, whichever way the panel lies; NaN where there is none. */
void draw_place(const Draw *d, double x, double y, double *out_across, double *out_down);
double draw_at(const PictureNumbers *n, guint i); /* NaN where there is none */
static inline guint draw_n(const PictureNumbers *n) { return n ? n->len : 0; }
/* Half the width of what stands at a category, and where its middle is. */
double draw_half(const PictureSeries *s, const PicturePanel *p);
double draw_middle(const PictureSeries *s, guint i);
double draw_pixels_x(const Draw *d, double from, double to); /* how many those are */

/* Where the k-th step of a field begins: on a logarithmic axis steps are powers of ten. */
double draw_edge(const PictureAxis *a, double low, double step, double k);
double draw_part(const PictureAxis *a, double v); /* of the way from its begin to its end */

void draw_point(Draw *d, double x, double y);
void draw_gap(Draw *d); /* the line ends here */
void draw_segment(Draw *d, double x0, double y0, double x1, double y1);
void draw_rect(Draw *d, double x0, double x1, double y0, double y1);
void draw_keep_bars(Draw *d); /* texts of rules and of other bars keep off the rectangles that were added */
void draw_color(Draw *d, unsigned rgb); /* of the rectangle or disc that was added last */
/* The numbers are complete: how they are drawn.  Nothing is drawn of none. */
void draw_with(Draw *d, const DrawStyle *style);
/* After: above it, or to the right of it sideways; before: below, or to the left; corners: above and to the right or
 * left, and below. */
typedef enum DrawSide {
  SIDE_CENTRE,
  SIDE_AFTER,
  SIDE_BEFORE,
  SIDE_CORNER,
  SIDE_LEFT_CORNER,
  SIDE_LOW_CORNER,
  SIDE_LOW_LEFT_CORNER
} DrawSide;
void draw_text(Draw *d, const char *text, double x, double y, DrawSide side, double size,
               unsigned rgb);
/* At the end of a bar, where it covers no text and no bar; else nowhere. */
void draw_end_text(Draw *d, const char *text, double x, double y, DrawSide side);
void draw_end_texts(Draw *d); /* all of them, when all bars are there */
/* At a corner of the point where it covers no other one; else nowhere. */
void draw_point_text(Draw *d, const char *text, double x, double y);
/* Beside its line, on the side and in the row where it covers no other one; else nowhere. */
void draw_rule_texts(Draw *d, const PictureSeries *s);
/* Dark or light letters on it. */
unsigned draw_letters_on(unsigned rgb);
unsigned draw_rgb(const char *color);

/* The points of a line, with at most two for each column of pixels. */
void draw_path(Draw *d, const PictureSeries *s);

void draw_lines(Draw *d, const PictureSeries *s);
void draw_scatter(Draw *d, const PictureSeries *s);
void draw_bars(Draw *d, const PictureSeries *s);
void draw_bins(Draw *d, const PictureSeries *s);
void draw_intervals(Draw *d, const PictureSeries *s);
void draw_boxes(Draw *d, const PictureSeries *s);
void draw_violins(Draw *d, const PictureSeries *s);
void draw_cells(Draw *d, const PictureSeries *s);
void draw_field(Draw *d, const PictureSeries *s);
void draw_rule(Draw *d, const PictureSeries *s);
/* Whether its i-th line stands upright, and at which pixel; NaN: nowhere. */
bool draw_rule_at(const Draw *d, const PictureSeries *s, guint i, double *out_at);
guint draw_n_rules(const PictureSeries *s);
char *draw_rule_text(const PictureSeries *s, guint i); /* cleaned, to be freed */
bool draw_meets(const GArray *boxes, const Box *b);    /* any of them, by more than an edge */

/* Of a number on the colour bar; a series may have its own ramp. */
unsigned draw_value_rgb(const PictureColorBar *bar, const PictureSeries *s, double value);
/* Colours of values, 0 to 1. */
unsigned palette_rgb(PicturePalette palette, const char *full, double part);
/* What it is mixed from, evenly spaced. */
guint palette_colors(PicturePalette palette, const unsigned **out_rgb);
double palette_part(const PictureAxis *bar, double value); /* NaN: it has none */

#endif
