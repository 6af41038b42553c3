/* The marks of a panel, as blocks of numbers and clauses of gnuplot's command `plot`. */
#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "page.h"

typedef struct Draw {
  const Page *page;
  const Tile *tile;
  const PicturePanel *panel;
  unsigned n_blocks; /* of the whole picture */
  GString *blocks;   /* "$d1 << END" and what follows */
  GString *clauses;  /* "$d1 using ... with ...", with commas between them */
  GString *labels;   /* commands `set label` */
  GString *data;     /* of the block at hand */
  GArray *texts;     /* Box: where texts stand beside points, in pixels of the panel */
} Draw;

/* All series of the panel. */
void draw_marks(Draw *d);

/* ---- pieces.  Positions are numbers of the table; sideways panels swap them. */
double draw_x(const Draw *d, double x);
double draw_y(const Draw *d, double y);
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
void draw_number(GString *out, double v);
/* The block is complete: how it is drawn.  Nothing is drawn of an empty one. */
void draw_with(Draw *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
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
               const char *color);
/* At a corner of the point where it covers no other one; else nowhere. */
void draw_point_text(Draw *d, const char *text, double x, double y);
/* "dark" or light letters on it. */
const char *draw_letters_on(unsigned rgb);
unsigned draw_rgb(const char *color);
double draw_points(const Page *page, double size); /* of letters, as the terminal counts them */

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

/* Colours of values, 0 to 1. */
unsigned palette_rgb(PicturePalette palette, const char *full, double part);
void palette_put(GString *out, PicturePalette palette);    /* "defined (...)" */
double palette_part(const PictureAxis *bar, double value); /* NaN: it has none */

#endif
