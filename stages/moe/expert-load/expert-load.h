/* What the files of expert-load share. */
/* SPDX-License-Identifier: MIT */
#ifndef EXPERT_LOAD_H
#define EXPERT_LOAD_H

#include <glib.h>

#include "balance.h"
#include "layers.h"
#include "placement.h"

enum { NOTICE_NOTHING = 1, NOTICE_CUT = 2, NOTICE_NO_TOKENS = 3, NOTICE_NOT_PLACED = 4 };
enum { TABLE_LOAD, TABLE_BALANCE, TABLE_GPU_LOAD, TABLE_GPU_BALANCE, N_TABLES };
enum { N_FIGURES = 2 };
enum { METRIC_BALANCE, METRIC_WORST, METRIC_MAX_MEAN, METRIC_ASSIGNMENT, N_METRICS };

typedef struct Options {
  MillList by;
  const char *placement;
  int64_t warmup_tokens;
} Options;

/* The row at hand, which may come in parts. */
typedef struct Row {
  bool is_open;
  uint64_t id;
  Layer *layer;  /* NULL: it is left out */
  int part;      /* PART_DECODE or PART_WARMUP */
  uint32_t n;    /* experts so far */
  double mean;   /* of their loads */
  double spread; /* sum of squared distances from it */
} Row;

typedef struct ExpertLoad {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  Placement placement;
  bool not_moe; /* a card says so, of some lane */
  MillSym record, layer, tokens, load;
  Layers layers;
  Row row;
} ExpertLoad;

extern const MillTable expert_load_tables[N_TABLES];
extern const MillFigure expert_load_figures[N_FIGURES];
int expert_load_report_run(void *instance);

/* The original's object from totals by expert. */
GString *expert_load_object(const double *totals, const Balance *b, int64_t steps);

#endif
