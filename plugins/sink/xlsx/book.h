/* Which sheets a workbook has, and the parts of it that do not depend on cells. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_XLSX_BOOK_H
#define SINK_XLSX_BOOK_H

#include "package.h"

#define BOOK_MAX_ROWS 1048575u /* below the header */
#define BOOK_MAX_COLUMNS 16384u
#define BOOK_METRICS UINT32_MAX

enum { STYLE_PLAIN, STYLE_HEADER, STYLE_WHOLE, STYLE_PERCENT }; /* indices of cell formats */

typedef struct BookSheet {
  char *name;
  uint32_t table; /* index, or BOOK_METRICS */
  uint64_t first, n_rows;
} BookSheet;

typedef struct Book {
  const MillSinkHost *host;
  const MillResults *results;
  Package *package;
  GArray *sheets; /* BookSheet */
  uint64_t n_cut; /* cells that were too long */
} Book;

void book_init(Book *b, const MillSinkHost *host, const MillResults *r);
void book_clear(Book *b);
/* What says which parts there are. */
int book_put_parts(Book *b);
/* The name of the part of a sheet; g_free. */
char *book_part_name(guint sheet);

#endif
