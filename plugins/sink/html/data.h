/* The data of the page: one JSON document with all results, as long as it may be. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_HTML_DATA_H
#define SINK_HTML_DATA_H

#include <stagemill/sink.h>

#include "base/json-write.h"

typedef struct Data {
  const MillSinkHost *host;
  const MillHost *common;
  JsonWriter out;
  uint64_t max_rows;   /* of a table; 0: all */
  uint64_t max_bytes;  /* of the document */
  uint64_t n_bytes;    /* written so far */
  GPtrArray *left_out; /* char *: sentences */
} Data;

#define HTML_FILE "report.html"

int data_write(Data *d, const MillResults *r);
uint64_t data_size(const Data *d);
int data_flush_pieces(Data *d); /* when much has gathered */
void data_value(Data *d, const char *key, const MillValue *v);

/* Members of the document: */
int data_pictures(Data *d, const MillResults *r); /* pictures.c */
int data_tables(Data *d, const MillResults *r);   /* tables.c */

#endif
