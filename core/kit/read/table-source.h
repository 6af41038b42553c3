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
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TABLE_SOURCE_H
#define KIT_TABLE_SOURCE_H

#include "kit/read/table-columns.h"

typedef struct TableSource {
  const char *record;         /* a row becomes an event of this type */
  const TableColumn *columns; /* at most RECORD_MAX_KEYS; those without a key are behind all others */
  uint32_t n_columns, few;    /* so many columns may be a table of this source, with the certainty `likely` */
  int likely;
  /* The rest may be left out. */
  const uint32_t *numbers;                          /* [TABLE_REPLACED + 1]: the notices, where they have other ones */
  void (*finish)(TableRow *row);                    /* when all of its cells are read */
  void (*given)(const TableRow *row, MillBatch *b); /* when its event is the last of the batch */
} TableSource;
#define TABLE_COLUMNS(columns_) .columns = (columns_), .n_columns = MILL_COUNT(columns_)

enum { /* numbers of notices; those of the source's own follow */
       TABLE_EMPTY = 1,
       TABLE_NO_COLUMN = 2,
       TABLE_RAGGED = 3,
       TABLE_BAD_CELL = 4,
       TABLE_BAD_TEXT = 5,
       TABLE_NO_ROWS = 6,
       TABLE_TWICE = 7,   /* of TableSource.numbers alone: two columns say the same; else the last one counts */
       TABLE_REPLACED = 8 /* the same: a character cannot be read */
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
/* The same with functions of the source's own that call these. */
#define TABLE_SOURCE_OPS(probe_, describe_)                                                         \
  { .size = sizeof(MillSourceOps), .probe = (probe_), .open = table_source_open,                     \
    .describe = (describe_), .start = table_source_start, .next = table_source_next,                 \
    .close = table_source_close }
int table_source_probe(const MillSource *self, const char *bytes, size_t len, const char *name);
int table_source_open(const MillSource *self, const MillSourceHost *host, const void *options, void **out_instance);
int table_source_describe(void *instance);
int table_source_start(void *instance);
int table_source_next(void *instance, MillBatch *b);
void table_source_close(void *instance);
const MillSourceHost *table_source_host(void *instance);

#endif
