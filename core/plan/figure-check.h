/* Checking a figure against the tables of its stage. */
#ifndef PLAN_FIGURE_CHECK_H
#define PLAN_FIGURE_CHECK_H

#include <glib.h>

#include "model/descriptor.h"

/* Declared, or one that says where a row comes from. */
bool table_has_column(const MillTable *table, const char *name);
/* Adds a text for each fault. */
void figure_check(const Descriptor *stage, const MillFigure *figure, GPtrArray *out);

#endif
