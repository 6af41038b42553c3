/* The document that is written, for the files of this sink. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_JSON_DOC_H
#define SINK_JSON_DOC_H

#include <stagemill/sink.h>

#include "base/json-write.h"

#define PIECE_BYTES (128u << 10)

typedef struct Doc {
  const MillSinkHost *host;
  const MillHost *common;
  int64_t most_rows; /* of a table in the document itself; -1: any */
  JsonWriter out;
  GPtrArray *definitions; /* const MillMetric *: those of the metrics, in their order */
} Doc;

void doc_put_value(const Doc *, JsonWriter *, const char *key, const MillValue *);

/* rows-file.c: the rows of a large table, in a file of their own; then what the document says of that file. */
int rows_file_put(Doc *, const MillResults *, uint32_t index, const MillTableResult *);

#endif
