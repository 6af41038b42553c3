/* Device work, and which call launched it: 80 bytes each, and 32 for each call, and each end of a flow. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_TREE_WORKS_H
#define HOST_TREE_WORKS_H

#include <stagemill/types.h>

#include "torch/lib/host-tree.h"
#include "torch/lib/order.h"
#include "kit/devices/torch-words.h"

typedef enum WorkLink { LINK_CORRELATION, LINK_FLOW, LINK_EXTERNAL, LINK_NONE, N_LINKS } WorkLink;
typedef enum WorkLauncher {
  LAUNCHED_BY_OPERATOR,
  LAUNCHED_BY_CALL,
  LAUNCHED_BY_GRAPH,
  LAUNCHED_BY_CAPTURE, /* an operator within a graph launch */
  LAUNCHED_BY_NONE,
  N_LAUNCHERS
} WorkLauncher;

typedef struct Work {
  int64_t start_ns, end_ns;
  int64_t correlation, external; /* 0: none */
  int64_t step;                  /* -1: in none */
  uint32_t track;
  MillSym name;
  uint32_t call;     /* TREE_NONE: not known */
  uint32_t launcher; /* the operator above the call, else the call; TREE_NONE: neither is known */
  uint8_t does;      /* TorchWork */
  uint8_t link, launched_by;
  bool corrupt;     /* its duration was cut */
  uint8_t category; /* KernelCategory, where its launcher may do anything */
  bool is_first;    /* of its launcher's in that category */
  int64_t part_ns;  /* of its launcher's direct time */
} Work;

typedef struct FlowEnd {
  int64_t id, ts_ns;
  MillSym cat;
  uint32_t track;
} FlowEnd;

typedef struct FlowEnds {
  FlowEnd *items;
  size_t n, capacity;
} FlowEnds;

typedef struct Works {
  const MillHost *common;
  Work *items;
  size_t n, capacity;
  FlowEnds starts, ends;
  uint64_t n_corrupt;
  int64_t longest_ns; /* of corrupt ones, as it was */
} Works;

/* Here and below false means that memory was refused.  A negative duration, or one beyond max_ns, is corrupt. */
bool works_add(Works *, const Work *, int64_t dur_ns, int64_t max_ns);
bool works_add_flow(const MillHost *, FlowEnds *, const FlowEnd *);
/* What is corrupt ends when the next work of its stream begins, else at once. */
bool works_cut(Works *);
/* Finds calls and launchers; the tree is nested. */
bool works_link(Works *, const HostTree *);
/* Works that are there again, equal in all but their place in the file; `sorted`: by launcher, start and end. */
size_t works_twice(const Works *, const OrderKey *sorted);

#endif
