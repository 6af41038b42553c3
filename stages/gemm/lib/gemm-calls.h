/* The GEMM operators of a lane and the device work below each, as torch/host-tree told of them: 56 bytes a call, and 48 for
 * each piece of work.  Events may come in any order. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_LIB_GEMM_CALLS_H
#define GEMM_LIB_GEMM_CALLS_H

#include <stagemill/types.h>

#include "kit/devices/stream-name.h"
#include "kit/devices/torch-words.h"
#include "kit/trace/tree-attrs.h"

typedef struct GemmPart {
  int64_t gemm; /* TREE_GEMM */
  int64_t start_ns, end_ns;
  uint64_t seq;
  MillSym kernel, stream;
} GemmPart;

typedef struct GemmCall {
  int64_t gemm;
  int64_t time_ns;  /* length of the union of its parts */
  int64_t start_ns; /* of the first of them */
  uint64_t seq;
  size_t first_part;
  uint32_t n_parts;
  MillSym tree_row;
  uint32_t row; /* see gemm-rows.h */
} GemmCall;

typedef struct GemmCalls { /* gemm_calls_open */
  const MillHost *common;
  MillSym gemm, tree_row, subtree, stream;
  TorchWords words;
  GemmCall *calls;
  GemmPart *parts; /* of one call together, by start */
  size_t n, capacity, n_parts, part_capacity;
  uint64_t n_device;  /* device events of any kind */
  uint64_t n_no_work; /* GEMM operators that ran nothing on the device */
} GemmCalls;

void gemm_calls_open(GemmCalls *, const MillHost *);
/* Here and below false means that memory was refused. */
bool gemm_calls_see(GemmCalls *, const MillBatch *, const MillEvent *);
/* At the end of a lane: finds the parts of each call. */
bool gemm_calls_close(GemmCalls *);

/* For a stage's `reads`. */
#define GEMM_CALLS_READS \
  TREE_READ(TREE_GEMM), TREE_READ(TREE_ROW), TREE_READ(TREE_SUBTREE), STREAM_READ

#endif
