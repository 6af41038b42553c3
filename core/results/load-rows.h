/* Rows of a table that are in a file of their own, beside the summary that names it. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_LOAD_ROWS_H
#define RESULTS_LOAD_ROWS_H

#include "base/json-members.h"

typedef struct RowsFile {
  const char *name, *sha256; /* as the summary has them */
  JsonTake take;             /* reads one row */
  void *table;               /* what it is given */
} RowsFile;

/* False: json_in_fail was called; what is wrong in the file is in the Load. */
bool load_rows_file(JsonIn *in, const char *at, const RowsFile *);

#endif
