/* Device work and its calls; see works.h. */
/* SPDX-License-Identifier: MIT */
#include "works.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/numbers/interval.h"

bool works_add(Works *w, const Work *work, int64_t dur_ns, int64_t max_ns)
{
  if (w->n >= UINT32_MAX) {
    (void)mill_fail(w->common, MILL_LIMIT, "there are more than 4 billion pieces of device work",
                    "cut the trace (limit)");
    return false;
  }
  if (!array_reserve(w->common, &w->items, &w->capacity, w->n + 1, sizeof *w->items)) return false;
  Work *at = &w->items[w->n++];
  *at = *work;
  at->corrupt = dur_ns < 0 || dur_ns > max_ns;
  at->end_ns = at->corrupt ? at->start_ns : interval_end(at->start_ns, dur_ns);
  if (!at->corrupt) return true;
  w->n_corrupt++;
  if (dur_ns > w->longest_ns) w->longest_ns = dur_ns;
  return true;
}

bool works_add_flow(const MillHost *common, FlowEnds *f, const FlowEnd *end)
{
  if (!array_reserve(common, &f->items, &f->capacity, f->n + 1, sizeof *f->items)) return false;
  f->items[f->n++] = *end;
  return true;
}

static bool same_place(const OrderKey *a, const OrderKey *b)
{
  return a->a == b->a && a->b == b->b;
}

/* Of several that begin at once none has time before the next, in whichever order they are in the file. */
bool works_cut(Works *w)
{
  if (w->n_corrupt == 0) return true;
  OrderKey *keys = mill_new(w->common, w->n * sizeof *keys);
  if (!keys) return false;
  for (size_t i = 0; i < w->n; i++)
    keys[i] = (OrderKey){ w->items[i].track, w->items[i].start_ns, 0, (uint32_t)i };
  order_sort(keys, w->n);
  for (size_t i = 0; i + 1 < w->n; i++) {
    Work *work = &w->items[keys[i].i];
    if (!work->corrupt || (i > 0 && same_place(&keys[i - 1], &keys[i]))) continue;
    if (keys[i + 1].a == keys[i].a)
      work->end_ns = interval_end(work->start_ns, interval_span(work->start_ns, keys[i + 1].b));
  }
  array_free(w->common, keys);
  return true;
}

/* ---- works that are there again */

#define MOST_AT_ONCE 64u /* of one launcher, start and end: a device does not begin more at once */

static bool is_equal(const Work *a, const Work *b)
{
  return a->track == b->track && a->name == b->name && a->correlation == b->correlation;
}

static bool same_time(const OrderKey *a, const OrderKey *b)
{
  return a->a == b->a && a->b == b->b && a->c == b->c;
}

/* What takes no time may well come twice, and changes no sum. */
size_t works_twice(const Works *w, const OrderKey *sorted)
{
  size_t n = 0;
  for (size_t i = 1; i < w->n; i++) {
    const Work *work = &w->items[sorted[i].i];
    bool found = false;
    if (work->end_ns == work->start_ns) continue;
    for (size_t k = i; !found && k > 0 && i - k < MOST_AT_ONCE; k--) {
      if (!same_time(&sorted[i], &sorted[k - 1])) break;
      found = is_equal(work, &w->items[sorted[k - 1].i]);
    }
    n += found;
  }
  return n;
}

/* ---- calls by their ids */

typedef struct Finder {
  const HostTree *tree;
  Works *works;
  OrderKey *calls, *operators; /* by id; of one id, the innermost last */
  OrderKey *starts, *ends;     /* of flows: by id, by place */
  size_t n_calls, n_operators;
} Finder;

static bool sort_ids(const MillHost *common, const HostTree *tree, uint8_t kind, OrderKey **out,
                     size_t *out_n)
{
  size_t n = 0;
  *out = mill_new(common, (tree->n + 1) * sizeof **out);
  if (!*out) return false;
  for (size_t i = 0; i < tree->n; i++) {
    const TreeNode *node = &tree->nodes[i];
    if (node->kind == kind && node->id > 0)
      (*out)[n++] = (OrderKey){ node->id, node->start_ns, -node->end_ns, (uint32_t)i };
  }
  order_sort(*out, n);
  *out_n = n;
  return true;
}

/* The last of those with the id. */
static uint32_t innermost(const OrderKey *keys, size_t n, int64_t id)
{
  size_t at = id == INT64_MAX ? n : order_find(keys, n, id + 1, INT64_MIN);
  return at > 0 && keys[at - 1].a == id ? keys[at - 1].i : TREE_NONE;
}

