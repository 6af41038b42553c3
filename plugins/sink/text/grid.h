/* Lines of cells in aligned columns. */
#ifndef SINK_TEXT_GRID_H
#define SINK_TEXT_GRID_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Grid Grid;

Grid *grid_new(uint32_t n_columns);
void grid_free(Grid *g);
void grid_left(Grid *g, uint32_t column);  /* others align to the right */
void grid_cell(Grid *g, const char *text); /* the next cell, line by line; takes no ownership */
void grid_print(const Grid *g, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Grid, grid_free)

#endif
