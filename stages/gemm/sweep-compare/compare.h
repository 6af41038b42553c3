/* What the stage sweep-compare knows, and who writes which table. */
#ifndef SWEEP_COMPARE_COMPARE_H
#define SWEEP_COMPARE_COMPARE_H

#include "lanes.h"
#include "lib/coll-calls.h"
#include "lib/gemm-rows.h"

enum { ONE_SIDED = 1, NO_SIDES, DOUBLED };
enum { TABLE_TIMELINE, TABLE_CONFIGS, TABLE_SIDES };

typedef struct Options {
  int64_t top_k;
  bool pair;
} Options;

typedef struct Compare {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  /* Of a lane: */
  MillSym direct;
  TorchWords words;
  DeviceTime device;
  Keyed *ops, *by_collective; /* NameTime */
  Calls collectives;
  GemmCalls calls;
  GemmRows gemms;
  Hists hists;
  LaneFacts facts;
  /* Of the run: */
  Lanes lanes;
} Compare;

int compare_memory(const Compare *);
/* 0, or what the host returned. */
int compare_report_timeline(Compare *);
int compare_report_configs(Compare *);
int compare_report_sides(Compare *);

/* A change in percent of the base; empty where that is not positive or one is not there. */
static inline MillValue change_cell(bool both, double base, double variant)
{
  return both && base > 0 ? mill_real(100 * (variant - base) / base) : mill_none();
}

#endif
