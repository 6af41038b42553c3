/* What the files of this room that read a summary share. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_LOAD_PARTS_H
#define RESULTS_LOAD_PARTS_H

#include "base/json-members.h"
#include "model/error.h"
#include "results/results.h"

typedef struct MetricRead { /* one entry of "metrics" */
  const char *name, *stat, *reason, *unit, *help;
  uint32_t lane, better, definition; /* UINT32_MAX: none */
  MillValue value;
  uint64_t n;
  GString *group; /* see tag-text.h */
  const char *at;
} MetricRead;

typedef struct FigureRead { /* one entry of "figures" */
  MillFigure figure;
  const char *name, *table;           /* as in the results */
  const char *declared, *of_declared; /* name and table in the stage; NULL: those above */
  const char *at;
} FigureRead;

typedef struct Load {
  Results *results;
  const char *folder; /* of the summary; NULL: it is no file */
  Error *fault;       /* in a file that the summary names */
  const char *program, *version, *profile, *title, *start, *verdict, *no_findings;
  uint64_t n_inputs, n_events; /* UINT64_MAX: unknown */
  GString *tags, *views;       /* with commas; NULL: unknown */
  GString *left_out;           /* lines of "FACT INPUTS OF STAGE,STAGE"; NULL: unknown */
  GArray *offsets;             /* uint64_t: of lanes, UINT64_MAX: none */
  GPtrArray *definitions;      /* MillMetric * */
  GArray *metrics;             /* MetricRead */
  GArray *figures;             /* FigureRead */
  GHashTable *tables;          /* names of the tables read so far */
} Load;

static inline Load *load_of(const JsonIn *in) { return in->context; }

/* Each reads the list of its name. */
bool load_lanes(JsonIn *in, void *load);
bool load_left_out(JsonIn *in, void *load);
bool load_definitions(JsonIn *in, void *load);
bool load_metrics(JsonIn *in, void *load);
bool load_tables(JsonIn *in, void *load);
bool load_figures(JsonIn *in, void *load);
bool load_notices(JsonIn *in, void *load);
bool load_findings(JsonIn *in, void *load);
/* After the whole document is read: links parts of it to others, and adds them to the results. */
bool load_finish_lanes(JsonIn *in);
bool load_finish_metrics(JsonIn *in);
bool load_finish_figures(JsonIn *in);

#endif
