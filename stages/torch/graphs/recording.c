/* Traces of captures; see recording.h. */
/* SPDX-License-Identifier: MIT */
#include "recording.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"
#include "kit/trace/attr-value.h"

enum { MOST_ARGS = 1 << 20 };

/* Of calls, by their names. */
typedef enum Role { ROLE_OTHER = 1, ROLE_COPY, ROLE_FILL, ROLE_BEGIN, ROLE_END, ROLE_KERNEL } Role;

bool recording_open(Recording *r, const MillHost *common)
{
  *r = (Recording){ .common = common, .words.common = common, .tree.common = common };
  r->text.common = r->calls_text.common = r->module.common = common;
  r->kernel = symbol_of(common, "kernel");
  r->graph = symbol_of(common, "graph id");
  r->graph_node = symbol_of(common, "graph node id");
  pairmap_open(&r->ran, common);
  return tree_nodes_open(&r->nodes, common, MOST_ARGS);
}

/* ---- seeing */

static uint8_t role_of_name(const char *name, size_t len)
{
  if (words_have_any_case(name, len, "streambegincapture")) return ROLE_BEGIN;
  if (words_have_any_case(name, len, "streamendcapture")) return ROLE_END;
  if (words_have_any_case(name, len, "memcpy")) return ROLE_COPY;
  return words_have_any_case(name, len, "memset") ? ROLE_FILL : ROLE_OTHER;
}

static const char module_prefix[] = "nn.Module: ";
enum { MODULE_PREFIX = sizeof module_prefix - 1 };

static bool is_module(const char *name, size_t len)
{
  return len > MODULE_PREFIX && memcmp(name, module_prefix, MODULE_PREFIX) == 0;
}

static MillSym key_of(const Recording *r, Role *io_role, MillSym kernel)
{
  if (kernel) *io_role = ROLE_KERNEL;
  if (*io_role == ROLE_KERNEL) return launch_key(r->common, LAUNCH_KERNEL, kernel);
  if (*io_role == ROLE_COPY) return launch_key(r->common, LAUNCH_COPY, 0);
  return *io_role == ROLE_FILL ? launch_key(r->common, LAUNCH_FILL, 0) : 0;
}

static bool see_call(Recording *r, const MillBatch *b, const MillEvent *e)
{
  Role role = (Role)symclass_of(r->common, &r->roles, e->name, role_of_name);
  RecordedCall call = { .graph = -1, .graph_node = -1 };
  TreeNode node;
  call.key = key_of(r, &role, attr_sym(r->common, b, mill_attr(b, e, r->kernel)));
  call.role = (uint8_t)role;
  if (role == ROLE_OTHER) return true;
  (void)mill_attr_int(b, e, r->nodes.external, &call.external);
  (void)mill_attr_int(b, e, r->graph, &call.graph);
  (void)mill_attr_int(b, e, r->graph_node, &call.graph_node);
  call.node = (uint32_t)r->tree.n;
  if (!tree_nodes_read(&r->nodes, b, e, TORCH_CALL, &node) || !host_tree_add(&r->tree, &node) ||
      !array_reserve(r->common, &r->calls, &r->capacity, r->n + 1, sizeof *r->calls))
    return false;
  r->calls[r->n++] = call;
  return true;
}

static bool see_work(Recording *r, const MillBatch *b, const MillEvent *e)
{
  int64_t correlation;
  if (!mill_attr_int(b, e, r->nodes.correlation, &correlation) || correlation <= 0) return true;
  uint64_t *known = pairmap_at(&r->ran, 0, (uint64_t)correlation);
  if (known) *known = 1;
  return known != NULL;
}

