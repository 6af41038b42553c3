/* Tests of lib/host-tree: what lies in what. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/host-tree.h"

#include <stagemill/harness.h>

#include "check.h"

static HostTree made(const TreeNode *nodes, size_t n)
{
  HostTree t = { .common = harness_host()->common };
  for (size_t i = 0; i < n; i++) CHECK(host_tree_add(&t, &nodes[i]));
  CHECK(host_tree_nest(&t));
  return t;
}
#define MADE(nodes) made(nodes, sizeof(nodes) / sizeof *(nodes))
#define NODE(start, end, ...)                         \
  {                                                   \
    .start_ns = (start), .end_ns = (end), __VA_ARGS__ \
  }

/* 0..100 has 10..50, which has 20..30 and 30..50; 60..100 ends with its parent; 100..120 is a root.  Given
 * inside out. */
static void slices_lie_in_slices(void)
{
  const TreeNode nodes[] = { NODE(30, 50), NODE(20, 30),  NODE(100, 120),
                             NODE(10, 50), NODE(60, 100), NODE(0, 100) };
  HostTree t = MADE(nodes);
  const uint32_t parents[] = { 3, 3, TREE_NONE, 5, 5, TREE_NONE };
  for (int i = 0; i < 6; i++) CHECK_INT(t.nodes[i].parent, parents[i]);
  const uint32_t order[] = { 5, 3, 1, 0, 4, 2 };
  for (int i = 0; i < 6; i++) CHECK_INT(t.order[i], order[i]);
  CHECK_INT(t.n_misfits, 0);
}

static void tracks_are_apart(void)
{
  const TreeNode nodes[] = { NODE(0, 100, .track = 1), NODE(10, 20, .track = 2),
                             NODE(30, 40, .track = 1) };
  HostTree t = MADE(nodes);
  CHECK_INT(t.nodes[1].parent, TREE_NONE);
  CHECK_INT(t.nodes[2].parent, 0);
}

/* Of equal starts the longer one is the outer; equal slices: the first given is. */
static void equal_starts(void)
{
  const TreeNode nodes[] = { NODE(0, 10), NODE(0, 20), NODE(0, 20) };
  HostTree t = MADE(nodes);
  CHECK_INT(t.nodes[1].parent, TREE_NONE);
  CHECK_INT(t.nodes[2].parent, 1);
  CHECK_INT(t.nodes[0].parent, 2);
}

/* In 0..100000, the second begins 999 ns before the first ends: a sibling.  At 1000 ns it is none. */
static void clocks_that_differ_a_little(void)
{
  const TreeNode near[] = { NODE(0, 100000), NODE(10000, 20000), NODE(19001, 30000),
                            NODE(20000, 21000) };
  HostTree t = MADE(near);
  CHECK_INT(t.nodes[2].parent, 0);
  CHECK_INT(t.nodes[3].parent, 2);
  CHECK_INT(t.n_misfits, 0);
  const TreeNode far[] = { NODE(0, 100000), NODE(10000, 20000), NODE(19000, 30000),
                           NODE(20000, 21000) };
  t = MADE(far);
  CHECK_INT(t.nodes[2].parent, TREE_NONE);
  CHECK_INT(t.nodes[2].flags, TREE_MISFIT);
  CHECK_INT(t.nodes[3].parent, 0);
  CHECK_INT(t.n_misfits, 1);
}

static void what_is_at_a_time(void)
{
  const TreeNode nodes[] = { NODE(0, 100, .kind = 1), NODE(10, 50, .kind = 2),
                             NODE(20, 30, .kind = 1), NODE(200, 210, .kind = 2) };
  HostTree t = MADE(nodes);
  CHECK_INT(host_tree_at(&t, 0, 25, 2), 1);
  CHECK_INT(host_tree_at(&t, 0, 10, 2), 1);
  CHECK_INT(host_tree_at(&t, 0, 50, 2), 1);
  CHECK_INT(host_tree_at(&t, 0, 51, 2), TREE_NONE);
  CHECK_INT(host_tree_at(&t, 0, 51, 1), 0);
  CHECK_INT(host_tree_at(&t, 0, -1, 1), TREE_NONE);
  CHECK_INT(host_tree_at(&t, 1, 25, 2), TREE_NONE);
  CHECK_INT(host_tree_up(&t, 2, 2), 1);
  CHECK_INT(host_tree_up(&t, 0, 2), TREE_NONE);
}

/* One more than is allowed lies in each other: the innermost is a misfit. */
static void depth_is_bounded(void)
{
  HostTree t = { .common = harness_host()->common };
  for (int i = 0; i <= TREE_MAX_DEPTH; i++) {
    const TreeNode node = NODE(i, 100000 - i);
    CHECK(host_tree_add(&t, &node));
  }
  CHECK(host_tree_nest(&t));
  CHECK_INT(t.n_misfits, 1);
  CHECK_INT(t.nodes[TREE_MAX_DEPTH].parent, TREE_NONE);
  CHECK_INT(t.nodes[TREE_MAX_DEPTH - 1].parent, TREE_MAX_DEPTH - 2);
}

TEST_MAIN({ "slices lie in slices", slices_lie_in_slices },
          { "tracks are apart", tracks_are_apart }, { "equal starts", equal_starts },
          { "clocks that differ a little", clocks_that_differ_a_little },
          { "what is at a time", what_is_at_a_time }, { "depth is bounded", depth_is_bounded })
