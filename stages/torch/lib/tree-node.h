/* What the tree of the host knows of an operator, a call or a frame of Python. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_TREE_NODE_H
#define TORCH_LIB_TREE_NODE_H

#include "kit/devices/torch-words.h"
#include "torch/lib/host-tree.h"
#include "torch/lib/tree-args.h"

typedef struct TreeNodes {
  const MillHost *common;
  SymClass names;
  MillSym correlation, external, forward_thread;
  TreeArgs args;
} TreeNodes;

/* Here and below false means that memory was refused.  most: see TreeArgs. */
bool tree_nodes_open(TreeNodes *, const MillHost *, uint32_t most);
/* Its id is the correlation of a call, the External id of an operator; flags: TREE_BACKWARD. */
bool tree_nodes_read(TreeNodes *, const MillBatch *, const MillEvent *, TorchKind, TreeNode *out);

/* For a stage's `reads`. */
#define TREE_NODES_READS                                     \
  { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) },     \
      { "External id", MILL_AS_INT, MILL_KIND(MILL_SLICE) }, \
      { "Fwd thread id", MILL_AS_INT, MILL_KIND(MILL_SLICE) }, TREE_ARGS_READS

#endif
