/* Counters of the device by kernel and operator.  While counters are recorded kernels run one after the other, and the
 * profiler writes a range for each: the n-th range is of the n-th launch.  Events may come in any order. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/trace/attr-value.h"
#include "kit/state/grow.h"
#include "torch/lib/host-tree.h"
#include "kit/numbers/interval.h"
#include "torch/lib/order.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"

enum { TABLE_COUNTERS };
enum { NOTHING = 1, UNMATCHED };
enum { NODE_OPERATOR, NODE_LAUNCH }; /* TreeNode.kind */

static const char *const no_counters[] = { "correlation", "External id", "device",  "stream",
                                           "context",     "Ev Idx",      "process", "thread" };

typedef struct Range {
  int64_t start_ns, dur_ns;
  MillSym name;
  uint32_t track;
  size_t first, n; /* of its values */
} Range;

typedef struct Value {
  MillSym counter;
  double value;
} Value;

typedef struct Counters {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  SymClass cats, names;
  MillSym ignored[MILL_COUNT(no_counters)];
  HostTree tree;
  Range *ranges;
  Value *values;
  size_t n_ranges, max_ranges, n_values, max_values;
  OrderKey *order;    /* of ranges, after flush */
  OrderKey *launches; /* nodes of the tree; NULL: they do not match */
} Counters;

static int counters_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Counters *c = instance_new(Counters, host, out_instance);
  if (!c) return -MILL_LIMIT;
  c->words.common = c->tree.common = host->common;
  for (uint32_t i = 0; i < MILL_COUNT(no_counters); i++)
    c->ignored[i] = symbol_of(c->common, no_counters[i]);
  return 0;
}

/* ---- what an event is */

static bool is_range(const char *cat, size_t len)
{
  (void)len;
  return strcmp(cat, "cuda_profiler_range") == 0;
}

/* cudaLaunchKernel, cuLaunchKernelEx, hipExtModuleLaunchKernel ...; a graph is no kernel. */
static bool is_launch(const char *name, size_t len)
{
  return words_have_any_case(name, len, "launch") && words_have_any_case(name, len, "kernel");
}

static bool is_counter(const Counters *c, MillSym key)
{
  for (uint32_t i = 0; i < MILL_COUNT(no_counters); i++)
    if (c->ignored[i] == key) return false;
  return true;
}

/* ---- collecting */

static bool add_value(Counters *c, MillSym counter, double value)
{
  if (!array_reserve(c->common, &c->values, &c->max_values, c->n_values + 1, sizeof *c->values))
    return false;
  c->values[c->n_values++] = (Value){ counter, value };
  return true;
}

/* Numbers are counters, lists and texts are none. */
static bool add_values(Counters *c, const MillBatch *b, const MillEvent *e)
{
  uint32_t run;
  for (uint32_t i = 0; i < e->n_attrs; i += run) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    uint32_t type = a->type & MILL_ATTR_TYPE;
    run = attr_run(b, e, i);
    if (run > 1 || (type != MILL_INT && type != MILL_REAL) || !is_counter(c, a->key)) continue;
    if (!add_value(c, a->key, type == MILL_INT ? (double)a->u.i : a->u.r)) return false;
  }
  return true;
}

static bool add_range(Counters *c, const MillBatch *b, const MillEvent *e)
{
  if (!array_reserve(c->common, &c->ranges, &c->max_ranges, c->n_ranges + 1, sizeof *c->ranges))
    return false;
  Range *r = &c->ranges[c->n_ranges++];
  *r = (Range){ e->ts_ns, e->dur_ns, e->name, e->track, c->n_values, 0 };
  if (!add_values(c, b, e)) return false;
  r->n = c->n_values - r->first;
  return true;
}

static bool add_event(Counters *c, const MillBatch *b, const MillEvent *e)
{
  if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) return true;
  if (symclass_is(c->common, &c->cats, e->cat, is_range)) return add_range(c, b, e);
  TorchKind kind = torch_kind(&c->words, e);
  bool launches = kind == TORCH_CALL && symclass_is(c->common, &c->names, e->name, is_launch);
  if (!launches && (kind != TORCH_OPERATOR || torch_step(&c->words, e->name) >= 0)) return true;
  const TreeNode node = { .start_ns = e->ts_ns,
                          .end_ns = interval_end(e->ts_ns, e->dur_ns),
                          .track = e->track,
                          .name = e->name,
                          .kind = launches ? NODE_LAUNCH : NODE_OPERATOR };
  return host_tree_add(&c->tree, &node);
}

