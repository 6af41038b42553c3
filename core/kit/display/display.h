/* What is on a page: simple marks in the order in which they are painted, in pixels from the upper left corner; of
 * pictures of characters in cells. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_DISPLAY_H
#define KIT_DISPLAY_DISPLAY_H

#include <glib.h>
#include <stdbool.h>

typedef struct Box {
  double left, top, right, bottom;
} Box;

typedef enum DisplayKind {
  DISPLAY_LINES,    /* x, y of each corner; a corner that is not finite is a gap */
  DISPLAY_POLYGONS, /* the same; each piece is closed and filled */
  DISPLAY_RECTS,    /* left, top, right, bottom of each */
  DISPLAY_DISCS,    /* x, y of each middle */
  DISPLAY_TEXT,
  DISPLAY_IMAGE,   /* colours row by row from the upper left cell of a box */
  DISPLAY_GRADIENT /* colours from the lower to the upper edge of a box */
} DisplayKind;

typedef enum DisplayAlign { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT } DisplayAlign;

/* How a mark is painted. */
typedef struct DrawStyle {
  DisplayKind kind;
  unsigned rgb;  /* of lines, areas and discs without a colour of their own */
  double alpha;  /* of areas; 0: they cover what is below */
  double width;  /* of lines and edges; areas of width 0 have no edge */
  unsigned edge; /* colour of the edge of areas */
  bool own_edge; /* it has the area's own colour instead */
  bool dashed;   /* lines */
  bool steps;    /* lines: level up to the next corner */
  bool rim;      /* texts: white around their letters, which parts them from what lies below */
  double radius; /* of discs */
  gunichar sign; /* pictures of characters: what stands in each cell */
} DrawStyle;

enum { NO_COLOR = 0 }; /* of a cell of an image without a value: others are 0xff000000 | rgb */

typedef struct DisplayMark {
  DrawStyle style;
  GArray *numbers; /* double; NULL of texts */
  GArray *colors;  /* guint32: of each rectangle or disc, 0xff000000 | rgb; NULL: style.rgb */
  Box clip;        /* only what is inside shows, when it is not empty */
  guint n_across;  /* of an image */
  /* Texts: the place is the middle of the line's height. */
  char *text;
  double x, y, size, turn; /* degrees, to the left */
  DisplayAlign align;
} DisplayMark;

typedef struct Display {
  double width, height;
  GPtrArray *marks; /* DisplayMark * */
} Display;

Display *display_new(double width, double height);
void display_free(Display *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Display, display_free)

/* The mark that was added, to be filled.  n numbers are copied. */
DisplayMark *display_add(GPtrArray *marks, const DrawStyle *style, const double *numbers, guint n);
void display_line(GPtrArray *marks, double x0, double y0, double x1, double y1, double width,
                  unsigned rgb);
void display_rect(GPtrArray *marks, const Box *b, unsigned rgb);
/* The text that was added, to be changed. */
DisplayMark *display_text(GPtrArray *marks, const char *text, double x, double y,
                          DisplayAlign align, double size, double turn, unsigned rgb);
GPtrArray *display_marks_new(void); /* a list of its own; its marks may be moved to another one */
void display_mark_free(DisplayMark *m); /* of one that was taken out */
void display_move(GPtrArray *to, GPtrArray *from);

/* As JSON text, in tenths of pixels, for whoever paints it elsewhere. */
void display_json(const Display *d, GString *out);

static inline bool box_is_empty(const Box *b) { return !(b->right > b->left); }

#endif
