/* Operators within graph launches, as torch/graphs found them in captures: for each replay they become nodes of the tree, on a
 * track of their own, with places in the order of the capture for times.  Events come without them, so that their first work
 * stands for them. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_TREE_CAPTURED_H
#define HOST_TREE_CAPTURED_H

#include "sums.h"

typedef struct CapturedWork {
  int64_t replay, position;
  MillSym stack, calls; /* see GRAPH_STACK, GRAPH_CALLS */
  uint32_t work;
  uint32_t launcher; /* node of the innermost operator; TREE_NONE: there is none */
  uint32_t model;    /* node of the modelled operator that it stands for; TREE_NONE: for none */
  bool stands;       /* for its launcher */
} CapturedWork;

typedef struct CapturedCall { /* an operator that is open while nodes are made */
  int64_t call;
  uint32_t node;
} CapturedCall;

typedef struct Captured {
  const MillHost *common;
  MillSym replay, position, stack, calls; /* keys */
  CapturedWork *items;                    /* in the order of works */
  size_t n, capacity;
  size_t first_node; /* nodes of the tree from here on are captured */
  CapturedCall *open;
  size_t depth, n_open;
  int64_t place;
  Buffer text;
  size_t next; /* in the second pass */
} Captured;

void captured_open(Captured *, const MillHost *);
/* Device work that will have that number.  Here and below false means that memory was refused. */
bool captured_see(Captured *, const MillBatch *, const MillEvent *, uint32_t work);
/* Adds the nodes; before nesting. */
bool captured_plant(Captured *, HostTree *, TreeArgs *);
/* Gives works the operators that launched them. */
void captured_link(const Captured *, Works *);
/* Which works stand for operators, once there are sums. */
bool captured_stand(Captured *, const HostTree *, const Sums *);
/* What is known of a work, asked in their order; NULL: nothing. */
const CapturedWork *captured_next(Captured *, uint32_t work);

/* For a stage's `reads`. */
#define GRAPH_READS \
  TREE_READ(GRAPH_REPLAY), TREE_READ(GRAPH_POSITION), TREE_READ(GRAPH_STACK), TREE_READ(GRAPH_CALLS)

#endif
