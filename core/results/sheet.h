/* A table as it is written: lead columns that say where a row comes from, then the declared
 * columns. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_SHEET_H
#define RESULTS_SHEET_H

#include <glib.h>
#include <stagemill/types.h>

#include "base/file-memory.h"

typedef struct Sheet {
  const MillTable *table;
  char *name;
  GArray *columns;    /* MillColumn */
  uint32_t n_lead;    /* number of lead columns: rank, label, tags */
  GPtrArray *renamed; /* names of lead columns, see sheet_add_declared */
  GPtrArray *rows;    /* MillValue *, in the pieces, or where they were reported */
  FileMemory *file;   /* where some of the rows lie; NULL: all are in memory */
  GPtrArray *pieces;  /* memory for cells: a table may have a hundred thousand rows */
  MillValue *room;    /* the free rest of the last piece */
  size_t n_room;
} Sheet;

/* Takes the name. Call sheet_add_lead for each lead column, then sheet_add_declared, then add
 * rows. */
Sheet *sheet_new(const MillTable *table, char *name);
void sheet_free(Sheet *s);
void sheet_add_lead(Sheet *s, const char *name, uint32_t type, uint32_t flags, const char *help);
/* No two columns have the same name, with or without units, in any case of letters: a lead
 * column with the name of another column becomes "tag_NAME". */
void sheet_add_declared(Sheet *s);
/* Announces the number of rows that are copied, before any of them. */
void sheet_reserve(Sheet *s, uint64_t n_rows);
/* The cells of a new row; the caller fills the lead columns. */
MillValue *sheet_add_row(Sheet *s, const MillValue *declared);
/* The same of a row that stays where it is, with free cells before it for the lead columns. */
MillValue *sheet_show_row(Sheet *s, MillValue *declared);
MillValue *sheet_add_cells(Sheet *s); /* a new row without any value */
/* Somebody reads a row: see file_memory_touch. */
static inline void sheet_touch(const Sheet *s, const MillValue *row)
{
  file_memory_touch(s->file, row);
}
/* By lead columns, declared order and keys; rows that are equal keep their order. */
void sheet_sort(Sheet *s);
/* Keys and tags may be numbers as texts: 8 comes before 32, and both before "all"; "rate2"
 * before "rate16". */
int sheet_compare_keys(const MillValue *a, const MillValue *b);

#endif
