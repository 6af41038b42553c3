/* Checking a figure against the tables of its stage. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_FIGURE_CHECK_H
#define PLAN_FIGURE_CHECK_H

#include <glib.h>

#include "model/descriptor.h"

/* Declared, or one that says where a row comes from. */
bool table_has_column(const MillTable *table, const char *name);
typedef struct FigureList {
  const MillFigure *at;
  uint32_t n;
} FigureList;

typedef struct FigureFault {
  const char *field; /* where it is said */
  const char *what;  /* "shows column ..." */
  const char *word;  /* one that is not among `known` (ends in NULL); or NULL */
  const char *const *known;
} FigureFault;
typedef void (*TakeFigureFault)(void *context, const FigureFault *fault);
/* all: the figures of the stage, with this one. */
void figure_faults(const Descriptor *stage, const MillFigure *figure, const FigureList *all,
                   TakeFigureFault take, void *context);
/* Adds a text for each fault of one that the stage declares. */
void figure_check(const Descriptor *stage, const MillFigure *figure, GPtrArray *out);

#endif
