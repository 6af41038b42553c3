/* What the files of allreduce-best share. */
/* SPDX-License-Identifier: MIT */
#ifndef ALLREDUCE_BEST_H
#define ALLREDUCE_BEST_H

#include "tune/lib/allreduce-cost.h"
#include "tune/lib/allreduce-fit.h"
#include "tune/lib/allreduce-names.h"
#include "tune/lib/allreduce-noise.h"
#include "tune/lib/allreduce.h"

enum {
  NOTICE_NO_FILE = AR_FIRST_OWN,
  NOTICE_NO_ROWS = AR_FIRST_OWN + 1,
  NOTICE_UNKNOWN = AR_FIRST_OWN + 2,
  NOTICE_INCOMPLETE = AR_FIRST_OWN + 3,
  NOTICE_NO_REPEATS = AR_FIRST_OWN + 4
};
enum {
  TABLE_FINDINGS,
  TABLE_WINNERS,
  TABLE_GAINS,
  TABLE_TABLE,
  TABLE_COVERAGE,
  TABLE_OFF_GRID,
  N_TABLES
};
enum { METRIC_FILLED, METRIC_UNDECIDED, METRIC_CHOICE, METRIC_LOOKUP, N_METRICS };
enum { N_FIGURES = 2 };

typedef struct Options {
  ArOptions of;
  const char *fallback, *min_gain, *shape;
  MillList known, tp, fusions, hidden, tokens;
  bool known_only, require_all;
} Options;

/* Where a cell comes from. */
enum { FROM_MEASURED, FROM_DEFAULT, FROM_UNKNOWN, FROM_KEPT, N_FROM };
enum { N_DECISIONS = AR_NO_REPEATS + 1 };

/* Cells of one tp and fusion by where they come from, and shapes that are none. */
typedef struct Coverage {
  uint64_t from[N_FROM], off_grid;
  bool has_rows;
} Coverage;

/* What is found out about the cells that were measured. */
typedef struct Found {
  uint64_t decided[N_DECISIONS], cells;
  ArCost fallback; /* over the cell's strategy */
  ArCost table;    /* over the fastest */
  ArCost rule;     /* of the library, over the fastest */
} Found;

typedef struct Best {
  const MillStageHost *host;
  const MillHost *common;
  ArInputs in;
  const Options *options;
  ArKnown known;
  ArAxis tp, hidden, tokens;
  MillSym *fusions, from[N_FROM], fallback;
  int64_t fallback_number;
  double min_gain;   /* percent */
  bool beyond_noise; /* a gain has to be */
  ArShape shape;
  /* On the level of the run: */
  int64_t sm;
  ArPoints points;
  ArSpan sorted;
  ArVerdict *verdicts;              /* by shape */
  double decidable, gain_decidable; /* the largest chances that count */
  Found found;
  ArTable won;                /* cells that were measured */
  ArTable table;              /* all cells */
  Coverage *coverage;         /* by place on the axes of tp and fusion */
  uint64_t n_unknown, n_once; /* cells that need repeats to leave the default */
} Best;

extern const MillTable best_tables[N_TABLES];
extern const MillMetric best_metrics[N_METRICS];
extern const MillFigure best_figures[N_FIGURES];
int best_report_run(void *instance);

/* shapes.c: the shapes at which a strategy other than AUTO was measured, in order. */
typedef struct Shape {
  ArSpan section, points;
  ArBest best;
  const ArVerdict *verdict; /* NULL before verdicts are read */
  size_t at, in, n;         /* where to go on */
} Shape;
bool shapes_next(const Best *x, Shape *io); /* { .n = 0 } is before the first */
int shapes_judge(Best *x);
ArDecision shapes_decision(const Best *x, const Shape *s);

/* findings.c */
int findings_report(const Best *x);

/* cells.c: what the cells of the table become; 0, or what report_run returns. */
int cells_choose(Best *x);
Coverage *cells_coverage(const Best *x, int64_t tp, MillSym fusion); /* NULL: not on the axes */

/* lookup.c: what the consumer of the table finds at the shape asked for. */
int lookup_report(const Best *x);

typedef struct FindingRow {
  int64_t position;
  const char *finding;
} FindingRow;

#endif
