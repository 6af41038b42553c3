/* What the files that write a comparison share. */
#ifndef COMPARE_PARTS_H
#define COMPARE_PARTS_H

#include "compare/diff.h"
#include "compare/side.h"

/* One table, or the metrics, of the base against those of another side. */
typedef struct Compared {
  const char *name; /* of the table; NULL: the metrics */
  const char *side; /* the other side; NULL: there is only one */
  Frame **frames;
  Diff *diff;
} Compared;

typedef struct Writing {
  Results *out;
  const CompareSide *sides;
  uint32_t n_sides;
  const CompareOptions *options;
  bool repeated; /* some side has so many runs that noise can be told from change */
  Sheet *findings;
  GHashTable *said; /* side, row and change of each finding */
} Writing;

static inline MillValue compare_text(const char *text)
{
  return text && *text ? mill_text(text, strlen(text)) : mill_none();
}
/* A table that belongs to the results; columns: MillColumn. */
Sheet *compare_sheet(Results *out, const char *name, const char *help, uint32_t brief_rows,
                     const GArray *columns);
/* The table of what is different; list: Compared *, one a side. */
void compare_write_table(Writing *w, const GPtrArray *list);
/* "tables": a line for each. */
Sheet *compare_counts_sheet(const Writing *w);
void compare_count_rows(const Writing *w, Sheet *counts, const Compared *c);
/* Sentences about what moved most. */
Sheet *compare_findings_sheet(const Writing *w);
void compare_find(Writing *w, const Compared *c);
/* The rows of both sides in one table, with the figures that the base has of it. */
void compare_write_figures(Writing *w, const char *table);

#endif
