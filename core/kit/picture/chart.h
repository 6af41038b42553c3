/* A figure on its way to a picture: rows sorted into panels and series, before they become marks. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_CHART_H
#define KIT_PICTURE_CHART_H

#include "kit/picture/lanes.h"
#include "kit/picture/picture.h"
#include "kit/picture/source.h"

enum { CHART_SERIES = 12, CHART_PANELS = 24 }; /* more of them are not read any more */

typedef struct Key { /* what names something: a column, the lane, or both */
  int column;        /* or -1 */
  bool lanes;
} Key;
static inline bool key_is_set(Key k) { return k.column >= 0 || k.lanes; }

typedef enum Place { PLACE_NUMBERS, PLACE_NAMES } Place; /* what positions of an axis are */

/* A figure with its columns found.  A picture has one layer, or two with `over`. */
typedef struct Layer {
  const Source *source;
  const MillFigure *figure;
  uint32_t kind;
  GArray *x; /* int: columns, a panel each; at least one, which may be -1 */
  bool x_lanes;
  Key y_key, series, facet, group;
  int y, annotation, value, x_end, x_low, x_high, y_low, y_high, note, value_low, value_high;
  bool x_end_is_length, counts; /* counts: rows are counted, there is no y */
  bool annotates_lanes;
  bool since; /* x counts from `origin`: MILL_FIGURE_MOMENTS */
  int64_t origin;
  Place y_place, value_place;
  Lanes lanes;
  char *problem; /* why nothing can be drawn, or NULL */
} Layer;

/* rows: those of the picture's pages; pages: columns that made them, or NULL. */
void layer_open(Layer *l, const Source *s, const MillFigure *figure, const Rows *rows,
                const char *pages);
void layer_close(Layer *l);
Place layer_x_place(const Layer *l, int column);
PictureScale layer_x_scale(const Layer *l);
PictureScale layer_y_scale(const Layer *l);
PictureScale layer_value_scale(const Layer *l);
/* The column whose numbers are drawn: of a heatmap that of its colours. */
const char *layer_measured(const Layer *l);

typedef struct Point { /* NaN: not there.  Positions among names are their indices. */
  double x, x_end, x_low, x_high, y, y_low, y_high, value;
  uint32_t group;
  Row row;
} Point;

typedef struct Strand { /* a series in a panel */
  const Layer *layer;
  uint32_t name; /* in chart->series */
  bool band;     /* made of many: median, and where most of them are */
  bool far;      /* one of those that are farthest from it */
  GArray *points;
} Strand;

typedef struct Pane { /* a panel */
  uint32_t facet;     /* in chart->facets */
  uint32_t x;         /* which one of the layer's x */
  Place x_place;
  Names *x_names, *y_names; /* of the chart; several panes may share them */
  GPtrArray *strands;
  GArray *by_name; /* index + 1 in strands by series name; of the layer that is read */
} Pane;

typedef struct Chart {
  const Layer *layer; /* the figure's own */
  uint32_t kind;
  Names *facets, *series, *groups, *values;
  GPtrArray *names; /* Names *: of axes */
  GPtrArray *panes;
  uint64_t n_rows, n_without_x, n_without_y, n_not_positive;
  uint64_t n_points; /* that were read, of all layers */
  void *counted
      [2]; /* of the figure and of the one below: memory that is never touched, see chart_read */
  uint32_t panes_left_out;
  GString *left_out;
} Chart;

Chart *chart_new(const Layer *layer);
void chart_free(Chart *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Chart, chart_free)
/* Sorts the rows of the layer into the chart: of the figure first, then of the one it is drawn over. */
void chart_read(Chart *c, const Layer *layer, const Rows *rows);
/* Reads the rows of the figure's own layer up to the first that has a point. */
bool chart_has_point(Chart *c, const Rows *rows);
/* Of a figure that this one is drawn over: all of it again, when it has too many series. */
void chart_limit_over(Chart *c);
uint32_t chart_count_series(const Chart *c, bool ours);
/* Orders names, keeps the largest, merges what is equal, adds up, and draws many series together. */
void chart_shape(Chart *c);
/* One of its steps each. */
void chart_sort_names(Chart *c);
void chart_keep_top(Chart *c);
void chart_bin(Chart *c);         /* samples of a histogram */
void chart_merge_cells(Chart *c); /* of a heatmap with too many */
void chart_reduce(Chart *c);
void chart_add_up(Chart *c);
void chart_crowd(Chart *c);
void chart_limit_values(Chart *c); /* colours of texts */
void chart_drop_bare(Chart *c);    /* panels of lines that go nowhere */
void chart_drop_empty(Chart *c);   /* panels in which nothing is */
/* NULL, or what a picture would show, which is so little that a line of text says it. */
char *chart_in_words(const Chart *c);
/* NULL, or why there is nothing to draw. */
char *chart_problem(const Chart *c);
void chart_leave_out(Chart *c, const char *format, ...) G_GNUC_PRINTF(2, 3);

Strand *pane_strand(Pane *p, const Layer *layer, uint32_t name); /* found or made */
Strand *strand_new(const Layer *layer, uint32_t name);
void strand_free(gpointer strand);
static inline Point *strand_point(const Strand *s, guint i)
{
  return &g_array_index(s->points, Point, i);
}

/* mean, median, sum, min or max (a count is a sum of ones); n > 0; may sort them. */
double reduce_values(const char *how, double *values, size_t n);
/* How equal ones of this figure become one. */
const char *reduce_how(const Layer *l);

#endif
