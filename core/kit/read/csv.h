/* Rows of comma-separated text (RFC 4180) from a stream, with places; bounded, and nothing is copied
 * but doubled quotes. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CSV_H
#define KIT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_MAX_CELL ((size_t)1 << 20)
#define CSV_MAX_ROW ((size_t)4 << 20)
#define CSV_MAX_CELLS 65536u
#define CSV_PAD 64 /* bytes after the text of each cell that may be read, whatever they are */

typedef struct CsvCell {
  const char *text; /* without its quotes; until the next call */
  uint32_t len;
  uint32_t at; /* of its first byte, quote included, in the row */
} CsvCell;

typedef enum {
  CSV_ROW,
  CSV_END,
  CSV_BAD,        /* see csv_error and csv_error_place */
  CSV_READ_FAILED /* the reading function said so */
} CsvStatus;

typedef struct CsvPlace {
  uint64_t line, column; /* from 1; columns count characters */
} CsvPlace;

/* Bytes of UTF-8 into the buffer; 0 at the end; negative: failed.  max is at least 64. */
typedef int64_t (*CsvRead)(void *user, char *buffer, size_t max);
typedef struct Csv Csv;

/* The reading function of bytes that are at hand, and what it takes. */
typedef struct CsvBytes {
  const char *bytes;
  size_t len;
} CsvBytes;
int64_t csv_read_bytes(void *user, char *buffer, size_t max);

Csv *csv_new(CsvRead read, void *user);
Csv *csv_new_small(CsvRead read, void *user, size_t capacity); /* for a few rows: grows where they are longer */
void csv_free(Csv *c);
void csv_set_separator(Csv *c, char separator); /* ',' at first */
char csv_separator(const Csv *c);

/* The next row.  Lines end with LF, CR or CRLF, the last one also without; an empty line is a row
 * of one empty cell.  A cell may begin with a quote; then the next single quote ends it. */
CsvStatus csv_row(Csv *c, const CsvCell **out_cells, uint32_t *out_n);

/* The next line without consuming it, whatever quotes it has, without its line break. */
CsvStatus csv_peek_line(Csv *c, const char **out_text, size_t *out_len);
/* After csv_peek_line: that line as a row; false when it is none by itself. */
bool csv_split_line(Csv *c, char separator, const CsvCell **out_cells, uint32_t *out_n);
void csv_skip_line(Csv *c); /* after csv_peek_line */

/* Of a byte of the last row or peeked line, by its offset in it. */
CsvPlace csv_place(const Csv *c, size_t at);
const char *csv_error(const Csv *c);
CsvPlace csv_error_place(const Csv *c);
int64_t csv_read_status(const Csv *c); /* after CSV_READ_FAILED: what the reading function gave */

#endif
