/* Nesting of slices; see host-tree.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/interval.h"
#include "torch/lib/host-tree.h"

#include "kit/state/grow.h"
#include "kit/state/search.h"
#include "torch/lib/order.h"

bool host_tree_add(HostTree *t, const TreeNode *node)
{
  if (t->n >= TREE_NONE - 1) {
    (void)mill_fail(t->common, MILL_LIMIT, "there are more than 4 billion slices of the host",
                    "cut the trace (limit)");
    return false;
  }
  if (!array_reserve(t->common, &t->nodes, &t->capacity, t->n + 1, sizeof *t->nodes)) return false;
  t->nodes[t->n++] = *node;
  return true;
}

/* By track and start; of equal starts the longer one is around the other. */
static bool sort_nodes(HostTree *t)
{
  OrderKey *keys = mill_new(t->common, (t->n + 1) * sizeof *keys);
  t->order = mill_new(t->common, (t->n + 1) * sizeof *t->order);
  if (!keys || !t->order) return false;
  for (size_t i = 0; i < t->n; i++) {
    const TreeNode *node = &t->nodes[i];
    keys[i] = (OrderKey){ node->track, node->start_ns, -node->end_ns, (uint32_t)i };
  }
  order_sort(keys, t->n);
  for (size_t i = 0; i < t->n; i++) t->order[i] = keys[i].i;
  array_free(t->common, keys);
  return true;
}

typedef struct Nest {
  HostTree *tree;
  uint32_t top, depth;
} Nest;

static void pop(Nest *s)
{
  s->top = s->tree->nodes[s->top].parent;
  s->depth--;
}

/* False: it does not lie in what is open. */
static bool find_parent(Nest *s, const TreeNode *node)
{
  const TreeNode *nodes = s->tree->nodes;
  while (s->depth && (nodes[s->top].track != node->track || node->start_ns >= nodes[s->top].end_ns))
    pop(s);
  if (s->depth == 0 || node->end_ns <= nodes[s->top].end_ns) return s->depth < TREE_MAX_DEPTH;
  if (s->depth < 2 || interval_span(node->start_ns, nodes[s->top].end_ns) >= TREE_BLEED_NS)
    return false;
  pop(s);
  return true;
}

bool host_tree_nest(HostTree *t)
{
  Nest s = { t, TREE_NONE, 0 };
  if (!sort_nodes(t)) return false;
  for (size_t i = 0; i < t->n; i++) {
    TreeNode *node = &t->nodes[t->order[i]];
    node->parent = TREE_NONE;
    if (!find_parent(&s, node)) {
      node->flags |= TREE_MISFIT;
      t->n_misfits++;
      continue;
    }
    if (s.depth) node->parent = s.top;
    s.top = t->order[i];
    s.depth++;
  }
  return true;
}

static bool begins_by(const TreeNode *node, uint32_t track, int64_t ts_ns)
{
  return node->track < track || (node->track == track && node->start_ns <= ts_ns);
}

/* The last node in order that began on the track at that time or before; n: none did. */
static size_t last_before(const HostTree *t, uint32_t track, int64_t ts_ns)
{
  size_t after = FIRST_NOT(t->n, i, begins_by(&t->nodes[t->order[i]], track, ts_ns));
  return after ? after - 1 : t->n;
}

uint32_t host_tree_at(const HostTree *t, uint32_t track, int64_t ts_ns, uint8_t kind)
{
  size_t at = last_before(t, track, ts_ns);
  if (at == t->n) return TREE_NONE;
  for (uint32_t i = t->order[at]; i != TREE_NONE; i = t->nodes[i].parent) {
    const TreeNode *node = &t->nodes[i];
    if (node->track == track && node->kind == kind && node->end_ns >= ts_ns) return i;
  }
  return TREE_NONE;
}

uint32_t host_tree_up(const HostTree *t, uint32_t node, uint8_t kind)
{
  while (node != TREE_NONE && t->nodes[node].kind != kind) node = t->nodes[node].parent;
  return node;
}
