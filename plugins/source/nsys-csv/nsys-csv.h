/* What the files of the nsys-csv source share: the header, the search for a table, cells, the instance. */
/* SPDX-License-Identifier: MIT */
#ifndef NSYS_CSV_H
#define NSYS_CSV_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/csv.h"
#include "kit/read/encoding.h"
#include "kit/read/record.h"

enum { /* MillNotice.number */
       NSYS_EMPTY = 1,
       NSYS_NO_TABLE = 2,
       NSYS_SKIPPED = 3,
       NSYS_NO_COLUMN = 4,
       NSYS_TWICE = 5,
       NSYS_RAGGED = 6,
       NSYS_BAD_CELL = 7,
       NSYS_BAD_TEXT = 8,
       NSYS_OTHER_TABLE = 20,
       NSYS_SECOND = 21,
       NSYS_INEXACT = 22,
       NSYS_REPLACED = 23,
       NSYS_LATIN1 = 24,
       NSYS_DISAGREES = 25,
       NSYS_SHARES = 26
};
#define NSYS_N_NOTICES 15u
extern const MillNotice nsys_notices[NSYS_N_NOTICES];

/* ----------------------------------------------------------------- header */
enum {
  COLUMN_NAME,
  COLUMN_TOTAL,
  COLUMN_COUNT,
  N_REQUIRED,
  COLUMN_AVG = N_REQUIRED,
  COLUMN_MED,
  COLUMN_MIN,
  COLUMN_MAX,
  COLUMN_STD,
  COLUMN_PCT,
  N_COLUMNS
};
#define NO_CELL UINT32_MAX

typedef struct Header {
  uint32_t n_cells;
  uint32_t n_known;
  uint32_t cell[N_COLUMNS]; /* which one of the row, or NO_CELL */
  int decimals[N_COLUMNS];  /* times: a bare number times 10^decimals is nanoseconds */
  uint32_t twice;           /* a column that is there twice, or N_COLUMNS */
  uint32_t twice_at;        /* its second place, as CsvCell.at */
} Header;

/* False when the cells are not those of a header that resembles a kernel summary's. */
bool header_read(const CsvCell *cells, uint32_t n, Header *out);
/* The first required column that is missing, as nsys calls it, or NULL. */
const char *header_missing(const Header *h);
const char *column_title(uint32_t column);

/* ------------------------------------------------------------------ cells */
typedef enum { CELL_NUMBER, CELL_ABSENT, CELL_NO_NUMBER, CELL_NEGATIVE, CELL_RANGE } CellKind;

/* Powers of ten from the unit to nanoseconds; false when unknown. */
bool unit_decimals(const char *unit, size_t len, int *out);
/* A number with a unit of time, or bare and then times 10^decimals; nanoseconds. */
CellKind cell_time(const CsvCell *cell, int decimals, int64_t *out_ns, bool *io_inexact);
CellKind cell_time_real(const CsvCell *cell, int decimals, double *out_ns);
CellKind cell_count(const CsvCell *cell, int64_t *out);
CellKind cell_percent(const CsvCell *cell, double *out);
bool cell_is_blank(const CsvCell *cell);

/* ----------------------------------------------------------------- search */
/* What was met on the way to a kernel summary. */
typedef struct Search {
  uint64_t n_others;   /* tables skipped */
  bool titled;         /* the last title belongs to no header yet ... */
  bool title_is_other; /* ... and names another report */
  bool any_text;       /* some line is not blank */
  bool any_title;
  char *skipped;  /* the SKIPPED line, if possible that of kernels */
  Header partial; /* of the first header that lacks a column */
  CsvPlace partial_place;
  bool has_partial;
} Search;

typedef enum { FOUND_TABLE, FOUND_NOTHING, SEARCH_BAD, SEARCH_READ_FAILED } Found;

/* On FOUND_TABLE the separator is set and the rows of the table follow. */
Found search_table(Search *s, Csv *csv, Header *out, CsvPlace *out_place);
void search_clear(Search *s);
int nsys_probe(const MillSource *self, const char *bytes, size_t len, const char *name);

/* --------------------------------------------------------------- instance */
typedef struct Row {
  const CsvCell *cells;
  int64_t ints[N_COLUMNS];
  double reals[N_COLUMNS];
  bool has[N_COLUMNS];
  bool inexact;
} Row;

/* All rows that were read, and the share of the longest. */
typedef struct Shares {
  double sum_ns, longest_ns;
  double longest_percent; /* NAN: not said */
} Shares;

typedef struct Source {
  const MillSourceHost *host;
  TextReader text;
  Csv *csv;
  RecordWriter writer;
  MillSym record;
  Search search;
  Header header;
  bool in_table;
  bool waiting; /* row was read, and did not fit into the batch before */
  bool done;
  Row row;
  Shares shares;
} Source;

int nsys_next(void *instance, MillBatch *batch);

#endif
