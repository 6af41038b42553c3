/* Collecting GEMM operators; see gemm-calls.h. */
/* SPDX-License-Identifier: MIT */
#include "gemm/lib/gemm-calls.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/devices/op-category.h"
#include "kit/state/sort.h"
#include "kit/devices/stream-name.h"
#include "kit/trace/tree-attrs.h"

void gemm_calls_open(GemmCalls *c, const MillHost *common)
{
  *c = (GemmCalls){ .common = common, .words.common = common };
  c->gemm = tree_key(common, TREE_GEMM);
  c->tree_row = tree_key(common, TREE_ROW);
  c->subtree = tree_key(common, TREE_SUBTREE);
  c->stream = tree_key(common, "stream");
}

static bool add_call(GemmCalls *c, const MillBatch *b, const MillEvent *e, int64_t gemm)
{
  int64_t time_ns = 0;
  if (!array_reserve(c->common, &c->calls, &c->capacity, c->n + 1, sizeof *c->calls)) return false;
  (void)mill_attr_int(b, e, c->subtree, &time_ns);
  c->calls[c->n++] = (GemmCall){ .gemm = gemm,
                                 .time_ns = time_ns,
                                 .seq = e->seq,
                                 .tree_row = tree_sym(c->common, b, e, c->tree_row) };
  return true;
}

static bool add_part(GemmCalls *c, const MillBatch *b, const MillEvent *e, int64_t gemm)
{
  if (e->dur_ns < 0) return true;
  if (!array_reserve(c->common, &c->parts, &c->part_capacity, c->n_parts + 1, sizeof *c->parts))
    return false;
  StreamRoom room;
  Field stream = stream_name(c->common, b, e, c->stream, &room);
  c->parts[c->n_parts++] =
      (GemmPart){ .gemm = gemm,
                  .start_ns = e->ts_ns,
                  .end_ns = interval_end(e->ts_ns, e->dur_ns),
                  .seq = e->seq,
                  .kernel = e->name,
                  .stream = c->common->intern(c->common, stream.text, stream.len) };
  return true;
}

static bool is_gemm(const GemmCalls *c, const MillEvent *e)
{
  size_t len;
  return op_is_gemm(c->common->symbol_text(c->common, e->name, &len));
}

bool gemm_calls_see(GemmCalls *c, const MillBatch *b, const MillEvent *e)
{
  int64_t gemm;
  if (e->kind != MILL_SLICE) return true;
  TorchKind kind = torch_kind(&c->words, e);
  c->n_device += torch_is_device(kind);
  if (mill_attr_int(b, e, c->gemm, &gemm))
    return torch_is_device(kind) ? add_part(c, b, e, gemm) : add_call(c, b, e, gemm);
  c->n_no_work += kind == TORCH_OPERATOR && !mill_attr(b, e, c->subtree) && is_gemm(c, e);
  return true;
}

/* ---- the end of a lane */

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int part_order(const void *p, const void *q)
{
  const GemmPart *a = p, *b = q;
  int order = order_of(a->gemm, b->gemm);
  if (order == 0) order = order_of(a->start_ns, b->start_ns);
  if (order == 0) order = order_of(a->end_ns, b->end_ns);
  return order ? order : order_of((int64_t)a->seq, (int64_t)b->seq);
}

static int call_order(const void *p, const void *q)
{
  return order_of(((const GemmCall *)p)->gemm, ((const GemmCall *)q)->gemm);
}

bool gemm_calls_close(GemmCalls *c)
{
  size_t part = 0;
  sort_unless_in_order(c->parts, c->n_parts, sizeof *c->parts, part_order);
  sort_unless_in_order(c->calls, c->n, sizeof *c->calls, call_order);
  for (size_t i = 0; i < c->n; i++) {
    GemmCall *call = &c->calls[i];
    while (part < c->n_parts && c->parts[part].gemm < call->gemm) part++;
    call->first_part = part;
    while (part < c->n_parts && c->parts[part].gemm == call->gemm) part++;
    call->n_parts = (uint32_t)(part - call->first_part);
    if (call->n_parts) call->start_ns = c->parts[call->first_part].start_ns;
  }
  return true;
}
