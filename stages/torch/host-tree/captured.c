/* Operators within graph launches; see captured.h. */
/* SPDX-License-Identifier: MIT */
#include "captured.h"

#include <string.h>

#include "kit/devices/torch-words.h"
#include "kit/state/grow.h"
#include "kit/text/symbol.h"
#include "kit/trace/tree-attrs.h"

#define CAPTURED_TRACK UINT32_MAX /* no lane has it */

void captured_open(Captured *c, const MillHost *common)
{
  *c = (Captured){ .common = common, .text.common = common };
  c->replay = symbol_of(common, GRAPH_REPLAY);
  c->position = symbol_of(common, GRAPH_POSITION);
  c->stack = symbol_of(common, GRAPH_STACK);
  c->calls = symbol_of(common, GRAPH_CALLS);
}

bool captured_see(Captured *c, const MillBatch *b, const MillEvent *e, uint32_t work)
{
  CapturedWork item = { .work = work, .launcher = TREE_NONE, .model = TREE_NONE };
  if (!mill_attr_int(b, e, c->replay, &item.replay)) return true;
  (void)mill_attr_int(b, e, c->position, &item.position);
  item.stack = tree_sym(c->common, b, e, c->stack);
  item.calls = tree_sym(c->common, b, e, c->calls);
  if (!array_reserve(c->common, &c->items, &c->capacity, c->n + 1, sizeof *c->items)) return false;
  c->items[c->n++] = item;
  return true;
}

/* ---- nodes */

static void close_to(Captured *c, HostTree *t, size_t depth)
{
  while (c->depth > depth) {
    const CapturedCall *call = &c->open[--c->depth];
    if (call->node != TREE_NONE) t->nodes[call->node].end_ns = c->place++;
  }
}

static bool open_call(Captured *c, HostTree *t, int64_t call, TreeNode *node)
{
  if (!array_reserve(c->common, &c->open, &c->n_open, c->depth + 1, sizeof *c->open)) return false;
  CapturedCall *at = &c->open[c->depth++];
  *at = (CapturedCall){ call, TREE_NONE };
  if (!node) return true;
  node->track = CAPTURED_TRACK;
  node->start_ns = c->place++;
  node->end_ns = INT64_MAX;
  at->node = (uint32_t)t->n;
  return host_tree_add(t, node);
}

/* All of its path in one frame. */
static bool open_module(Captured *c, HostTree *t, int64_t call, Field path)
{
  static const char prefix[] = "nn.Module: ";
  c->text.len = 0;
  if (path.len == 0) return open_call(c, t, call, NULL);
  if (!buffer_add(&c->text, prefix, sizeof prefix - 1) ||
      !buffer_add(&c->text, path.text, path.len))
    return false;
  TreeNode frame = { .name = c->common->intern(c->common, c->text.text, c->text.len),
                     .kind = TORCH_FRAME };
  return open_call(c, t, call, &frame);
}

static bool open_operator(Captured *c, HostTree *t, TreeArgs *args, int64_t call, const Field of[3])
{
  TreeNode op = { .name = c->common->intern(c->common, of[0].text, of[0].len),
                  .kind = TORCH_OPERATOR,
                  .flags = of[1].len ? TREE_BACKWARD : 0 };
  return tree_args_again(args, of[2], &op.args) && open_call(c, t, call, &op);
}

static int64_t number_of(Field digits)
{
  int64_t n = -1;
  (void)digits_read(digits.text, digits.len, &n);
  return n;
}

