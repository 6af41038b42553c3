/* Lines of cells in aligned columns, never wider than they may be. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_TEXT_GRID_H
#define SINK_TEXT_GRID_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Grid Grid;

Grid *grid_new(uint32_t n_columns);
void grid_free(Grid *g);
void grid_left(Grid *g, uint32_t column);  /* text; others align to the right, and are never cut */
void grid_cell(Grid *g, const char *text); /* the next cell, line by line; takes no ownership */
void grid_limit(Grid *g, size_t width);    /* texts are cut to it, wherever they are */
/* The first line has the titles.  Where all columns do not fit, titles take several lines, then texts are cut, then
 * columns go below each other, each time after those of text that begin the line. */
void grid_print(Grid *g, size_t width, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Grid, grid_free)

#endif
