/* Where everything stands on the page of a picture: in pixels of 1200 across, from the upper left corner; of
 * pictures of characters in cells. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DISPLAY_PAGE_H
#define KIT_DISPLAY_PAGE_H

#include "kit/display/display.h"
#include "kit/display/scale.h"

/* Sizes of letters. */
enum {
  SIZE_TITLE = 21,
  SIZE_PANEL = 16,
  SIZE_LABEL = 14,
  SIZE_TICK = 14,
  SIZE_SMALL = 12,
  SIZE_FOOTER = 11,
  SIZE_LEAST = 7 /* below nobody reads them */
};
enum { PAGE_WIDTH = 1200, PAGE_EDGE = 22, PAGE_BAR_TICKS = 8 };

typedef struct Tile { /* a panel on the page */
  const PicturePanel *panel;
  const PictureAxis *across, *up;  /* as drawn */
  GArray *across_ticks, *up_ticks; /* Tick */
  bool bare;                       /* the panel to its left has the same marks at its left side */
  bool turned;                     /* the texts below it are */
  bool has_bar;
  double across_height, up_width; /* of the texts of its marks */
  Box plot;                       /* inside its axes */
  Scale across_scale, up_scale;
} Tile;

typedef struct Swatch {  /* a line of the legend */
  const PictureKey *key; /* NULL: of `text` alone */
  char *text;
  double x, y; /* middle of the left edge */
} Swatch;

typedef struct Page {
  const Picture *picture;
  double width, height;
  GArray *tiles;    /* Tile */
  GArray *swatches; /* Swatch */
  bool shared_bar;  /* one colour bar at the right for all panels */
  Box bar;
} Page;

/* least: its height, where its panels need no more. */
void page_init(Page *page, const Picture *p, double least);
void page_clear(Page *page);
/* What places are inside a panel, once its box is known. */
void page_set_scales(Tile *t);
/* Between a panel and its title. */
double page_note_height(const Tile *t);
/* Width beside a colour bar with its texts. */
double page_bar_width(const PictureColorBar *bar);

#endif
