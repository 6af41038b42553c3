/* What a device allows at each intensity: a line up to the ridge, level beyond it, for each kind of numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef STAGE_OP_PERF_ROOFS_H
#define STAGE_OP_PERF_ROOFS_H

#include <stagemill/stage.h>

#include "kit/devices/arch.h"

typedef struct Roof { /* over the intensities that operators of that spec have */
  char spec[SPEC_BYTES];
  double tflops, least, most; /* operations for a byte */
} Roof;

typedef struct Roofs {
  Roof roofs[MAX_PEAKS];
  uint32_t n;
} Roofs;

/* An operator of that spec; nothing where the device, its peak or the intensity is not known. */
void roofs_add(Roofs *, const Arch *, const char *spec, double flop_per_byte);
/* Rows of a table of RoofRow: three for each, by its name. */
int roofs_report(const Roofs *, const Arch *, const MillStageHost *, uint32_t table);

typedef struct RoofRow {
  const char *roof;
  double flop_per_byte, tflops;
} RoofRow;

#define ROOFS_COLUMNS                                                                    \
  MILL_KEY(RoofRow, roof, "roof", NULL, "Units and number type of the computation"),     \
      MILL_KEY(RoofRow, flop_per_byte, "flop_per_byte", "count", "Operations per byte"), \
      MILL_COLUMN(RoofRow, tflops, "tflops", "count", 0, "10^12 operations a second, at most")

#endif
