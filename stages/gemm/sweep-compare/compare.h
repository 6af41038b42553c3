/* What the stage sweep-compare knows, and who writes which table. */
/* SPDX-License-Identifier: MIT */
#ifndef SWEEP_COMPARE_COMPARE_H
#define SWEEP_COMPARE_COMPARE_H

#include "lanes.h"
#include "kit/trace/coll-calls.h"
#include "gemm/lib/gemm-rows.h"

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

/* 0, or what the host returned. */
int compare_report_timeline(Compare *);
int compare_report_configs(Compare *);
int compare_report_sides(Compare *);

/* A change in percent of the base; empty where that is not positive or one is not there. */
static inline double change_percent(bool both, double base, double variant)
{
  return both && base > 0 ? 100 * (variant - base) / base : (double)NAN;
}

typedef struct TimelineRow {
  MillSym label;
  int64_t threads, channels, ranks;
  const char *type;
  double mean_ns, geomean_ns, share;
} TimelineRow;

typedef struct ConfigRow {
  MillSym label;
  const char *table;
  int64_t channels, rank;
  MillText key;
  int64_t base, variant, base_ns, variant_ns, diff_ns;
  double change;
  int64_t base_calls, variant_calls;
} ConfigRow;

typedef struct SideRow {
  const char *table, *by;
  int64_t group;
  MillText value;
  double base_ns, new_ns, diff_ns, change;
  int64_t n_base, n_new;
} SideRow;

#endif
