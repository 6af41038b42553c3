/* The longest chain of what waited for what; see graph.h. */
/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include "kit/numbers/interval.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"

#define NO_NODE UINT32_MAX
#define LONGEST_NEIGHBOUR_NS \
  1500000 /* a longer gap of a stream has another cause than the device */

bool graph_add_item(Graph *g, const Item *item)
{
  if (g->n_items >= NO_ITEM / 2 - 1 ||
      !array_reserve(g->common, &g->items, &g->items_capacity, g->n_items + 1, sizeof *g->items))
    return false;
  g->items[g->n_items++] = *item;
  return true;
}

bool graph_add_wait(Graph *g, const StreamWait *wait)
{
  if (g->n_waits == NO_ITEM ||
      !array_reserve(g->common, &g->waits, &g->waits_capacity, g->n_waits + 1, sizeof *g->waits))
    return false;
  g->waits[g->n_waits++] = *wait;
  return true;
}

/* ---- nodes: twice the number of the item, and one more for its end */

static bool is_end(uint32_t node) { return node & 1; }

static int64_t time_of(const Graph *g, uint32_t node)
{
  const Item *item = &g->items[node / 2];
  return is_end(node) ? item->end_ns : item->start_ns;
}

/* At one time ends come before starts, inner ends before outer ones, and outer starts before inner ones. */
static OrderKey key_of(const Graph *g, uint32_t node)
{
  const Item *item = &g->items[node / 2];
  bool empty = item->start_ns == item->end_ns;
  if (is_end(node)) return (OrderKey){ item->end_ns, empty ? 2 : 0, -item->start_ns, node };
  return (OrderKey){ item->start_ns, 1, -item->end_ns, node };
}

static uint32_t rows_of(const Graph *g, bool device)
{
  uint32_t n = 0;
  for (size_t i = 0; i < g->n_items; i++)
    if (!(g->items[i].flags & ITEM_DEVICE) == !device && g->items[i].row >= n)
      n = g->items[i].row + 1;
  return n;
}

static Row *make_rows(const Graph *g, size_t n)
{
  Row *rows = mill_new(g->common, (n + 1) * sizeof *rows);
  for (size_t i = 0; rows && i < n; i++)
    rows[i] = (Row){ .last_node = NO_NODE, .open = NO_ITEM, .last_end = NO_NODE };
  return rows;
}

/* Of the host by track and start, for finding calls. */
static bool order_calls(Graph *g)
{
  g->calls = mill_new(g->common, (g->n_items + 1) * sizeof *g->calls);
  if (!g->calls) return false;
  g->n_calls = 0;
  for (uint32_t i = 0; i < g->n_items; i++) {
    const Item *item = &g->items[i];
    if (!(item->flags & ITEM_DEVICE))
      g->calls[g->n_calls++] = (OrderKey){ item->row, item->start_ns, item->end_ns, i };
  }
  order_sort(g->calls, g->n_calls);
  return true;
}

static bool order_waits(Graph *g)
{
  g->wait_order = mill_new(g->common, (g->n_waits + 1) * sizeof *g->wait_order);
  if (!g->wait_order) return false;
  for (uint32_t i = 0; i < g->n_waits; i++)
    g->wait_order[i] = (OrderKey){ g->waits[i].stream, g->waits[i].ts_ns, g->waits[i].other, i };
  order_sort(g->wait_order, g->n_waits);
  for (size_t i = g->n_waits; i-- > 0;)
    if (g->wait_order[i].a < (int64_t)g->n_streams)
      g->streams[g->wait_order[i].a].next_wait = (uint32_t)i;
  return true;
}

static bool prepare(Graph *g)
{
  g->n_tracks = rows_of(g, false);
  g->n_streams = rows_of(g, true);
  g->tracks = make_rows(g, g->n_tracks);
  g->streams = make_rows(g, g->n_streams);
  g->nodes = mill_new(g->common, (2 * g->n_items + 1) * sizeof *g->nodes);
  g->edges = mill_new(g->common, (2 * g->n_items + 1) * sizeof *g->edges);
  if (!g->tracks || !g->streams || !g->nodes || !g->edges) return false;
  for (uint32_t node = 0; node < 2 * g->n_items; node++) {
    g->nodes[node] = key_of(g, node);
    g->edges[node] = (Edge){ .best_ns = -1, .from = NO_NODE, .item = node / 2, .bound = BOUND_CPU };
  }
  order_sort(g->nodes, 2 * g->n_items);
  g->last_work = NO_NODE;
  return order_calls(g) && order_waits(g);
}

