/* What the files that write a comparison share. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_PARTS_H
#define COMPARE_PARTS_H

#include "compare/diff.h"
#include "compare/headline.h"
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
  bool repeated;     /* some side has so many runs that noise can be told from change */
  GArray *headlines; /* HeadlineTest, of all sides */
  Sheet *findings;
  GHashTable *said; /* side, row and change of each finding */
} Writing;

static inline MillValue compare_text(const char *text)
{
  return text && *text ? mill_text(text, strlen(text)) : mill_none();
}
enum { /* columns of what a comparison tells of a value */
       OUT_COLUMN,
       OUT_UNIT,
       OUT_BASE,
       OUT_NEW,
       OUT_CHANGE,
       OUT_PERCENT,
       OUT_LOW,
       OUT_HIGH,
       OUT_N,
       OUT_BETTER,
       OUT_VERDICT,
       OUT_BASE_TEXT,
       OUT_NEW_TEXT,
       OUT_REASON,
       OUT_N_COLUMNS
};
extern const MillColumn compare_columns[OUT_N_COLUMNS];
extern const MillColumn compare_side_column;
void compare_fill_measure(const Measure *m, MillValue *all); /* those of `all` that are numbers */
MillValue compare_number(double v);                          /* none where it is not finite */
MillValue compare_better(uint32_t better);
MillValue compare_either(const Diff *d, uint32_t group, const DiffColumn *column);
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
void compare_say(Writing *w, const Compared *of, const char *sentence);
/* Sentences and a table of what rules found on one side, or more of it; NULL: there is nothing.  metrics: as below. */
Sheet *compare_found_sheet(Writing *w, const GPtrArray *metrics);
/* Tests the headline metrics; metrics: Compared *, one a side. */
void compare_judge(Writing *w, const GPtrArray *metrics);
void compare_count_headlines(const Writing *w, uint64_t io_counts[HEADLINE_N_VERDICTS]);
const char *compare_unjudged(const Writing *w); /* why the first one is not judged, or NULL */
void compare_say_headlines(Writing *w, const GPtrArray *metrics);
void compare_write_headlines(Writing *w, const GPtrArray *metrics);
/* The rows of both sides in one table, with the figures that the base has of it. */
void compare_write_figures(Writing *w, const char *table);

#endif
