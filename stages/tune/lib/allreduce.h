/* What the stages of family tune take in: records of measured times (allreduce.row) and of lookup tables
 * (allreduce.cell), by lane; and the options that they share. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_H
#define TUNE_LIB_ALLREDUCE_H

#include <math.h>

#include "kit/declare/rows.h"
#include "tune/lib/allreduce-points.h"
#include "tune/lib/allreduce-table.h"

#define AR_NO_SM MILL_NO_INT /* nobody said */

typedef struct ArOptions {
  int64_t sm_version;     /* 0: the only one found */
  const char *op, *dtype; /* dtype "": any */
  int64_t repeat;
} ArOptions;

#define AR_SM_OPTION(S, field)                                                       \
  MILL_INT_OPTION(S, field.sm_version, "sm-version", "0", "0:", NULL,                \
                  "Kind of GPUs of the times or tables (90, 100); 0: the only kind " \
                  "found")
#define AR_OP_OPTION(S, field)                                                       \
  MILL_STRING_OPTION(S, field.op, "op", "allreduce",                                 \
                     "Operation of the rows to use: allreduce or gemm_allreduce; a " \
                     "file without the column has only allreduce")
#define AR_DTYPE_OPTION(S, field)                                                     \
  MILL_STRING_OPTION(S, field.dtype, "dtype", "",                                     \
                     "Type of elements of the rows to use, such as bfloat16; empty: " \
                     "all rows, which must have one type")
#define AR_REPEAT_OPTION(S, field)                                 \
  MILL_CHOICE_OPTION(S, field.repeat, "repeat", "min", AR_REPEATS, \
                     "Value to use of several rows of a strategy at a shape")

#define AR_READS                                                                            \
  RECORD_INT("tp"), RECORD_TEXT("fusion"), RECORD_TEXT("strategy"), RECORD_INT("tokens"),   \
      RECORD_INT("hidden"), RECORD_INT("bytes"), RECORD_TEXT("op"), RECORD_REAL("time_us"), \
      RECORD_INT("number"), RECORD_TEXT("source"), RECORD_REAL("margin"), RECORD_TEXT("dtype")

/* Notices of every stage that takes in rows; its own begin after them. */
enum { AR_NOTHING = 1, AR_SEVERAL_SM = 2, AR_OTHER_OP = 3, AR_OTHER_TYPE = 4, AR_FIRST_OWN = 10 };
#define AR_BENCHMARK                                                                            \
  "mpirun -n 2 python tests/microbenchmarks/all_reduce.py --explore_2d --save_csv "             \
  "data/benchmark.tp2.sm90.csv in a copy of TensorRT-LLM measures two GPUs of sm 90; the same " \
  "with 4 and 8"
#define AR_NOTICES                                                                      \
  MILL_ERROR(AR_NOTHING,                                                                \
             "the inputs lack the measured times or the lookup table that"              \
             " the stage needs",                                                        \
             AR_BENCHMARK,                                                              \
             "A stage needs measured times, or a lookup table, with the given label, "  \
             "kind of GPUs and operation. No input has any; the message names what "    \
             "was found instead. stagemill reads measurements, and does not make "      \
             "them."),                                                                  \
      MILL_ERROR(AR_SEVERAL_SM, "the inputs are of several kinds of GPUs",              \
                 "choose one with the option sm-version",                               \
                 "The kind of GPUs is the number after sm in the name of a file, "      \
                 "benchmark.tp8.sm90.csv. A table is for one kind, and only times of "  \
                 "one kind can be compared."),                                          \
      MILL_INFO(AR_OTHER_OP, "{count} row[|s] of {lane} [is|are] of another operation", \
                "[it is|they are] left out", "the option op chooses the rows",          \
                "The column op separates plain all-reduces from those at the end of a"  \
                " matrix product. Their times are not comparable, so only one kind is"  \
                " used."),                                                              \
      MILL_INFO(AR_OTHER_TYPE, "{count} row[|s] of {lane} [is|are] of another dtype",   \
                "[it is|they are] left out", "the option dtype chooses the rows",       \
                "Times of two types of elements are not comparable, and a table has "   \
                "no type: the option dtype chooses one.")

enum {
  AR_KEY_TP,
  AR_KEY_FUSION,
  AR_KEY_STRATEGY,
  AR_KEY_TOKENS,
  AR_KEY_HIDDEN,
  AR_KEY_BYTES,
  AR_KEY_OP,
  AR_KEY_TIME,
  AR_KEY_NUMBER,
  AR_KEY_SOURCE,
  AR_KEY_MARGIN,
  AR_KEY_TYPE,
  AR_N_KEYS
};

typedef struct ArLane {
  int64_t sm;
  MillSym label;
  MillSym type, other_type; /* of the elements; of another row; 0: none */
  ArPoints points;
  ArTable table;
} ArLane;

typedef struct ArInputs {
  const MillStageHost *host;
  const MillHost *common;
  ArOptions options;
  MillSym row, cell, keys[AR_N_KEYS], op, type, auto_strategy; /* type 0: any */
  bool keeps_spread;
  ArLane *lanes; /* on the level of a lane: one */
  size_t n, capacity;
} ArInputs;

/* 0, or what the call of the stage returns. */
int ar_open(ArInputs *in, const MillStageHost *host, uint32_t level, const ArOptions *options);
/* Before the first row: repeats will say what is noise. */
void ar_keep_spread(ArInputs *in);
int ar_process(ArInputs *in, const MillBatch *b);
int ar_save(ArInputs *in);
int ar_merge(ArInputs *in);
/* take_rows, save_result and merge_result of a stage, whose instance has them as `in`. */
#define AR_CALLS(T)                                                                \
  static int take_rows(void *instance, MillBatch *b)                               \
  {                                                                                \
    return ar_process(&((T *)instance)->in, b);                                    \
  }                                                                                \
  static int save_result(void *instance) { return ar_save(&((T *)instance)->in); } \
  static int merge_result(void *instance) { return ar_merge(&((T *)instance)->in); }

/* What was measured in the lanes of that label (NULL: of any) on the GPUs asked for.  Fails with MILL_BAD_INPUT where
 * there is nothing, or where there are several kinds of GPUs and none was chosen. */
int ar_pick_points(ArInputs *in, const char *label, ArPoints *out, int64_t *out_sm);
/* NULL: any label will do. */
bool ar_is_labelled(const ArInputs *in, const ArLane *lane, const char *label);
bool ar_has_points(const ArInputs *in);
bool ar_has_tables(const ArInputs *in);
/* The same of tables; *out_sm as chosen.  The table is sorted. */
int ar_pick_table(ArInputs *in, const char *label, ArTable *out, int64_t *out_sm);

/* One colour a strategy, in every figure. */
#define AR_COLORS                                                                  \
  "NCCL=#0072b2,ONESHOT=#e69f00,TWOSHOT=#009e73,AUTO=#999999,MIN_LATENCY=#cc79a7," \
  "UB=#56b4e9,LOWPRECISION=#d55e00,MNNVL=#f0e442,NCCL_SYMMETRIC=#5e4fa2,SYMM_MEM=#8c510a"

#endif
