/* Tables that sources read: row by row from their input, or from text that is at hand. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CSV_INPUT_H
#define KIT_CSV_INPUT_H

#include <stagemill/source.h>

#include "kit/read/csv.h"
#include "kit/read/encoding.h"

/* ---------------------------------------------------------------- an input */

typedef struct CsvInput {
  const MillSourceHost *host;
  TextReader text;
  Csv *csv;
  bool begun, waiting; /* the header was taken; the row did not fit into the batch before */
  uint64_t n_rows;
} CsvInput;

typedef struct CsvWork { /* of a source, whose instance each call gets */
  /* 1: taken; 0: a row that does not count; or a negative status. */
  int (*header)(void *instance, const CsvCell *cells, uint32_t n);
  int (*row)(void *instance, const CsvCell *cells, uint32_t n);
  bool (*give)(void *instance, MillBatch *b); /* the row; false: the batch has no space for it */
  const MillNotice *notices;
  uint32_t bad_text, empty, no_rows; /* their numbers */
} CsvWork;

void csv_input_open(CsvInput *in, const MillSourceHost *host); /* in `start`, or before */
void csv_input_close(CsvInput *in);
/* As `next` of a source.  Empty lines are skipped. */
int csv_input_next(CsvInput *in, const CsvWork *work, void *instance, MillBatch *b);

/* ---------------------------------- text at hand, with a byte order mark or without */

typedef bool CsvTake(void *user, const Csv *csv, const CsvCell *cells,
                     uint32_t n); /* false: enough */
/* Calls it for each row but empty lines.  False: the text is none; *out_why (g_free) and where. */
bool csv_each_row(const char *text, size_t len, CsvTake *take, void *user, char **out_why,
                  CsvPlace *out_place);
/* Calls it for the first row. */
void csv_first_row(const char *text, size_t len, CsvTake *take, void *user);
/* The same of what an input begins with, in any encoding. */
void csv_first_row_of(const char *bytes, size_t len, CsvTake *take, void *user);

#endif
