/* Tables in text that is at hand, row by row into a struct; titles, types, ranges and defaults are declared.
 *
 *   static const TableField fields[] = {
 *     TABLE_FIELD(Cell, tp, "tp", TABLE_INT, TABLE_NEEDED, 1, INT64_MAX, 0),
 *     TABLE_FIELD(Cell, fusion, "fusion", TABLE_NAME, TABLE_NEEDED, 0, 0, 0),
 *   };
 */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TABLE_ROWS_H
#define KIT_TABLE_ROWS_H

#include <glib.h>

#include "kit/read/table-columns.h"

typedef struct TableField {
  TableColumn column;
  uint32_t offset; /* in the struct: of an int64_t; of a double, NaN where nothing is said; or of a const char *,
                    * NULL where it is empty */
} TableField;
#define TABLE_FIELD(S, f, title, type, flags, least, most, otherwise) \
  { { (title), NULL, (type), (flags), (least), (most), (otherwise), NULL, NULL, NULL }, offsetof(S, f) }

typedef struct TableRows {
  const TableField *fields;
  uint32_t n_fields, few; /* so many of the columns make a table */
} TableRows;

enum { /* TableFault.kind */
       TABLE_ROWS_NO_COLUMN = 1,
       TABLE_ROWS_RAGGED = 2, /* also: it is no table */
       TABLE_ROWS_BAD_CELL = 3
};
typedef struct TableFault {
  uint32_t kind;
  uint64_t line, column; /* from 1 */
  char *what;            /* g_free */
} TableFault;

/* Whether the text begins with the header of such a table: it has `few` columns, and all that are typical. */
bool table_rows_are(const TableRows *t, const char *text, size_t len);
/* Fills *row for each row, and calls `take`.  Names go to `names`.  False: *out says where the text is none. */
bool table_rows_read(const TableRows *t, const char *text, size_t len, GStringChunk *names, void *row,
                     void (*take)(void *user), void *user, TableFault *out);

/* One field of *row, for readers that find their cells themselves; no cell: it is unsaid.  NULL, or what the cell is
 * not. */
const char *table_field_set(const TableField *field, const CsvCell *cell, GStringChunk *names, void *row);

#endif
