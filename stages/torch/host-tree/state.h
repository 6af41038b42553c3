/* What the stage host-tree knows of a lane. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_TREE_STATE_H
#define HOST_TREE_STATE_H

#include <stagemill/stage.h>

#include "kit/numbers/moments.h"
#include "kit/devices/torch-words.h"
#include "kit/trace/tree-attrs.h"
#include "captured.h"
#include "steps.h"
#include "sums.h"
#include "torch/lib/tree-node.h"

typedef struct TreeOptions {
  int64_t max_duration_ns, max_args;
  bool python;
} TreeOptions;

enum {
  K_DIRECT,
  K_SUBTREE,
  K_KERNELS,
  K_MODULE,
  K_MODEL,
  K_GEMM,
  K_ROW,
  K_CATEGORY,
  K_STEP,
  K_LINK,
  K_LAUNCHER,
  K_OP,
  K_OP_START,
  K_CALL,
  K_CALL_START,
  K_CALL_DUR,
  K_TRACK,
  K_LIST,
  K_SPLIT,
  K_PART,
  K_PART_FIRST,
  K_MODEL_ROW,
  K_MODEL_TIME,
  K_OUTER,
  K_OUTER_MODULE,
  N_KEYS
};
typedef struct Links { /* sums of durations */
  uint64_t events[N_LINKS][N_LAUNCHERS];
  int64_t time_ns[N_LINKS][N_LAUNCHERS];
} Links;

typedef struct Tree {
  const MillStageHost *host;
  const MillHost *common;
  TreeOptions options;
  TorchWords words;
  SymClass flow_cats;
  MillSym keys[N_KEYS], links[N_LINKS], launchers[N_LAUNCHERS];
  TreeNodes nodes;
  HostTree tree;
  Works works;
  Captured captured;
  Steps steps;
  Sums sums;
  size_t n_nodes;              /* those of the trace; what captures add comes behind them */
  size_t next_node, next_work; /* in the second pass */
  uint64_t n_host;
  Links found;
  int64_t device_ns, unlinked_ns, graph_ns; /* on the run level, of all lanes */
  Moments step_time, step_period;
} Tree;

/* The attributes of the event at that index, which is the next node, or the next work, of the index.  0, or what the
 * host's `set` returned. */
int tell_node(Tree *, MillBatch *, uint32_t index);
int tell_work(Tree *, MillBatch *, uint32_t index);

#endif