/* From the first that is not open any more. */
static bool open_stack(Captured *c, HostTree *t, TreeArgs *args, const CapturedWork *w)
{
  size_t stack_len, calls_len, level = 0;
  bool fits = true;
  const char *at = c->common->symbol_text(c->common, w->stack, &stack_len);
  const char *calls = c->common->symbol_text(c->common, w->calls, &calls_len);
  const char *const end = at + stack_len, *const calls_end = calls + calls_len;
  for (; fits && at < end && calls < calls_end; level++) {
    Field of[3] = { fields_next(&at, end) };
    if (level > 0) {
      of[1] = fields_next(&at, end);
      of[2] = fields_next(&at, end);
    }
    const int64_t call = number_of(fields_next(&calls, calls_end));
    if (level < c->depth && c->open[level].call == call) continue;
    close_to(c, t, level);
    fits = level ? open_operator(c, t, args, call, of) : open_module(c, t, call, of[0]);
  }
  close_to(c, t, level);
  return fits;
}

/* Of the operators that are open; those that only run others are passed by, as outside of graphs. */
static uint32_t innermost(const Captured *c, const HostTree *t)
{
  size_t len;
  for (size_t level = c->depth; level-- > 1;) {
    const uint32_t node = c->open[level].node;
    if (strcmp(c->common->symbol_text(c->common, t->nodes[node].name, &len), "execute") != 0)
      return node;
  }
  return TREE_NONE;
}

bool captured_plant(Captured *c, HostTree *t, TreeArgs *args)
{
  bool fits = true;
  c->first_node = t->n;
  if (c->n == 0) return true;
  OrderKey *keys = mill_new(c->common, c->n * sizeof *keys);
  if (!keys) return false;
  for (size_t i = 0; i < c->n; i++)
    keys[i] = (OrderKey){ c->items[i].replay, c->items[i].position, 0, (uint32_t)i };
  order_sort(keys, c->n);
  for (size_t i = 0; i < c->n && fits; i++) {
    CapturedWork *w = &c->items[keys[i].i];
    if (i > 0 && keys[i - 1].a != keys[i].a) close_to(c, t, 0);
    fits = open_stack(c, t, args, w);
    w->launcher = innermost(c, t);
    c->place++;
  }
  close_to(c, t, 0);
  array_free(c->common, keys);
  return fits;
}

/* ---- works */

void captured_link(const Captured *c, Works *works)
{
  for (size_t i = 0; i < c->n; i++) {
    Work *w = &works->items[c->items[i].work];
    if (c->items[i].launcher == TREE_NONE) continue;
    w->launcher = c->items[i].launcher;
    w->launched_by = LAUNCHED_BY_CAPTURE;
  }
}

static bool is_model(const HostTree *t, const Sums *s, uint32_t node)
{
  const uint32_t record = t->nodes[node].record;
  return record != TREE_NONE && s->records[record].is_model;
}

static void stand(CapturedWork *w, const Captured *c, const HostTree *t, const Sums *s,
                  uint8_t *done)
{
  const bool counts = s->works->items[w->work].does != WORK_COMMUNICATION;
  enum { STANDS = 1, MODEL = 2 };
  if (w->launcher == TREE_NONE) return;
  uint8_t *own = &done[w->launcher - c->first_node];
  w->stands = counts && !(*own & STANDS);
  if (w->stands) *own |= STANDS;
  for (uint32_t node = w->launcher; node != TREE_NONE; node = t->nodes[node].parent) {
    uint8_t *at = &done[node - c->first_node];
    if (*at & MODEL) return;
    *at |= MODEL;
    if (is_model(t, s, node)) w->model = node;
  }
}

/* In the order of works, which is that of events.  Communication is no time of operators. */
bool captured_stand(Captured *c, const HostTree *t, const Sums *s)
{
  if (c->n == 0) return true;
  uint8_t *done = mill_new(c->common, t->n - c->first_node + 1);
  if (!done) return false;
  for (size_t i = 0; i < c->n; i++) stand(&c->items[i], c, t, s, done);
  array_free(c->common, done);
  return true;
}

const CapturedWork *captured_next(Captured *c, uint32_t work)
{
  if (c->next == c->n || c->items[c->next].work != work) return NULL;
  return &c->items[c->next++];
}
