/* A table as it is written: the declared columns after those that say where a row comes from. */
#ifndef RESULTS_SHEET_H
#define RESULTS_SHEET_H

#include <glib.h>
#include <stagemill/types.h>

typedef struct Sheet {
  const MillTable *table;
  char *name;
  GArray *columns;    /* MillColumn */
  uint32_t n_lead;    /* of them: rank, label, tags */
  GPtrArray *renamed; /* names of lead columns, see sheet_add_declared */
  GPtrArray *rows;    /* MillValue *, of the pieces */
  GPtrArray *pieces;  /* that cells are taken from: a table may have a hundred thousand rows */
  MillValue *room;    /* what is left of the last one */
  size_t n_room;
} Sheet;

/* Takes the name.  Lead columns follow by sheet_add_lead, then sheet_add_declared, then rows. */
Sheet *sheet_new(const MillTable *table, char *name);
void sheet_free(Sheet *s);
void sheet_add_lead(Sheet *s, const char *name, uint32_t type, uint32_t flags, const char *help);
/* No two columns have one name, whether with their units or without, and whatever the case of its letters: a lead
 * column that is called as another one becomes "tag_NAME". */
void sheet_add_declared(Sheet *s);
void sheet_reserve(Sheet *s, uint64_t n_rows); /* that will come; before any of them */
/* The cells of a new row: the caller fills the lead. */
MillValue *sheet_add_row(Sheet *s, const MillValue *declared);
MillValue *sheet_add_cells(Sheet *s); /* a new row without any value */
/* By lead, declared order and keys; rows that compare equal stay as they came. */
void sheet_sort(Sheet *s);
/* Keys and tags may be numbers as texts: 8 comes before 32, and both before "all"; "rate2" before "rate16". */
int sheet_compare_keys(const MillValue *a, const MillValue *b);

#endif
