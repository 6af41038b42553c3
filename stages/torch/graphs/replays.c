/* Graph launches and their work; see replays.h. */
/* SPDX-License-Identifier: MIT */
#include "replays.h"

#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/text/symbol.h"

void replays_open(Replays *r, const MillHost *common)
{
  *r = (Replays){ .common = common, .words.common = common };
  r->correlation = symbol_of(common, "correlation");
  r->graph = symbol_of(common, "graph id");
  r->graph_node = symbol_of(common, "graph node id");
  pairmap_open(&r->numbers, common);
}

/* ---- seeing */

/* The driver's call lies in the runtime's, with the same correlation: they are one launch. */
static bool see_call(Replays *r, const MillEvent *e, int64_t correlation)
{
  if (!symclass_is(r->common, &r->graph_calls, e->name, torch_is_graph_call)) return true;
  uint64_t *known = pairmap_at(&r->numbers, 0, (uint64_t)correlation);
  if (!known) return false;
  if (*known) {
    Replay *launch = &r->items[*known - 1];
    if (e->ts_ns < launch->start_ns) launch->start_ns = e->ts_ns;
    return true;
  }
  if (!array_reserve(r->common, &r->items, &r->capacity, r->n + 1, sizeof *r->items)) return false;
  r->items[r->n++] = (Replay){ .correlation = correlation, .start_ns = e->ts_ns };
  *known = r->n;
  return true;
}

static MillSym key_of(Replays *r, TorchKind kind, MillSym name)
{
  MillSym key;
  if (kind == TORCH_COPY) return launch_key(r->common, LAUNCH_COPY, 0);
  if (kind == TORCH_FILL) return launch_key(r->common, LAUNCH_FILL, 0);
  if (symmap_get(&r->keys, name, &key)) return key;
  key = launch_key(r->common, LAUNCH_KERNEL, name);
  symmap_put(r->common, &r->keys, name, key);
  return key;
}

static bool see_work(Replays *r, const MillBatch *b, const MillEvent *e, TorchKind kind,
                     int64_t correlation)
{
  Piece piece = { .correlation = correlation,
                  .start_ns = e->ts_ns,
                  .dur_ns = e->dur_ns > 0 ? e->dur_ns : 0,
                  .graph = -1,
                  .node = -1,
                  .track = e->track,
                  .key = key_of(r, kind, e->name) };
  (void)mill_attr_int(b, e, r->graph, &piece.graph);
  (void)mill_attr_int(b, e, r->graph_node, &piece.node);
  if (!array_reserve(r->common, &r->pieces, &r->pieces_capacity, r->n_pieces + 1,
                     sizeof *r->pieces))
    return false;
  r->pieces[r->n_pieces++] = piece;
  return true;
}

/* What could be of a graph launch; its correlation in any case. */
static TorchKind kind_of(Replays *r, const MillBatch *b, const MillEvent *e, int64_t *out)
{
  if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) return TORCH_OTHER;
  const TorchKind kind = torch_kind(&r->words, e);
  if (!torch_is_device(kind) && kind != TORCH_CALL) return TORCH_OTHER;
  return mill_attr_int(b, e, r->correlation, out) && *out > 0 ? kind : TORCH_OTHER;
}

bool replays_see(Replays *r, const MillBatch *b, const MillEvent *e)
{
  int64_t correlation;
  const TorchKind kind = kind_of(r, b, e, &correlation);
  if (kind == TORCH_OTHER) return true;
  return kind == TORCH_CALL ? see_call(r, e, correlation) : see_work(r, b, e, kind, correlation);
}

/* ---- closing */

/* By start; pieces find theirs by its correlation. */
static bool sort_replays(Replays *r)
{
  OrderKey *keys = mill_new(r->common, (r->n + 1) * sizeof *keys);
  Replay *sorted = keys ? mill_new(r->common, (r->n + 1) * sizeof *sorted) : NULL;
  if (!sorted) return false;
  for (size_t i = 0; i < r->n; i++)
    keys[i] = (OrderKey){ r->items[i].start_ns, r->items[i].correlation, 0, (uint32_t)i };
  order_sort(keys, r->n);
  for (size_t i = 0; i < r->n; i++) {
    sorted[i] = r->items[keys[i].i];
    uint64_t *known = pairmap_at(&r->numbers, 0, (uint64_t)sorted[i].correlation);
    if (!known) return false;
    *known = i + 1;
  }
  array_free(r->common, keys);
  array_free(r->common, r->items);
  r->items = sorted;
  r->capacity = r->n + 1;
  return true;
}

static void keep_pieces(Replays *r)
{
  size_t n = 0;
  for (size_t i = 0; i < r->n_pieces; i++) {
    const uint64_t number = pairmap_get(&r->numbers, 0, (uint64_t)r->pieces[i].correlation);
    if (number == 0) continue;
    r->pieces[n] = r->pieces[i];
    r->pieces[n++].replay = (uint32_t)(number - 1);
  }
  r->n_pieces = n;
}

static bool sort_pieces(Replays *r)
{
  OrderKey *keys = mill_new(r->common, (r->n_pieces + 1) * sizeof *keys);
  r->order = mill_new(r->common, (r->n_pieces + 1) * sizeof *r->order);
  if (!keys || !r->order) return false;
  for (size_t i = 0; i < r->n_pieces; i++) {
    const Piece *p = &r->pieces[i];
    keys[i] = (OrderKey){ p->replay, p->start_ns, p->track, (uint32_t)i };
  }
  order_sort(keys, r->n_pieces);
  for (size_t i = 0; i < r->n_pieces; i++) {
    const Piece *p = &r->pieces[keys[i].i];
    Replay *replay = &r->items[p->replay];
    if (replay->n == 0) replay->first = (uint32_t)i;
    replay->n++;
    replay->time_ns = add_clipped(replay->time_ns, p->dur_ns);
    r->order[i] = keys[i].i;
  }
  array_free(r->common, keys);
  return true;
}

bool replays_close(Replays *r)
{
  if (!sort_replays(r)) return false;
  keep_pieces(r);
  return sort_pieces(r);
}

const Piece *replays_next(Replays *r, const MillBatch *b, const MillEvent *e)
{
  int64_t correlation;
  const TorchKind kind = kind_of(r, b, e, &correlation);
  if (!torch_is_device(kind) || r->next >= r->n_pieces) return NULL;
  if (!pairmap_get(&r->numbers, 0, (uint64_t)correlation)) return NULL;
  return &r->pieces[r->next++];
}
