/* Sums of device work along the tree; see sums.h.
 *
 * Nodes are visited each after its parent.  What is open is a stack; a level holds the union of the device work
 * below its node, which goes to the level below it when the node is done. */
/* SPDX-License-Identifier: MIT */
#include "sums.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/devices/op-family.h"
#include "kit/text/symbol.h"
#include "kit/trace/tree-attrs.h"

enum { MAX_LIST = 16 }; /* names in the list of an operator's work */

typedef struct SumsLevel {
  uint32_t node;
  IntervalSet below;
  MillSym module, outer;
  bool in_model; /* it, or what is around it, is modelled */
  bool has_gemm; /* below it */
  uint32_t gemm; /* the outermost one around it, or itself, plus 1 */
  OpFamily family;
} SumsLevel;

/* ---- works of one launcher */

static bool sort_works(Sums *s)
{
  const Works *w = s->works;
  s->by_launcher = mill_new(s->common, (w->n + 1) * sizeof *s->by_launcher);
  if (!s->by_launcher) return false;
  for (size_t i = 0; i < w->n; i++)
    s->by_launcher[i] =
        (OrderKey){ w->items[i].launcher, w->items[i].start_ns, w->items[i].end_ns, (uint32_t)i };
  order_sort(s->by_launcher, w->n);
  s->n_twice = works_twice(w, s->by_launcher);
  return true;
}

/* Its works by start: where they begin and end in by_launcher. */
static size_t works_of(const Sums *s, uint32_t node, size_t *out_end)
{
  size_t first = order_find(s->by_launcher, s->works->n, node, INT64_MIN), end = first;
  while (end < s->works->n && s->by_launcher[end].a == node) end++;
  *out_end = end;
  return first;
}

static const Work *work_at(const Sums *s, size_t i)
{
  return &s->works->items[s->by_launcher[i].i];
}

/* "a, b, c"; of many the first ones and how many there are. */
static bool list_names(Sums *s, size_t first, size_t end, MillSym *out)
{
  size_t shown = end - first < MAX_LIST ? end - first : MAX_LIST, len;
  bool fits = true;
  *out = work_at(s, first)->name;
  if (end - first == 1) return true;
  s->text.len = 0;
  for (size_t i = first; i < first + shown && fits; i++) {
    const char *name = s->common->symbol_text(s->common, work_at(s, i)->name, &len);
    fits = (i == first || buffer_add(&s->text, ", ", 2)) && buffer_add(&s->text, name, len);
  }
  if (fits && shown < end - first) {
    char more[DIGITS_MAX + 8] = ", ... (";
    len = 7 + digits_write(more + 7, (int64_t)(end - first));
    more[len++] = ')';
    fits = buffer_add(&s->text, more, len);
  }
  if (fits) *out = s->common->intern(s->common, s->text.text, s->text.len);
  return fits;
}

/* ---- records */

static Record *record_of(Sums *s, TreeNode *node)
{
  if (node->record != TREE_NONE) return &s->records[node->record];
  if (!array_reserve(s->common, &s->records, &s->capacity, s->n + 1, sizeof *s->records))
    return NULL;
  node->record = (uint32_t)s->n;
  return &s->records[s->n++];
}

static bool make_row(Sums *s, const TreeNode *node, Record *r)
{
  size_t len, pass_len, category_len;
  const char *category = s->common->symbol_text(s->common, r->category, &category_len);
  Field args = tree_args_text(s->args, node->args);
  const char *name = s->common->symbol_text(s->common, node->name, &len);
  MillSym pass = node->flags & TREE_BACKWARD ? s->backward : s->forward;
  const char *pass_text = s->common->symbol_text(s->common, pass, &pass_len);
  s->text.len = 0;
  if (!fields_put(&s->text, name, len) || !fields_put(&s->text, category, category_len) ||
      !fields_put(&s->text, pass_text, pass_len) || !buffer_add(&s->text, args.text, args.len))
    return false;
  r->row = s->common->intern(s->common, s->text.text, s->text.len);
  return true;
}

/* What a name says, worked out once. */
static MillSym category_of(Sums *s, MillSym name)
{
  size_t len;
  MillSym category = 0;
  if (symmap_get(&s->op_categories, name, &category)) return category;
  const char *text = op_category(s->common->symbol_text(s->common, name, &len));
  if (text) category = symbol_of(s->common, text);
  symmap_put(s->common, &s->op_categories, name, category);
  return category;
}

static KernelCategory category_of_work(Sums *s, const Work *w, bool backward)
{
  size_t len;
  SymClass *known = &s->kernel_categories[backward];
  if (w->does == WORK_MEMORY) return CATEGORY_MEMORY;
  uint8_t category = symclass_get(known, w->name);
  if (category) return (KernelCategory)(category - 1);
  const char *name = s->common->symbol_text(s->common, w->name, &len);
  category = (uint8_t)(1 + kernel_category(name, len, backward));
  symclass_put(s->common, known, w->name, category);
  return (KernelCategory)(category - 1);
}

