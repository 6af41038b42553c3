/* Nodes of the host's tree; see tree-node.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/tree-node.h"

#include <string.h>

#include "kit/numbers/interval.h"
#include "kit/text/symbol.h"

bool tree_nodes_open(TreeNodes *t, const MillHost *common, uint32_t most)
{
  *t = (TreeNodes){ .common = common };
  t->correlation = symbol_of(common, "correlation");
  t->external = symbol_of(common, "External id");
  t->forward_thread = symbol_of(common, "Fwd thread id");
  return tree_args_open(&t->args, common, most);
}

static bool says_backward(const char *name, size_t len)
{
  static const char prefix[] = "autograd::engine::evaluate_function: ";
  (void)len;
  return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

static bool runs_backward(TreeNodes *t, const MillBatch *b, const MillEvent *e)
{
  int64_t thread;
  return symclass_is(t->common, &t->names, e->name, says_backward) ||
         (mill_attr_int(b, e, t->forward_thread, &thread) && thread > 0);
}

bool tree_nodes_read(TreeNodes *t, const MillBatch *b, const MillEvent *e, TorchKind kind,
                     TreeNode *out)
{
  *out = (TreeNode){ .start_ns = e->ts_ns,
                     .end_ns = interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0),
                     .track = e->track,
                     .name = e->name,
                     .kind = (uint8_t)kind };
  if (kind == TORCH_CALL) (void)mill_attr_int(b, e, t->correlation, &out->id);
  if (kind != TORCH_OPERATOR) return true;
  (void)mill_attr_int(b, e, t->external, &out->id);
  if (runs_backward(t, b, e)) out->flags = TREE_BACKWARD;
  return tree_args_read(&t->args, b, e, &out->args);
}
