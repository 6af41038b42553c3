/* A picture: what a declared figure shows of its table, with all statistics computed; nothing is left to
 * whoever draws it but the drawing.  Its JSON text (see picture_json) is the same everywhere. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_PICTURE_H
#define KIT_PICTURE_PICTURE_H

#include <glib.h>
#include <stagemill/sink.h>

typedef enum PictureScale { SCALE_LINEAR, SCALE_LOG, SCALE_LOG2, SCALE_CATEGORIES } PictureScale;
typedef enum PicturePalette {
  PALETTE_MAGNITUDE, /* viridis */
  PALETTE_WORSE,     /* white to red: how much worse than the best */
  PALETTE_CHANGE,    /* blue, white, red around 0 */
  PALETTE_RAMPS      /* a hue for each series, pale to full by value */
} PicturePalette;

/* Numbers are the table's own.  What is printed beside an axis is the number times `factor`, in `unit`. */
typedef struct PictureAxis {
  char *label; /* with the unit as printed: "Total time (ms)" */
  char *unit;  /* as printed, or "" */
  double factor;
  PictureScale scale;
  GPtrArray *categories; /* char *, for SCALE_CATEGORIES: positions are their indices */
  double low, high;      /* what the axis shows; low < high */
  GArray *mark_at;       /* double: where marks stand, ascending; NULL: at round numbers */
  GPtrArray *mark_text;  /* char *: what each says */
  bool down;             /* grows downwards, or to the left */
  bool whole;            /* of counts: marks stand at whole numbers of the table only */
  bool ends;             /* of bins: both ends have a mark */
} PictureAxis;

typedef struct PictureColorBar {
  PictureAxis axis;
  PicturePalette palette;
  GPtrArray *colors; /* char *, of each category, instead of the palette; or NULL */
} PictureColorBar;

typedef enum PictureMark {
  MARK_LINE,   /* x, y; low, high: a band */
  MARK_STEPS,  /* the same, level up to the next x */
  MARK_POINTS, /* x, y; low, high and x_low, x_high: error bars */
  MARK_FRONT,  /* x, y: the line of a Pareto front, with its corners */
  MARK_BARS,   /* x; low to high; error_low, error_high */
  MARK_BINS,   /* x to x_high; low to high: a histogram */
  MARK_BOXES, /* x; low, q1, median, q3, high: whiskers and box; mean; n; outliers are further points */
  MARK_VIOLINS,   /* x; low, median, high, mean, n; shapes */
  MARK_CELLS,     /* x, y: indices of categories; value */
  MARK_FIELD,     /* field: numbers on a regular grid */
  MARK_INTERVALS, /* x to x_high at y: bars of a timeline */
  MARK_RULE /* y alone, or x alone: lines across the panel, with their text; slot: below those before */
} PictureMark;

/* A column of numbers; NaN where there is none.  NULL when the mark has no such column. */
typedef GArray PictureNumbers; /* of double */

typedef struct PictureShape { /* of one violin: 100 points from its lowest to its highest value */
  double low, step;
  PictureNumbers *width; /* 0 to 0.5, of the space of a category */
} PictureShape;

typedef struct PictureField { /* row by row, from the lowest y; NaN: nothing there */
  double x_low, x_step, y_low, y_step;
  uint32_t n_x, n_y;
  PictureNumbers *value;
} PictureField;

typedef struct PictureSeries {
  PictureMark mark;
  char *name;             /* "" when it is the only one */
  char *color;            /* "#0072b2"; NULL where the colour bar says it */
  uint32_t slot, n_slots; /* bars, boxes, violins and points of one category stand side by side */
  PictureNumbers *x, *x_low, *x_high, *y, *low, *high, *error_low, *error_high;
  PictureNumbers *value; /* for the colour bar */
  PictureNumbers *q1, *median, *q3, *mean, *n;
  GPtrArray *text;   /* char *, one for each x: written beside or in the mark; NULL for none */
  GPtrArray *shapes; /* PictureShape *, of violins */
  PictureField *field;
} PictureSeries;

typedef struct PicturePanel {
  char *title; /* "" when there is one panel */
  char *note;  /* stands above the panel, at its right; or NULL */
  PictureAxis x, y;
  bool sideways; /* x runs down the left side and y to the right: long names of categories */
  PictureColorBar *color; /* or NULL */
  GPtrArray *series;      /* PictureSeries *; drawn in this order */
} PicturePanel;

typedef struct PictureKey { /* a line of the legend */
  char *name, *color;
  char *share; /* of the cells of a heatmap that have this colour: "47, 68.1 %"; or NULL */
} PictureKey;
/* "ONESHOT (47, 68.1 %)", to g_free. */
char *picture_key_text(const PictureKey *key);

typedef struct Picture {
  char *name;  /* of the figure, and of the page: "gemm-time" or "gemm-time-tp4" */
  char *file;  /* without its ending: "gemm-time", "fused/tp4" */
  char *title; /* with what the page shows */
  char *table;
  char *
      description; /* a sentence or two for who cannot see it: kind, what is on the axes, the largest */
  char *left_out; /* "3 of 20 values are not positive and have no place on a log axis"; or NULL */
  char *footer;   /* profile and plan */
  uint32_t kind;  /* MILL_FIGURE_... as it was drawn */
  uint32_t n_columns; /* panels stand in rows of so many */
  GPtrArray *panels;  /* PicturePanel * */
  GPtrArray *legend;  /* PictureKey *; empty when one series needs none */
  char *legend_title; /* what the names of the legend are; NULL when they say it */
} Picture;

/* What a figure came to: its pictures, one a page, or why there are none. */
typedef struct PictureSet {
  const MillFigure *figure;
  const char *name;    /* of the figure */
  GPtrArray *pictures; /* Picture * */
  char *reason;        /* NULL unless there are no pictures */
  bool below;          /* it is drawn in the picture of another figure */
} PictureSet;

/* Of all figures, in their order.  One call for a whole report: a category keeps its colour in all of them. */
GPtrArray *picture_sets(const MillHost *common, const MillResults *results); /* PictureSet * */
/* Only whether there is something to draw: NULL, or the reason.  To be freed. */
char *picture_reason(const MillHost *common, const MillResults *results, uint32_t figure);
/* The whole document as core/schemas/picture.schema.json says. */
void picture_json(const Picture *p, GString *out);

#endif