/* "GEMM, reduce" */
static bool join_categories(Sums *s, unsigned mask, MillSym *out)
{
  bool fits = true;
  s->text.len = 0;
  for (int i = 0; i < N_KERNEL_CATEGORIES && fits; i++)
    if (mask & 1u << i)
      fits = (s->text.len == 0 || buffer_add(&s->text, ", ", 2)) &&
             buffer_add(&s->text, kernel_category_names[i], strlen(kernel_category_names[i]));
  if (fits) *out = s->common->intern(s->common, s->text.text, s->text.len);
  return fits;
}

/* Each of its works counts as what it is, for the time in which none that began before runs. */
static unsigned divide(Sums *s, bool backward, size_t first, size_t end)
{
  unsigned counted = 0, all = 0;
  int64_t until_ns = INT64_MIN;
  for (size_t i = first; i < end; i++) {
    Work *w = &s->works->items[s->by_launcher[i].i];
    KernelCategory category = category_of_work(s, w, backward);
    w->category = (uint8_t)category;
    all |= 1u << category;
    if (w->does == WORK_COMMUNICATION) continue;
    w->is_first = !(counted & 1u << category);
    w->part_ns =
        w->end_ns > until_ns ? w->end_ns - (w->start_ns > until_ns ? w->start_ns : until_ns) : 0;
    if (w->end_ns > until_ns) until_ns = w->end_ns;
    counted |= 1u << category;
  }
  return counted ? counted : all;
}

/* By its name; where that says nothing, by all that it launched. */
static bool describe(Sums *s, TreeNode *node, Record *r, size_t first, size_t end)
{
  if (r->row) return true;
  r->category = category_of(s, node->name);
  if (!r->category) {
    unsigned mask = divide(s, node->flags & TREE_BACKWARD, first, end);
    r->by_kernel = true;
    r->is_split = (mask & (mask - 1)) != 0;
    if (!join_categories(s, mask ? mask : 1u << CATEGORY_OTHER, &r->category)) return false;
  }
  return make_row(s, node, r);
}

/* Its own works: into the union of the level. */
static bool add_own(Sums *s, uint32_t index, uint32_t gemm, IntervalSet *below)
{
  TreeNode *node = &s->tree->nodes[index];
  size_t end, first = works_of(s, index, &end);
  if (first == end) return true;
  Record *r = record_of(s, node);
  if (!r || !describe(s, node, r, first, end) || !list_names(s, first, end, &r->list)) return false;
  IntervalSet *own = &s->own;
  bool fits = true;
  interval_reset(own);
  r->launches = true;
  r->gemm = gemm;
  for (size_t i = first; i < end && fits; i++) {
    const Work *w = work_at(s, i);
    if (w->does == WORK_COMMUNICATION) continue;
    r->kernels++;
    fits = interval_add(own, w->start_ns, w->end_ns) && interval_add(below, w->start_ns, w->end_ns);
  }
  interval_normalise(own);
  r->direct_ns = interval_length(own);
  r->below = r->kernels > 0;
  return fits;
}

/* ---- levels */

static OpFamily family_of(Sums *s, const TreeNode *node)
{
  size_t len;
  if (node->kind != TORCH_OPERATOR) return FAMILY_NONE;
  uint8_t known = symclass_get(&s->families, node->name);
  if (!known) {
    known = (uint8_t)(1 + op_family(s->common->symbol_text(s->common, node->name, &len)));
    symclass_put(s->common, &s->families, node->name, known);
  }
  return (OpFamily)(known - 1);
}

/* Path of the modules around a node; a frame "nn.Module: X" adds to it. */
static bool module_of(Sums *s, const TreeNode *node, MillSym around, MillSym *out)
{
  static const char prefix[] = "nn.Module: ";
  const size_t n = sizeof prefix - 1;
  size_t len, path_len;
  *out = around;
  if (node->kind != TORCH_FRAME) return true;
  const char *name = s->common->symbol_text(s->common, node->name, &len);
  if (len <= n || memcmp(name, prefix, n) != 0) return true;
  const char *path = s->common->symbol_text(s->common, around, &path_len);
  s->text.len = 0;
  if (path_len && (!buffer_add(&s->text, path, path_len) || !buffer_add(&s->text, "/", 1)))
    return false;
  if (!buffer_add(&s->text, name + n, len - n)) return false;
  *out = s->common->intern(s->common, s->text.text, s->text.len);
  return true;
}

/* Taken over where nothing else is there. */
static bool give_to_parent(IntervalSet *from, IntervalSet *to)
{
  bool fits = true;
  if (to->n == 0) {
    IntervalSet empty = *to;
    *to = *from;
    *from = empty;
    return true;
  }
  for (size_t i = 0; i < from->n && fits; i++)
    fits = interval_add(to, from->items[i].start_ns, from->items[i].end_ns);
  return fits;
}