static uint32_t first_of(const OrderKey *keys, size_t n, int64_t id)
{
  size_t at = order_find(keys, n, id, INT64_MIN);
  return at < n && keys[at].a == id ? keys[at].i : TREE_NONE;
}

/* ---- flows */

static bool sort_flows(const MillHost *common, const FlowEnds *f, bool by_place, OrderKey **out)
{
  *out = mill_new(common, (f->n + 1) * sizeof **out);
  if (!*out) return false;
  for (size_t i = 0; i < f->n; i++) {
    const FlowEnd *end = &f->items[i];
    (*out)[i] = by_place ? (OrderKey){ end->track, end->ts_ns, 0, (uint32_t)i }
                         : (OrderKey){ end->id, end->cat, 0, (uint32_t)i };
  }
  order_sort(*out, f->n);
  return true;
}

static uint32_t call_of_flow(const Finder *f, const FlowEnd *end)
{
  const FlowEnds *starts = &f->works->starts;
  size_t at = order_find(f->starts, starts->n, end->id, end->cat);
  if (at == starts->n || f->starts[at].a != end->id || f->starts[at].b != end->cat)
    return TREE_NONE;
  const FlowEnd *start = &starts->items[f->starts[at].i];
  return host_tree_at(f->tree, start->track, start->ts_ns, TORCH_CALL);
}

/* Through any of the flows that end where the work begins. */
static uint32_t call_by_flow(const Finder *f, const Work *work)
{
  const FlowEnds *ends = &f->works->ends;
  size_t at = order_find(f->ends, ends->n, work->track, work->start_ns);
  for (; at < ends->n && f->ends[at].a == work->track && f->ends[at].b == work->start_ns; at++) {
    uint32_t call = call_of_flow(f, &ends->items[f->ends[at].i]);
    if (call != TREE_NONE) return call;
  }
  return TREE_NONE;
}

/* ---- launchers */

/* An operator that only runs others, as TorchScript's interpreter does, is passed by. */
static uint32_t operator_above(const Finder *f, uint32_t node)
{
  const HostTree *t = f->tree;
  for (node = host_tree_up(t, node, TORCH_OPERATOR); node != TREE_NONE;
       node = host_tree_up(t, t->nodes[node].parent, TORCH_OPERATOR)) {
    size_t len;
    if (strcmp(t->common->symbol_text(t->common, t->nodes[node].name, &len), "execute") != 0) break;
  }
  return node;
}

static void find_launcher(const Finder *f, Work *work)
{
  const HostTree *t = f->tree;
  size_t len;
  uint32_t above = operator_above(f, work->link == LINK_EXTERNAL ? work->launcher : work->call);
  work->launcher = above != TREE_NONE ? above : work->call;
  work->launched_by = above != TREE_NONE        ? LAUNCHED_BY_OPERATOR
                      : work->call != TREE_NONE ? LAUNCHED_BY_CALL
                                                : LAUNCHED_BY_NONE;
  if (work->call == TREE_NONE) return;
  const char *name = t->common->symbol_text(t->common, t->nodes[work->call].name, &len);
  if (torch_is_graph_call(name, len)) work->launched_by = LAUNCHED_BY_GRAPH;
}

static void find_call(const Finder *f, Work *work)
{
  work->link = LINK_CORRELATION;
  work->call =
      work->correlation > 0 ? innermost(f->calls, f->n_calls, work->correlation) : TREE_NONE;
  work->launcher = TREE_NONE;
  if (work->call == TREE_NONE) {
    work->link = LINK_FLOW;
    work->call = call_by_flow(f, work);
  }
  if (work->call == TREE_NONE) {
    work->link = LINK_EXTERNAL;
    if (work->external > 0) work->launcher = first_of(f->operators, f->n_operators, work->external);
    if (work->launcher == TREE_NONE) work->link = LINK_NONE;
  }
  find_launcher(f, work);
}

bool works_link(Works *w, const HostTree *tree)
{
  Finder f = { .tree = tree, .works = w };
  bool fits = sort_ids(w->common, tree, TORCH_CALL, &f.calls, &f.n_calls) &&
              sort_ids(w->common, tree, TORCH_OPERATOR, &f.operators, &f.n_operators) &&
              sort_flows(w->common, &w->starts, false, &f.starts) &&
              sort_flows(w->common, &w->ends, true, &f.ends);
  for (size_t i = 0; i < w->n && fits; i++) find_call(&f, &w->items[i]);
  array_free(w->common, f.calls);
  array_free(w->common, f.operators);
  array_free(w->common, f.starts);
  array_free(w->common, f.ends);
  return fits;
}
