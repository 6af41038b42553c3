/* A source that is one table: its titles, types, ranges and defaults are declared, and reading is here.
 *
 *   static const TableColumn columns[] = {
 *     { "probe", "probe", TABLE_NAME, TABLE_NEEDED },
 *     { "kernel_us", "time_us", TABLE_REAL, TABLE_NEEDED },
 *   };
 *   static const MillNotice notices[] = { TABLE_NOTICES(...) };
 *   static const TableSource table = { .record = "probe.latency", TABLE_COLUMNS(columns), .likely = 60 };
 *   static const MillSource source = { ..., .notices = MILL_ROWS(notices), .user = &table,
 *                                      .ops = &table_source_ops };
 */
#ifndef KIT_TABLE_SOURCE_H
#define KIT_TABLE_SOURCE_H

#include <stagemill/source.h>

enum { /* TableColumn.type */
       TABLE_NAME = 1,
       TABLE_INT = 2,
       TABLE_REAL = 3
};
enum { /* TableColumn.flags */
       TABLE_NEEDED = 1 << 0,
       TABLE_TYPICAL = 1 << 1, /* a table without it is not one of these */
       TABLE_ONE_OF = 1 << 2,  /* of all columns with it, one is needed */
       TABLE_LENIENT = 1 << 3, /* what is no number is left out */
       TABLE_ABOVE_0 = 1 << 4, /* of a number */
       TABLE_FROM_0 = 1 << 5,
       TABLE_HOLES = 1 << 6 /* cells may be empty though the column is needed: of TableField */
};

typedef struct TableColumn {
  const char *title; /* in any case of letters */
  const char *key;   /* of the attribute that it becomes; names that are empty become none */
  uint32_t type, flags;
  int64_t least, most; /* of an integer */
  int64_t otherwise;   /* an integer that is empty, or whose column is missing; not of one that is needed */
} TableColumn;

typedef struct TableSource {
  const char *record; /* a row becomes an event of this type */
  const TableColumn *columns;
  uint32_t n_columns, few; /* so many columns may be a table of this source, with the certainty `likely` */
  int likely;
} TableSource;
#define TABLE_COLUMNS(columns_) .columns = (columns_), .n_columns = MILL_COUNT(columns_)

enum { /* numbers of notices; those of the source's own follow */
       TABLE_EMPTY = 1,
       TABLE_NO_COLUMN = 2,
       TABLE_RAGGED = 3,
       TABLE_BAD_CELL = 4,
       TABLE_BAD_TEXT = 5,
       TABLE_NO_ROWS = 6
};
#define TABLE_NOTICES(columns_help, columns_why, cell, cell_help, cell_why)                         \
  MILL_ERROR(TABLE_EMPTY, "the input is empty", NULL,                                               \
             "The input has no text: the command that should have written the table failed, or "    \
             "the disk was full."),                                                                 \
      MILL_ERROR(TABLE_NO_COLUMN, "the table lacks a column", columns_help, columns_why),           \
      MILL_ERROR(TABLE_RAGGED, "a row has more or fewer cells than the header", NULL,               \
                 "Each row must have one cell for each column."),                                   \
      MILL_ERROR(TABLE_BAD_CELL, cell, cell_help, cell_why),                                        \
      MILL_ERROR(TABLE_BAD_TEXT, "the text is not a table", NULL,                                   \
                 "The rules of RFC 4180 are broken: a quote is not closed, or text follows one."), \
      MILL_ERROR(TABLE_NO_ROWS, "the table has no rows", NULL,                                      \
                 "There is a header alone: the measurement was ended before its first result.")

extern const MillSourceOps table_source_ops;

/* ---- for table-rows.c: n columns, each `stride` bytes behind the one before */

struct CsvCell;
/* Where the header has each of them, or CSV_NO_COLUMN; how many it has. */
uint32_t table_find(const TableColumn *first, size_t stride, uint32_t n, const struct CsvCell *cells,
                    uint32_t n_cells, uint32_t *at);
/* The title of one that is needed and not there, or NULL. */
const char *table_missing(const TableColumn *first, size_t stride, uint32_t n, const uint32_t *at);
bool table_is_typical(const TableColumn *first, size_t stride, uint32_t n, const uint32_t *at);

#endif