/* ---- edges */

static void reach(Graph *g, uint32_t node, uint32_t from, int64_t cost_ns, uint32_t item,
                  Bound bound)
{
  if (from == NO_NODE || g->edges[from].best_ns < 0) return;
  int64_t best_ns = add_clipped(g->edges[from].best_ns, cost_ns);
  if (best_ns > g->edges[node].best_ns) g->edges[node] = (Edge){ best_ns, from, item, bound };
}

/* Along a thread: time is that of the innermost slice. */
static void reach_along(Graph *g, uint32_t node, const Row *row)
{
  if (row->last_node == NO_NODE) return;
  int64_t cost_ns = interval_span(time_of(g, row->last_node), time_of(g, node));
  const Item *open = row->open == NO_ITEM ? NULL : &g->items[row->open];
  if (!open)
    reach(g, node, row->last_node, 0, node / 2, BOUND_CPU);
  else
    reach(g, node, row->last_node, cost_ns, row->open,
          open->flags & ITEM_LOADS ? BOUND_LOADING : BOUND_CPU);
}

/* A call that waits ends when the device has; where nothing ended meanwhile, its time is the host's. */
static bool reach_by_device(Graph *g, uint32_t node, const Row *row)
{
  const Item *item = &g->items[node / 2];
  if (!(item->flags & ITEM_WAITS) || g->last_work == NO_NODE ||
      time_of(g, g->last_work) <= item->start_ns)
    return false;
  reach(g, node, g->last_work, 0, node / 2, BOUND_SYNC);
  reach(g, node, row->last_node, 0, node / 2, BOUND_SYNC);
  return true;
}

/* What overlaps without nesting is closed when it ends, wherever it is in the stack. */
static void close_item(Graph *g, Row *row, uint32_t ended)
{
  uint32_t *at = &row->open;
  while (*at != NO_ITEM && *at != ended) at = &g->items[*at].outer;
  if (*at == ended) *at = g->items[ended].outer;
}

static void pass_host(Graph *g, uint32_t node)
{
  uint32_t number = node / 2;
  Item *item = &g->items[number];
  Row *row = &g->tracks[item->row];
  if (!is_end(node)) {
    reach_along(g, node, row);
    item->outer = row->open;
    row->open = number;
  } else {
    if (!reach_by_device(g, node, row)) reach_along(g, node, row);
    close_item(g, row, number);
  }
  row->last_node = node;
}

static uint32_t find_call(const Graph *g, const Item *work)
{
  if (!(work->flags & ITEM_CALLED)) return NO_NODE;
  size_t at = order_find(g->calls, g->n_calls, work->launch_track, work->launch_ns);
  if (at == g->n_calls || g->calls[at].a != work->launch_track || g->calls[at].b != work->launch_ns)
    return NO_NODE;
  return 2 * g->calls[at].i;
}

/* By what its stream was told to wait for since the work before it.  True: it ended after the launch, so that the launch
 * did not matter. */
static bool reach_by_waits(Graph *g, uint32_t node, Row *row)
{
  const Item *work = &g->items[node / 2];
  bool held = false;
  for (; row->next_wait < g->n_waits; row->next_wait++) {
    const OrderKey *wait = &g->wait_order[row->next_wait];
    if (wait->a != work->row || wait->b > work->start_ns) break;
    if (wait->c < 0 || wait->c >= (int64_t)g->n_streams) continue;
    uint32_t end = g->streams[wait->c].last_end;
    reach(g, node, end, 0, node / 2, BOUND_SYNC);
    held |= end != NO_NODE && time_of(g, end) > work->launch_ns;
  }
  return held;
}