bool recording_see(Recording *r, const MillBatch *b, const MillEvent *e)
{
  TreeNode node;
  if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) return true;
  const TorchKind kind = torch_kind(&r->words, e);
  if (torch_is_device(kind)) return see_work(r, b, e);
  if (kind == TORCH_CALL) return see_call(r, b, e);
  const bool wanted =
      kind == TORCH_OPERATOR ||
      (kind == TORCH_FRAME && symclass_is(r->common, &r->frames, e->name, is_module));
  if (!wanted) return true;
  return tree_nodes_read(&r->nodes, b, e, kind, &node) && host_tree_add(&r->tree, &node);
}

/* ---- the operators around a launch */

static bool sort_operators(Recording *r)
{
  r->operators = mill_new(r->common, (r->tree.n + 1) * sizeof *r->operators);
  if (!r->operators) return false;
  for (size_t i = 0; i < r->tree.n; i++) {
    const TreeNode *node = &r->tree.nodes[i];
    if (node->kind == TORCH_OPERATOR && node->id > 0)
      r->operators[r->n_operators++] = (OrderKey){ node->id, node->start_ns, 0, (uint32_t)i };
  }
  order_sort(r->operators, r->n_operators);
  return true;
}

/* The operator that the call names, else that around it. */
static uint32_t operator_of(const Recording *r, const RecordedCall *call)
{
  const size_t at = order_find(r->operators, r->n_operators, call->external, INT64_MIN);
  const bool is_named =
      call->external > 0 && at < r->n_operators && r->operators[at].a == call->external;
  if (is_named) return r->operators[at].i;
  return host_tree_up(&r->tree, call->node, TORCH_OPERATOR);
}

static bool add_number(Buffer *b, int64_t number)
{
  char digits[DIGITS_MAX];
  return fields_put(b, digits, digits_write(digits, number));
}

/* The names of the frames from the outermost on, joined by "/"; what tells the path apart is its innermost frame. */
static bool write_module(Recording *r, uint32_t node)
{
  size_t len, depth = 0;
  const TreeNode *nodes = r->tree.nodes;
  int64_t innermost = -1;
  for (; node != TREE_NONE; node = nodes[node].parent) {
    if (nodes[node].kind != TORCH_FRAME) continue;
    if (innermost < 0) innermost = node;
    if (!array_reserve(r->common, &r->stack, &r->stack_capacity, depth + 1, sizeof *r->stack))
      return false;
    r->stack[depth++] = node;
  }
  r->module.len = 0;
  while (depth > 0) {
    const char *name = r->common->symbol_text(r->common, nodes[r->stack[--depth]].name, &len);
    if ((r->module.len && !buffer_add(&r->module, "/", 1)) ||
        !buffer_add(&r->module, name + MODULE_PREFIX, len - MODULE_PREFIX))
      return false;
  }
  return fields_put(&r->text, r->module.text ? r->module.text : "", r->module.len) &&
         add_number(&r->calls_text, innermost);
}

static bool write_operator(Recording *r, uint32_t index, bool backward)
{
  size_t len;
  const TreeNode *node = &r->tree.nodes[index];
  const char *name = r->common->symbol_text(r->common, node->name, &len);
  const Field args = tree_args_text(&r->nodes.args, node->args);
  return fields_put(&r->text, name, len) && fields_put(&r->text, "b", backward) &&
         fields_put(&r->text, args.text, args.len) && add_number(&r->calls_text, index);
}

/* As GRAPH_STACK and GRAPH_CALLS say; the pass of an operator is that of those around it. */
static bool write_stack(Recording *r, const RecordedCall *call)
{
  const uint32_t op = operator_of(r, call);
  const TreeNode *nodes = r->tree.nodes;
  size_t depth = 0;
  bool backward = false, fits;
  r->text.len = r->calls_text.len = 0;
  fits = write_module(r, op != TREE_NONE ? op : call->node);
  for (uint32_t node = op; fits && node != TREE_NONE; node = nodes[node].parent) {
    if (nodes[node].kind != TORCH_OPERATOR) continue;
    fits = array_reserve(r->common, &r->stack, &r->stack_capacity, depth + 1, sizeof *r->stack);
    if (fits) r->stack[depth++] = node;
  }
  while (fits && depth > 0) {
    const uint32_t node = r->stack[--depth];
    backward |= (nodes[node].flags & TREE_BACKWARD) != 0;
    fits = write_operator(r, node, backward);
  }
  return fits;
}