static int counters_process(void *instance, MillBatch *b)
{
  Counters *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!add_event(c, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* ---- matching */

static bool sort_ranges(Counters *c)
{
  c->order = mill_new(c->common, (c->n_ranges + 1) * sizeof *c->order);
  if (!c->order) return false;
  for (size_t i = 0; i < c->n_ranges; i++) {
    const Range *r = &c->ranges[i];
    c->order[i] =
        (OrderKey){ r->start_ns, interval_end(r->start_ns, r->dur_ns), r->track, (uint32_t)i };
  }
  order_sort(c->order, c->n_ranges);
  return true;
}

/* A call of the driver in one of the runtime is the same launch. */
static bool find_launches(Counters *c, size_t *out_n)
{
  const HostTree *t = &c->tree;
  c->launches = mill_new(c->common, (t->n + 1) * sizeof *c->launches);
  *out_n = 0;
  if (!c->launches) return false;
  for (size_t i = 0; i < t->n; i++) {
    const TreeNode *node = &t->nodes[i];
    if (node->kind != NODE_LAUNCH || host_tree_up(t, node->parent, NODE_LAUNCH) != TREE_NONE)
      continue;
    c->launches[(*out_n)++] = (OrderKey){ node->start_ns, node->track, node->end_ns, (uint32_t)i };
  }
  order_sort(c->launches, *out_n);
  return true;
}

static void note_unmatched(Counters *c, size_t n_launches)
{
  const MillNamed values[] = { { "ranges", mill_int((int64_t)c->n_ranges) },
                               { "launches", mill_int((int64_t)n_launches) } };
  c->common->note(c->common, UNMATCHED, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
  array_free(c->common, c->launches);
  c->launches = NULL;
}

static int counters_flush(void *instance, MillBatch *b)
{
  Counters *c = instance;
  size_t n_launches;
  (void)b;
  if (c->n_ranges == 0) return mill_note(c->common, NOTHING), 0;
  if (!sort_ranges(c) || !host_tree_nest(&c->tree) || !find_launches(c, &n_launches))
    return -MILL_LIMIT;
  if (n_launches != c->n_ranges) note_unmatched(c, n_launches);
  return 0;
}

/* ---- results */

typedef struct Operators {
  MillSym nearest, outermost; /* 0: none */
} Operators;

static Operators operators_of(const Counters *c, size_t index)
{
  Operators found = { 0, 0 };
  if (!c->launches) return found;
  const TreeNode *nodes = c->tree.nodes;
  uint32_t at = host_tree_up(&c->tree, nodes[c->launches[index].i].parent, NODE_OPERATOR);
  if (at == TREE_NONE) return found;
  found.nearest = nodes[at].name;
  for (uint32_t up = at; up != TREE_NONE;
       up = host_tree_up(&c->tree, nodes[at].parent, NODE_OPERATOR))
    at = up;
  found.outermost = nodes[at].name;
  return found;
}

typedef struct CounterRow {
  int64_t index;
  MillSym kernel, op, top_op;
  int64_t start_ns, duration_ns;
  MillSym counter;
  double value;
} CounterRow;

static int report_range(const Counters *c, size_t index)
{
  const Range *r = &c->ranges[c->order[index].i];
  const Operators of = operators_of(c, index);
  int status = 0;
  for (size_t i = r->first; i < r->first + r->n && status == 0; i++) {
    const CounterRow row = {
      .index = (int64_t)index,
      .kernel = r->name,
      .op = of.nearest,
      .top_op = of.outermost,
      .start_ns = r->start_ns,
      .duration_ns = r->dur_ns,
      .counter = c->values[i].counter,
      .value = c->values[i].value,
    };
    status = mill_row(c->host, TABLE_COUNTERS, &row);
  }
  return status;
}

static int counters_report(void *instance)
{
  Counters *c = instance;
  int status = 0;
  for (size_t i = 0; i < c->n_ranges && status == 0; i++) status = report_range(c, i);
  return status;
}

/* ---- the descriptor */

static const MillNotice notices[] = {
  MILL_INFO(
      NOTHING, "{lane} has no counters of the device", "the table cupti-counters leaves it out",
      "record them: torch.profiler.profile(experimental_config=_ExperimentalConfig("
      "profiler_metrics=[...], profiler_measure_per_kernel=True))",
      "No slice has the category cuda_profiler_range. PyTorch records counters if the profiler has "
      "a list of metrics; then it writes no kernels, but ranges with a value for each metric."),
  MILL_WARNING(
      UNMATCHED, "{lane} has {ranges} ranges of counters and {launches} launches of kernels",
      "its counters have no operators",
      "record both from the same start: a window of time may have cut one of them",
      "While counters are recorded, each kernel is a range, so the n-th range belongs to the n-th "
      "launch. Here the numbers differ: some launches or ranges were not recorded, or graphs "
      "launched kernels. Values and names of kernels are still right."),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(CounterRow, index, "index", "count", "Number of the range, from 0 by time"),
  MILL_BRIEF(CounterRow, kernel, "kernel", NULL,
             "Name of the range: the kernel's name if the profiler knew it"),
  MILL_BRIEF(CounterRow, op, "op", NULL, "The innermost operator around the launch"),
  MILL_COLUMN(CounterRow, top_op, "top_op", NULL, 0, "The outermost operator around it"),
  MILL_COLUMN(CounterRow, start_ns, "start", "ns", 0, "Start of the range"),
  MILL_COLUMN(CounterRow, duration_ns, "duration", "ns", 0, "Its duration"),
  MILL_KEY_BRIEF(CounterRow, counter, "counter", NULL, "Name of the counter"),
  MILL_BRIEF(CounterRow, value, "value", "count", "Value; the unit is that of the counter"),
};
static const MillTable tables[] = {
  [TABLE_COUNTERS] = { .per = MILL_PER_LANE,
                       .brief_rows = 10,
                       .name = "cupti-counters",
                       .help = "Counters of the device for each kernel, and the operators that "
                               "launched it",
                       .order = "index,counter",
                       .columns = MILL_ROWS(columns) },
};

static const MillRead reads[] = { { "*", MILL_AS_ANY, MILL_KIND(MILL_SLICE) } };

static const char *const needs[] = { "events", "operators", NULL };
static const char *const provides[] = { "table.cupti-counters", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = counters_open,
  .process = counters_process,
  .flush = counters_flush,
  .report = counters_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "cupti-counters",
  .family = "torch",
  .version = "1.0.0",
  .tag = "CUPTI",
  .title = "Counters of the device by kernel and operator",
  .help = "Lists the values of device counters (ranges of CUPTI's profiler) for each kernel, with "
          "the innermost and the outermost operator around its launch.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