static void reach_work(Graph *g, uint32_t node, Row *row)
{
  const Item *work = &g->items[node / 2];
  uint32_t before = row->last_end, call = find_call(g, work);
  int64_t gap_ns =
      before == NO_NODE ? INT64_MAX : interval_span(time_of(g, before), work->start_ns);
  bool queued = before != NO_NODE && (call == NO_NODE || work->launch_ns <= time_of(g, before));
  bool held = reach_by_waits(g, node, row);
  if (queued && gap_ns < LONGEST_NEIGHBOUR_NS)
    reach(g, node, before, gap_ns, node / 2, BOUND_NEIGHBOUR);
  if (!queued && call != NO_NODE && !held)
    reach(g, node, call, interval_span(work->launch_ns, work->start_ns), node / 2, BOUND_LAUNCH);
}

static void pass_device(Graph *g, uint32_t node)
{
  const Item *work = &g->items[node / 2];
  Row *row = &g->streams[work->row];
  if (!is_end(node)) {
    reach_work(g, node, row);
    return;
  }
  Bound bound = work->flags & ITEM_COMMUNICATES ? BOUND_COMMUNICATION : BOUND_COMPUTE;
  reach(g, node, node - 1, interval_span(work->start_ns, work->end_ns), node / 2, bound);
  row->last_end = g->last_work = node;
}

static void pass(Graph *g, uint32_t node)
{
  if (g->items[node / 2].flags & ITEM_DEVICE)
    pass_device(g, node);
  else
    pass_host(g, node);
  if (g->edges[node].best_ns < 0) g->edges[node].best_ns = 0; /* a chain begins here */
}

/* ---- the path */

static bool is_span(Bound b)
{
  return b == BOUND_CPU || b == BOUND_COMPUTE || b == BOUND_COMMUNICATION || b == BOUND_LOADING;
}

/* Steps are found from the end on; pieces of one slice that follow each other are one. */
static bool add_step(Graph *g, uint32_t node)
{
  const Edge *edge = &g->edges[node];
  int64_t time_ns = edge->best_ns - g->edges[edge->from].best_ns;
  PathStep *last = g->n_path ? &g->path[g->n_path - 1] : NULL;
  if (time_ns == 0 && edge->bound != BOUND_SYNC) return true;
  if (is_span(edge->bound)) g->items[edge->item].flags |= ITEM_CRITICAL;
  if (last && last->item == edge->item && last->bound == edge->bound) {
    last->time_ns = add_clipped(last->time_ns, time_ns);
    last->enter_ns = time_of(g, edge->from);
    return true;
  }
  if (!array_reserve(g->common, &g->path, &g->path_capacity, g->n_path + 1, sizeof *g->path))
    return false;
  g->path[g->n_path++] =
      (PathStep){ time_of(g, edge->from), time_of(g, node), time_ns, edge->item, edge->bound };
  return true;
}

static bool walk_back(Graph *g, uint32_t node)
{
  for (; g->edges[node].from != NO_NODE; node = g->edges[node].from)
    if (!add_step(g, node)) return false;
  for (size_t i = 0; i < g->n_path / 2; i++) {
    PathStep *a = &g->path[i], *b = &g->path[g->n_path - 1 - i], kept = *a;
    *a = *b;
    *b = kept;
  }
  return true;
}

static void free_scratch(Graph *g)
{
  void *const all[] = { g->nodes, g->calls, g->wait_order, g->edges, g->tracks, g->streams };
  for (size_t i = 0; i < MILL_COUNT(all); i++) array_free(g->common, all[i]);
  g->nodes = g->calls = g->wait_order = NULL;
  g->edges = NULL;
  g->tracks = g->streams = NULL;
}

bool graph_solve(Graph *g)
{
  bool fits = prepare(g);
  uint32_t last = NO_NODE;
  for (size_t i = 0; fits && i < 2 * g->n_items; i++) {
    uint32_t node = g->nodes[i].i;
    pass(g, node);
    if (last == NO_NODE || g->edges[node].best_ns > g->edges[last].best_ns) last = node;
  }
  if (fits && last != NO_NODE) fits = walk_back(g, last);
  free_scratch(g);
  return fits;
}
