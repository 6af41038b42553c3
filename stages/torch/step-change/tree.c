/* The tree of what the steps of both sides are made of: step, part, class, operator, kernel; see why.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"
#include "why.h"

typedef struct OpClass { /* the class that most of an operator's time has */
  MillText class;
  double time_ns;
} OpClass;

/* ---- leaves */

static int compare_texts(MillText a, MillText b)
{
  const size_t len = a.len < b.len ? a.len : b.len;
  const int order = len ? memcmp(a.text, b.text, len) : 0;
  return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_to(const Node *a, const Node *b, int level)
{
  int order = 0;
  for (int i = LEVEL_PART; i <= level && !order; i++)
    order = compare_texts(a->names[i], b->names[i]);
  return order;
}

static int compare_leaves(const void *a, const void *b) { return compare_to(a, b, LEVEL_KERNEL); }

static void read_key(Node *node, const char *key, size_t len)
{
  const char *at = key, *end = key + len;
  const Field cause = fields_next(&at, end);
  const int number = cause.len == 2 ? (cause.text[0] - '0') * 10 + cause.text[1] - '0' : 0;
  const char *part = part_names[cause_part((Cause)number)];
  node->level = LEVEL_KERNEL;
  node->names[LEVEL_PART] = (MillText){ part, strlen(part) };
  for (int i = LEVEL_CLASS; i < N_LEVELS; i++) node->names[i] = fields_next(&at, end);
  node->above = (MillText){ at, (size_t)(end - at) };
  (void)fields_next(&at, end);
  node->outer = fields_next(&at, end);
}

static bool add_run(const Why *w, Tree *t, Keyed *places, size_t run)
{
  const Keyed *shares = w->runs[run]->shares;
  const KeyedEntry *const *entries = keyed_sorted(w->runs[run]->shares);
  bool fits = entries != NULL;
  for (uint32_t i = 0; fits && i < keyed_count(shares); i++) {
    const Share *share = entries[i]->state;
    size_t *place = keyed_get(places, entries[i]->key, entries[i]->len);
    if (!place) return false;
    if (!*place) *place = ++t->n_leaves;
    Node *leaf = &t->leaves[*place - 1];
    if (!leaf->times_ns) {
      leaf->times_ns = mill_new(w->common, (w->n_runs + 1) * sizeof *leaf->times_ns);
      read_key(leaf, entries[i]->key, entries[i]->len);
    }
    fits = leaf->times_ns != NULL;
    if (!fits) break;
    leaf->times_ns[run] += share->time_ns;
    leaf->calls[w->runs[run]->side] += share->calls;
  }
  return fits;
}

static bool make_leaves(const Why *w, Tree *t)
{
  size_t most = 1;
  Keyed *places = keyed_new(w->common, sizeof(size_t));
  for (size_t i = 0; i < w->n_runs; i++) most += keyed_count(w->runs[i]->shares);
  t->leaves = mill_new(w->common, most * sizeof *t->leaves);
  bool fits = places && t->leaves;
  for (size_t i = 0; fits && i < w->n_runs; i++) fits = add_run(w, t, places, i);
  return fits;
}

bool node_computes(const Node *n)
{
  return !strcmp(n->names[LEVEL_PART].text, part_names[PART_COMPUTE]);
}

/* An operator whose kernels say different classes on both sides has one: what it does is the same. */
static bool unite_classes(const Why *w, Tree *t)
{
  Keyed *ops = keyed_new(w->common, sizeof(OpClass));
  if (!ops) return false;
  for (size_t i = 0; i < t->n_leaves; i++) {
    const Node *leaf = &t->leaves[i];
    const MillText op = leaf->names[LEVEL_OP];
    double time_ns = 0;
    if (!node_computes(leaf)) continue;
    for (size_t run = 0; run < w->n_runs; run++) time_ns += leaf->times_ns[run];
    OpClass *known = keyed_get(ops, op.text, op.len);
    if (!known) return false;
    if (known->class.text && known->time_ns >= time_ns) continue;
    *known = (OpClass){ leaf->names[LEVEL_CLASS], time_ns };
  }
  for (size_t i = 0; i < t->n_leaves; i++) {
    Node *leaf = &t->leaves[i];
    const MillText op = leaf->names[LEVEL_OP];
    if (node_computes(leaf))
      leaf->names[LEVEL_CLASS] = ((const OpClass *)keyed_find(ops, op.text, op.len))->class;
  }
  return true;
}

/* ---- nodes */

static bool add_node(const Why *w, Tree *t, int level, size_t first, size_t n)
{
  if (!array_reserve(w->common, &t->nodes, &t->node_capacity, t->n_nodes + 1, sizeof *t->nodes))
    return false;
  Node *node = &t->nodes[t->n_nodes++];
  *node = (Node){ .level = level, .first = first, .n = n };
  node->times_ns = mill_new(w->common, (w->n_runs + 1) * sizeof *node->times_ns);
  if (!node->times_ns) return false;
  for (int i = LEVEL_PART; i <= level; i++) node->names[i] = t->leaves[first].names[i];
  for (size_t i = first; i < first + n; i++) {
    for (size_t run = 0; run < w->n_runs; run++) node->times_ns[run] += t->leaves[i].times_ns[run];
    for (int side = 0; side < N_SIDES; side++) node->calls[side] += t->leaves[i].calls[side];
  }
  return true;
}

static bool make_level(const Why *w, Tree *t, int level)
{
  for (size_t first = 0, i = 1; i <= t->n_leaves; i++) {
    if (i < t->n_leaves && compare_to(&t->leaves[first], &t->leaves[i], level) == 0) continue;
    if (!add_node(w, t, level, first, i - first)) return false;
    first = i;
  }
  return true;
}

/* Means of the runs of each side. */
static void take_means(const Why *w, Node *node)
{
  double n[N_SIDES] = { 0 };
  for (size_t run = 0; run < w->n_runs; run++) {
    const int side = w->runs[run]->side;
    node->times[side] += node->times_ns[run];
    n[side]++;
  }
  for (int side = 0; side < N_SIDES; side++) {
    node->times[side] /= n[side];
    node->calls[side] /= n[side];
  }
}

/* ---- whole nanoseconds */

typedef struct Remainder {
  double part;
  size_t child;
} Remainder;

static int compare_remainders(const void *a, const void *b)
{
  const Remainder *x = a, *y = b;
  if (x->part != y->part) return x->part > y->part ? -1 : 1;
  return (x->child > y->child) - (x->child < y->child);
}

/* By largest remainders: children are rounded down, and those that lost most get what is missing to their parent. */
static void round_children(Node *children, size_t n, int64_t parent_ns, int side, Remainder *parts)
{
  int64_t missing_ns = parent_ns;
  for (size_t i = 0; i < n; i++) {
    const double whole = floor(children[i].times[side]);
    parts[i] = (Remainder){ children[i].times[side] - whole, i };
    children[i].ns[side] = (int64_t)whole;
    missing_ns -= (int64_t)whole;
  }
  qsort(parts, n, sizeof *parts, compare_remainders);
  for (size_t i = 0; i < n && missing_ns > 0; i++, missing_ns--)
    children[parts[i].child].ns[side]++;
}

static bool round_all(const Why *w, Tree *t)
{
  Remainder *parts = mill_new(w->common, (t->n_nodes + 1) * sizeof *parts);
  if (!parts) return false;
  for (int side = 0; side < N_SIDES; side++) {
    t->nodes[0].ns[side] = llround(t->nodes[0].times[side]);
    for (size_t i = 0, child = 1; child < t->n_nodes; i++) {
      const Node *parent = &t->nodes[i];
      size_t n = 0;
      while (child + n < t->n_nodes && t->nodes[child + n].level == parent->level + 1 &&
             t->nodes[child + n].first < parent->first + parent->n)
        n++;
      round_children(&t->nodes[child], n, parent->ns[side], side, parts);
      child += n;
    }
  }
  return true;
}

/* Of an operator of both sides: kernels went, and others came. */
static void find_replaced(Tree *t)
{
  for (size_t i = 0, kernel = 0; i < t->n_nodes; i++) {
    Node *op = &t->nodes[i];
    bool went = false, came = false;
    if (op->level != LEVEL_OP) continue;
    while (t->nodes[kernel].level != LEVEL_KERNEL) kernel++;
    for (; kernel < t->n_nodes && t->nodes[kernel].first < op->first + op->n; kernel++) {
      const double *calls = t->nodes[kernel].calls;
      went = went || (calls[BASE] > 0 && calls[NEW] == 0);
      came = came || (calls[NEW] > 0 && calls[BASE] == 0);
    }
    op->is_replaced = went && came;
  }
}

bool tree_make(Why *w, Tree *out)
{
  *out = (Tree){ 0 };
  if (!make_leaves(w, out)) return false;
  if (!out->n_leaves) return true;
  if (!unite_operators(w, out) || !unite_classes(w, out)) return false;
  qsort(out->leaves, out->n_leaves, sizeof *out->leaves, compare_leaves);
  for (int level = LEVEL_STEP; level < N_LEVELS; level++)
    if (!make_level(w, out, level)) return false;
  for (size_t i = 0; i < out->n_nodes; i++) take_means(w, &out->nodes[i]);
  find_replaced(out);
  return round_all(w, out);
}
