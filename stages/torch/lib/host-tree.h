/* How the host's slices nest on their tracks: a compact index of them, 48 bytes each, and 32 while it is made.
 *
 * Slices may come in any order.  A slice lies in the latest one that began no later and has not ended.  One that ends
 * later than that fits if no more than TREE_BLEED_NS of it lie in there, as clocks of two recorders differ: it is then
 * a child of what is around both.  Others, and those deeper than TREE_MAX_DEPTH, are misfits: without parent and
 * children. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_HOST_TREE_H
#define TORCH_LIB_HOST_TREE_H

#include <stagemill/types.h>

#define TREE_NONE UINT32_MAX
enum { TREE_BLEED_NS = 1000, TREE_MAX_DEPTH = 2048 };
enum { TREE_MISFIT = 1 << 0, TREE_BACKWARD = 1 << 1 };

typedef struct TreeNode {
  int64_t start_ns, end_ns;
  int64_t id; /* the owner's: a correlation, an external id */
  uint32_t track;
  uint32_t parent; /* TREE_NONE: a root */
  MillSym name;
  uint32_t args;   /* the owner's */
  uint32_t record; /* the owner's */
  uint8_t kind;    /* the owner's */
  uint8_t flags;
} TreeNode;

typedef struct HostTree { /* { .common = common } is empty */
  const MillHost *common;
  TreeNode *nodes;
  size_t n, capacity;
  uint32_t
      *order; /* each node after its parent, and what is in one node together; by track and start */
  uint64_t n_misfits;
} HostTree;

/* Here and below false means that memory was refused.  Parents are found by host_tree_nest. */
bool host_tree_add(HostTree *, const TreeNode *);
bool host_tree_nest(HostTree *);
/* The innermost node of that kind at a time of a track, its start and end included, or TREE_NONE; after nesting. */
uint32_t host_tree_at(const HostTree *, uint32_t track, int64_t ts_ns, uint8_t kind);
/* The nearest one of that kind above or the node itself; TREE_NONE: there is none. */
uint32_t host_tree_up(const HostTree *, uint32_t node, uint8_t kind);

#endif