/* A wrapper is modelled itself only if nothing below it is. */
static void settle_model(const SumsLevel *level, const SumsLevel *around, Record *r)
{
  OpFamily f = level->family;
  if (f == FAMILY_NONE || (around && around->in_model)) return;
  r->is_model = f != FAMILY_GEMM_WRAPPER || !level->has_gemm;
}

static bool close_level(Sums *s)
{
  SumsLevel *level = &s->stack[--s->depth], *around = s->depth ? level - 1 : NULL;
  TreeNode *node = &s->tree->nodes[level->node];
  Record *r = NULL;
  interval_normalise(&level->below);
  if (level->below.n || (node->record != TREE_NONE && s->records[node->record].below)) {
    if (node->kind == TORCH_OPERATOR || node->record != TREE_NONE) r = record_of(s, node);
    if (!r && node->kind == TORCH_OPERATOR) return false;
  }
  if (r) {
    r->below = true;
    r->subtree_ns = interval_length(&level->below);
    r->module = level->module;
    r->outer = level->outer;
    r->gemm = level->gemm;
    settle_model(level, around, r);
    if (!describe(s, node, r, 0, 0)) return false;
  }
  if (!around) return true;
  around->has_gemm |= level->has_gemm || level->family == FAMILY_GEMM;
  return give_to_parent(&level->below, &around->below);
}

static bool open_level(Sums *s, uint32_t index)
{
  TreeNode *node = &s->tree->nodes[index];
  if (!array_reserve(s->common, &s->stack, &s->n_levels, s->depth + 1, sizeof *s->stack))
    return false;
  const SumsLevel *around = s->depth ? &s->stack[s->depth - 1] : NULL;
  SumsLevel *level = &s->stack[s->depth];
  IntervalSet below = level->below;
  interval_reset(&below);
  below.common = s->common;
  *level = (SumsLevel){ .node = index, .family = family_of(s, node), .below = below };
  level->in_model = (around && around->in_model) ||
                    (level->family != FAMILY_NONE && level->family != FAMILY_GEMM_WRAPPER);
  level->gemm = around ? around->gemm : 0;
  if (level->gemm == 0 && level->family == FAMILY_GEMM) level->gemm = index + 1;
  if (around && s->tree->nodes[around->node].flags & TREE_BACKWARD) node->flags |= TREE_BACKWARD;
  if (!module_of(s, node, around ? around->module : 0, &level->module)) return false;
  bool same_module = around && around->module == level->module;
  level->outer = same_module && around->outer   ? around->outer
                 : node->kind == TORCH_OPERATOR ? node->name
                                                : 0;
  s->depth++;
  return add_own(s, index, level->gemm, &level->below);
}

static bool visit(Sums *s, uint32_t index)
{
  const TreeNode *node = &s->tree->nodes[index];
  bool fits = true;
  while (fits && s->depth && s->stack[s->depth - 1].node != node->parent) fits = close_level(s);
  return fits && open_level(s, index);
}

/* Without parent and children, while what is open stays open. */
static bool visit_misfit(Sums *s, uint32_t index)
{
  IntervalSet below = { .common = s->common };
  TreeNode *node = &s->tree->nodes[index];
  uint32_t gemm = family_of(s, node) == FAMILY_GEMM ? index + 1 : 0;
  bool fits = add_own(s, index, gemm, &below);
  interval_normalise(&below);
  if (fits && node->record != TREE_NONE)
    s->records[node->record].subtree_ns = interval_length(&below);
  interval_clear(&below);
  return fits;
}

bool sums_make(Sums *s)
{
  HostTree *t = s->tree;
  bool fits = sort_works(s);
  s->text.common = s->own.common = s->common;
  s->forward = symbol_of(s->common, "forward");
  s->backward = symbol_of(s->common, "backward");
  for (int i = 0; i < N_KERNEL_CATEGORIES; i++)
    s->category_names[i] = symbol_of(s->common, kernel_category_names[i]);
  for (size_t i = 0; i < t->n; i++) t->nodes[i].record = TREE_NONE;
  for (size_t i = 0; i < t->n && fits; i++) {
    uint32_t index = t->order[i];
    fits = t->nodes[index].flags & TREE_MISFIT ? visit_misfit(s, index) : visit(s, index);
  }
  while (fits && s->depth) fits = close_level(s);
  array_free(s->common, s->by_launcher);
  for (size_t i = 0; i < s->n_levels; i++) interval_clear(&s->stack[i].below);
  array_free(s->common, s->stack);
  interval_clear(&s->own);
  s->by_launcher = NULL;
  s->stack = NULL;
  return fits;
}