/* ---- closing */

static bool add_launch(Recording *r, const RecordedCall *call, Captures *out)
{
  size_t len;
  CaptureLaunch launch = { .graph = call->graph, .node = call->graph_node };
  const char *name = r->common->symbol_text(r->common, call->key, &len);
  if (!write_stack(r, call) || !names_number(&out->texts, name, len, &launch.name) ||
      !names_number(&out->texts, r->text.text, r->text.len, &launch.stack) ||
      !names_number(&out->texts, r->calls_text.text, r->calls_text.len, &launch.calls) ||
      !array_reserve(r->common, &out->launches, &out->launches_capacity, out->n_launches + 1,
                     sizeof *out->launches))
    return false;
  out->launches[out->n_launches++] = launch;
  return true;
}

/* Where the launches since the last capture end. */
static bool end_capture(Recording *r, Capture *io, size_t first, Captures *out)
{
  io->n = (uint32_t)(out->n_launches - first);
  if (io->n == 0) return true;
  if (!array_reserve(r->common, &out->captures, &out->capacity, out->n + 1, sizeof *out->captures))
    return false;
  out->captures[out->n++] = *io;
  return true;
}

static bool did_run(const Recording *r, const RecordedCall *call)
{
  const int64_t correlation = r->tree.nodes[call->node].id;
  return correlation > 0 && pairmap_get(&r->ran, 0, (uint64_t)correlation);
}

static OrderKey *sort_calls(const Recording *r, bool *out_has_begin)
{
  OrderKey *keys = mill_new(r->common, (r->n + 1) * sizeof *keys);
  for (size_t i = 0; keys && i < r->n; i++) {
    const TreeNode *node = &r->tree.nodes[r->calls[i].node];
    keys[i] = (OrderKey){ node->start_ns, -node->end_ns, 0, (uint32_t)i };
    *out_has_begin |= r->calls[i].role == ROLE_BEGIN;
  }
  if (keys) order_sort(keys, r->n);
  return keys;
}

/* The runtime's call has the driver's in it, for the same launch: the first of one correlation counts. */
static bool is_inner(const Recording *r, const OrderKey *keys, size_t i)
{
  if (i == 0) return false;
  const TreeNode *node = &r->tree.nodes[r->calls[keys[i].i].node];
  const TreeNode *before = &r->tree.nodes[r->calls[keys[i - 1].i].node];
  return node->id > 0 && node->id == before->id && node->track == before->track;
}

/* Where a trace says when captures began, what is outside of them was not captured. */
static bool cut(Recording *r, const OrderKey *keys, bool has_begin, Capture *io, Captures *out)
{
  size_t first = out->n_launches;
  bool open = !has_begin, fits = true;
  for (size_t i = 0; i < r->n && fits; i++) {
    const RecordedCall *call = &r->calls[keys[i].i];
    if (call->role == ROLE_BEGIN || call->role == ROLE_END) {
      fits = end_capture(r, io, first, out);
      first = out->n_launches;
      open = call->role == ROLE_BEGIN || !has_begin;
    } else if (open && !did_run(r, call) && !is_inner(r, keys, i)) {
      fits = add_launch(r, call, out);
    }
  }
  return fits && end_capture(r, io, first, out);
}

bool recording_close(Recording *r, const char *file, int64_t rank, Captures *out)
{
  bool has_begin = false;
  Capture capture = { .rank = rank };
  if (r->n == 0) return true;
  OrderKey *keys = sort_calls(r, &has_begin);
  const bool fits = keys && host_tree_nest(&r->tree) && sort_operators(r) &&
                    names_number(&out->texts, file, strlen(file), &capture.file) &&
                    cut(r, keys, has_begin, &capture, out);
  array_free(r->common, keys);
  return fits;
}
