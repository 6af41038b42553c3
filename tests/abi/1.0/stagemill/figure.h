/* Figures: declared views of tables, which renderers draw.  Included by types.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_FIGURE_H
#define STAGEMILL_FIGURE_H

#include <stagemill/types.h>

enum { /* MillFigure.kind */
  MILL_FIGURE_LINE = 1, MILL_FIGURE_BAR, MILL_FIGURE_STACKED_BAR, MILL_FIGURE_BOX, MILL_FIGURE_VIOLIN,
  MILL_FIGURE_HEATMAP, MILL_FIGURE_DENSITY, MILL_FIGURE_SCATTER, MILL_FIGURE_TIMELINE, MILL_FIGURE_PARETO,
  MILL_FIGURE_RANKED,    /* bars by size, and what share of the sum they are together */
  MILL_FIGURE_HISTOGRAM, /* bins from x to x_end */
  MILL_FIGURE_RULE       /* lines across panels at x, each called by its column; of a figure that is drawn over it */
};
enum { /* MillFigure.flags */
  MILL_FIGURE_STEP = 1 << 0,       /* a line is level up to its next point */
  MILL_FIGURE_CUMULATIVE = 1 << 1, /* y adds up along x */
  MILL_FIGURE_DOWN = 1 << 2,       /* y grows downwards */
  MILL_FIGURE_OWN_AXES = 1 << 3,   /* panels share neither axes nor colours */
  MILL_FIGURE_MOMENTS = 1 << 4     /* x is a time of the trace: drawn since the first of its unit in all such figures */
};

/* Columns are named as in the table; one that the table does not have this time counts as NULL.  Leading columns
 * (rank, input, label, tags) that a figure does not use become its series, else panels. */
typedef struct MillFigure {
  uint32_t kind;
  const char *name;
  const char *title;
  const char *table;
  const char *x, *y, *series, *facet, *annotation; /* columns, or NULL; x may be a list: a panel for each */
  const char *scale; /* "linear", "log", or NULL: of y, of x in densities, of the colour in heatmaps */
  uint32_t flags;
  uint32_t top;                /* the largest so many of x, then "others (n)"; 0: all */
  uint32_t x_better, y_better; /* MILL_LOWER or MILL_HIGHER: of a Pareto front */
  const char *value;           /* heatmap, density: column of the colour; a text: categories */
  const char *x_end;           /* timeline, histogram: column of a bar's end; "+column": of its length */
  const char *x_low, *x_high, *y_low, *y_high; /* columns: band of a line, else error bars */
  const char *group;           /* stacked bars: column of stacks that stand side by side */
  const char *note;            /* column whose one text stands above its panel */
  const char *where;           /* "type=a|b;layer!=all": the rows that are drawn */
  const char *reduce;          /* of equal x and series: mean, median, sum, min, max or count */
  const char *over;            /* another figure of the stage, drawn in the same axes */
  const char *colors;          /* "NCCL=#009e73,...": of categories */
  const char *palette;         /* magnitude, worse, change, or ramps: a hue for each series */
  const char *x_scale, *y_scale, *value_scale; /* linear, log, log2 */
  const char *x_label, *y_label, *value_label; /* NULL: from the column; "$facet": the panel's value */
  const char *value_low, *value_high; /* ends of the colour bar: a number, or a column */
  const char *pages;           /* "tp,fusion": columns; a picture for each of their values */
  const char *file;            /* path of a page's picture: "{fusion}/tp{tp}" */
  const char *format;          /* of annotations: "0.1", "0.01x", "0%" */
} MillFigure;
MILL_ROWS_OF(MillFigure);

#endif
