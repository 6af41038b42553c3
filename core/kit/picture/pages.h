/* Pages of a figure: a picture for each value of its `pages` columns, with a name and a path of its own. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_PAGES_H
#define KIT_PICTURE_PAGES_H

#include "kit/picture/source.h"

enum { PAGES_MOST = 256 };

typedef struct Page {
  Rows *rows;
  char *name, *file;
  char *title; /* what it shows: "TP 4, fusion on"; "" when there is one page */
} Page;

typedef struct Taken { /* names and paths that a report has already, upper and lower case alike */
  Names *names, *files;
} Taken;

/* Page *, in the order of their values; takes the rows.  name: of the figure. */
GPtrArray *pages_split(const Source *s, const MillFigure *f, const char *name, Rows *rows,
                       Taken *io_taken, uint32_t *out_left_out);
/* A text as part of a path: letters, digits and ". _ -", 60 bytes at most, no dot first.  What had to be
 * changed ends in a hash of the text, so that two texts stay two. */
char *path_part(const char *text, size_t len);
/* "{fusion}/tp{tp}" with a value for each name; never leads out of its folder. */
typedef char *(*PathValue)(const void *context, const char *name, size_t len);
char *path_fill(const char *pattern, PathValue value, const void *context);

#endif
