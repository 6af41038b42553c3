/* Tells events what was found of them; see state.h. */
/* SPDX-License-Identifier: MIT */
#include "state.h"

typedef struct Event {
  Tree *t;
  MillBatch *b;
  uint32_t i;
  int status;
} Event;

static void tell(Event *e, int key, MillValue v)
{
  if (e->status >= 0) e->status = e->t->host->set(e->t->host, e->b, e->i, e->t->keys[key], v);
}

static void tell_sym(Event *e, int key, MillSym sym)
{
  if (sym) tell(e, key, mill_sym(sym));
}

static const Record *record_at(const Tree *t, uint32_t node)
{
  uint32_t record = node == TREE_NONE ? TREE_NONE : t->tree.nodes[node].record;
  return record == TREE_NONE ? NULL : &t->sums.records[record];
}

/* What an operator has, but for its row and category. */
static void tell_direct(Event *e, const Record *r)
{
  if (r->kernels == 0) return;
  tell(e, K_DIRECT, mill_int(r->direct_ns));
  tell(e, K_KERNELS, mill_int(r->kernels));
  tell_sym(e, K_MODULE, r->module);
}

int tell_node(Tree *t, MillBatch *b, uint32_t index)
{
  Event event = { t, b, index, 0 }, *e = &event;
  const uint32_t node = (uint32_t)t->next_node++;
  const Record *r = record_at(t, node);
  if (!r || !r->below) return 0;
  tell_direct(e, r);
  if (r->is_model) tell(e, K_MODEL, mill_bool(true));
  if (r->gemm == node + 1) tell(e, K_GEMM, mill_int(node));
  tell(e, K_SUBTREE, mill_int(r->subtree_ns));
  tell_sym(e, K_ROW, r->row);
  tell_sym(e, K_CATEGORY, r->category);
  if (r->is_split) tell(e, K_SPLIT, mill_bool(true));
  return event.status;
}

static void tell_launcher(Event *e, const Work *w)
{
  const HostTree *tree = &e->t->tree;
  const Record *r = record_at(e->t, w->launcher);
  bool has_op = w->launcher != TREE_NONE && tree->nodes[w->launcher].kind == TORCH_OPERATOR;
  if (has_op) {
    tell_sym(e, K_OP, tree->nodes[w->launcher].name);
    if (w->launched_by != LAUNCHED_BY_CAPTURE)
      tell(e, K_OP_START, mill_int(tree->nodes[w->launcher].start_ns));
  }
  if (w->call != TREE_NONE) {
    const TreeNode *call = &tree->nodes[w->call];
    if (!has_op) tell_sym(e, K_CALL, call->name);
    tell(e, K_CALL_START, mill_int(call->start_ns));
    tell(e, K_CALL_DUR, mill_int(call->end_ns - call->start_ns));
  }
  uint32_t node = w->call != TREE_NONE ? w->call : w->launcher;
  if (node != TREE_NONE) tell(e, K_TRACK, mill_int(tree->nodes[node].track));
  if (!r) return;
  tell_sym(e, K_ROW, r->row);
  tell_sym(e, K_CATEGORY, r->by_kernel ? e->t->sums.category_names[w->category] : r->category);
  tell_sym(e, K_LIST, r->list);
  tell_sym(e, K_OUTER, r->outer);
  tell_sym(e, K_OUTER_MODULE, r->module);
  if (r->is_split && w->does != WORK_COMMUNICATION) {
    tell(e, K_PART, mill_int(w->part_ns));
    if (w->is_first) tell(e, K_PART_FIRST, mill_bool(true));
  }
  if (r->gemm && w->does != WORK_COMMUNICATION) tell(e, K_GEMM, mill_int(r->gemm - 1));
}

/* Of the operators within a graph launch that it stands for. */
static void tell_captured(Event *e, const CapturedWork *c)
{
  const Record *own = c->stands ? record_at(e->t, c->launcher) : NULL;
  const Record *model = record_at(e->t, c->model);
  if (own && own->kernels) {
    tell_direct(e, own);
    tell(e, K_SUBTREE, mill_int(own->subtree_ns));
    if (own->is_split) tell(e, K_SPLIT, mill_bool(true));
  }
  if (model) {
    tell_sym(e, K_MODEL_ROW, model->row);
    tell(e, K_MODEL_TIME, mill_int(model->subtree_ns));
  }
}

int tell_work(Tree *t, MillBatch *b, uint32_t index)
{
  Event event = { t, b, index, 0 }, *e = &event;
  const uint32_t number = (uint32_t)t->next_work++;
  const Work *w = &t->works.items[number];
  const CapturedWork *captured = captured_next(&t->captured, number);
  if (w->corrupt) mill_set_dur(&mill_events(b)[index], w->end_ns - w->start_ns);
  tell_sym(e, K_LINK, t->links[w->link]);
  tell_sym(e, K_LAUNCHER, t->launchers[w->launched_by]);
  if (w->step >= 0) tell(e, K_STEP, mill_int(w->step));
  tell_launcher(e, w);
  if (captured) tell_captured(e, captured);
  return event.status;
}
