/* Tables of a run by name, their cells, and the forms in which the original writes them. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_CSV_TABLE_H
#define GEMM_CSV_TABLE_H

#include <glib.h>
#include <stagemill/sink.h>

typedef struct Table {
  const MillResults *results;
  uint32_t index;
  MillTableResult t;
} Table;

bool table_find(const MillResults *r, const char *name, Table *out);
bool table_has(const Table *t, const char *column);
/* The cell of that name; empty: there is no such column, or no row. */
MillValue table_cell(const Table *t, const MillValue *row, const char *column);

typedef enum Form {
  AS_IS,
  IN_US,
  IN_MS,
  IN_GIGA,
  IN_MIB,
  IN_GIB, /* 1e9 bytes/s to 2^30 */
  TUPLE,
  PAIR,
  FLAGS,
  DETAILS,
  YES_NO
} Form;
void table_put(GString *line, const MillHost *common, MillValue v, Form form);

/* gemm-csv.c has the variance and the timeline.  nccl.c: the collectives of all configurations.  compare.c: reports of
 * one rank across threads; `channels` where all have the same. */
int write_nccl(const MillSinkHost *host, const Table *summary);
int write_compared(const MillSinkHost *host, const Table *t, bool is_timeline, MillValue channels);

#endif
