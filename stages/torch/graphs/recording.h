/* What is read of the trace of a capture: its calls that launched nothing, and the operators around them. */
/* SPDX-License-Identifier: MIT */
#ifndef GRAPHS_RECORDING_H
#define GRAPHS_RECORDING_H

#include <stagemill/stage.h>

#include "captures.h"
#include "kit/state/pairmap.h"
#include "torch/lib/order.h"
#include "torch/lib/tree-node.h"

typedef struct RecordedCall {
  uint32_t node; /* of the tree */
  uint8_t role;
  MillSym key;      /* of a launch */
  int64_t external; /* id of its operator; 0: none */
  int64_t graph, graph_node;
} RecordedCall;

typedef struct Recording {
  const MillHost *common;
  TorchWords words;
  TreeNodes nodes;
  HostTree tree;
  SymClass roles, frames;
  MillSym kernel, graph, graph_node;
  RecordedCall *calls;
  size_t n, capacity;
  PairMap ran; /* correlations of device work */
  OrderKey *operators; /* by External id */
  size_t n_operators;
  uint32_t *stack; /* nodes of operators around a launch, innermost first */
  size_t stack_capacity;
  Buffer text, calls_text, module;
} Recording;

/* Here and below false means that memory was refused. */
bool recording_open(Recording *, const MillHost *);
bool recording_see(Recording *, const MillBatch *, const MillEvent *);
/* Adds its captures; the file is a name for people. */
bool recording_close(Recording *, const char *file, int64_t rank, Captures *out);

/* For a stage's `reads`. */
#define RECORDING_READS                               \
  TREE_NODES_READS,                                   \
  { "kernel", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },   \
  { "graph id", MILL_AS_INT, MILL_KIND(MILL_SLICE) }, \
  { "graph node id", MILL_AS_INT, MILL_KIND(MILL_SLICE) }

#endif
