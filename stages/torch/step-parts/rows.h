/* Rows of the tables of step-parts. */
/* SPDX-License-Identifier: MIT */
#ifndef STEP_PARTS_ROWS_H
#define STEP_PARTS_ROWS_H

#include <stagemill/stage.h>

typedef struct PartRow {
  int64_t rank, step;
  bool is_warmup;
  const char *part, *cause;
  int64_t time_ns;
} PartRow;

typedef struct SpanRow {
  int64_t rank, steps, warmup, span_ns;
  bool is_judged;
  const char *why_not; /* NULL: it is judged */
} SpanRow;

typedef struct CopyRow {
  int64_t rank, step;
  bool is_warmup;
  MillSym copy;
  int64_t exposed_ns, sync_ns;
} CopyRow;

typedef struct StepCollectiveRow {
  int64_t rank, step;
  bool is_warmup;
  const char *collective;
  int64_t wait_ns, transfer_ns, unsplit_ns;
} StepCollectiveRow;

typedef struct ArrivalRow {
  const char *group, *ranks;
  int64_t number;
  const char *name;
  int64_t step;
  int8_t is_warmup;
  int64_t rank, late_ns, last;
} ArrivalRow;

typedef struct GapRow {
  const char *cause;
  MillSym name;
  int64_t gaps, time_ns, longest_ns;
} GapRow;

typedef struct AllocationRow {
  MillText name;
  int64_t calls, time_ns;
} AllocationRow;

#endif
