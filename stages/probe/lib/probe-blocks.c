/* Blocks of a launch and the slots of its SMs; see probe-blocks.h. */
/* SPDX-License-Identifier: MIT */
#include "probe/lib/probe-blocks.h"

#include "kit/state/grow.h"
#include "kit/state/search.h"

void probe_blocks_open(ProbeBlocks *x, const MillHost *common, int64_t max_held)
{
  *x = (ProbeBlocks){ .common = common, .max_held = max_held, .section = -1 };
  probe_open(&x->reader, common);
}

/* ---------------------------------------------------------------- warps come */

static int begin_block(ProbeBlocks *x, const ProbeUnit *u)
{
  /* Numbers of blocks have 32 bits. */
  uint64_t n = x->n < UINT32_MAX ? x->n + 1 : UINT64_MAX;
  int status = probe_check_held(x->common, n, sizeof *x->at, x->max_held);
  if (status < 0) return status;
  if (x->section < 0) {
    x->section = u->section - x->reader.sections;
    x->in_ns = u->section->kind == PROBE_SCHED;
    x->warp_width = u->section->level;
    x->warps_per_block = u->section->level ? x->reader.threads / u->section->level : 0;
  }
  if (!array_reserve(x->common, &x->at, &x->capacity, x->n + 1, sizeof *x->at)) return -MILL_LIMIT;
  x->at[x->n++] = (ProbeBlock){ .start = PROBE_NO_START };
  return 0;
}

static int set_length(ProbeBlocks *x, uint64_t block, int64_t length)
{
  ProbeBlock *p = &x->at[block];
  bool was = p->length == UINT32_MAX;
  if (length < UINT32_MAX) {
    p->length = (uint32_t)length;
    return 0;
  }
  p->length = UINT32_MAX;
  if (!was) {
    if (!array_reserve(x->common, &x->long_ones, &x->long_capacity, x->n_long + 1,
                       sizeof *x->long_ones))
      return -MILL_LIMIT;
    x->long_ones[x->n_long++].block = block;
  }
  x->long_ones[x->n_long - 1].length = length;
  return 0;
}

int64_t probe_long_block(const ProbeBlocks *x, uint64_t block)
{
  size_t at = FIRST_NOT(x->n_long, i, x->long_ones[i].block < block);
  return at < x->n_long ? x->long_ones[at].length : UINT32_MAX;
}

typedef struct WarpLists { /* of a record, one warp or all of a block */
  const MillAttr *start, *elapsed, *sm;
  size_t n;
} WarpLists;

static bool take_lists(const ProbeBlocks *x, const ProbeUnit *u, WarpLists *out)
{
  out->start = probe_list(&x->reader, u, PROBE_START, &out->n);
  if (out->n == 0) return false;
  out->elapsed = probe_list_behind(&x->reader, u, out->start + out->n, PROBE_ELAPSED, out->n);
  if (!out->elapsed) return false;
  out->sm = probe_list_behind(&x->reader, u, out->elapsed + out->n, PROBE_SMID, out->n);
  return out->sm != NULL;
}

static void begin_with(ProbeBlock *p, const WarpLists *w, size_t i)
{
  p->start = w->start[i].u.i;
  p->sm = (uint32_t)w->sm[i].u.i;
  p->warp0_elapsed = (uint32_t)w->elapsed[i].u.i;
}

/* The block's first and last time become those of its warps, too; what was not written is none. */
static int add_warps(ProbeBlocks *x, const ProbeUnit *u)
{
  WarpLists w;
  uint64_t block = (uint64_t)u->block;
  int64_t length, end;
  size_t i = 0;
  int status = 0;
  if (!take_lists(x, u, &w)) return 0;
  while (block >= x->n && status == 0) status = begin_block(x, u);
  if (status < 0) return status;
  ProbeBlock *p = &x->at[block];
  while (i < w.n && !probe_has_run(w.start[i].u.i, (uint64_t)w.elapsed[i].u.i)) i++;
  if (i == w.n) return 0;
  bool first = p->start == PROBE_NO_START;
  if (first) begin_with(p, &w, i);
  int64_t begin = p->start, last = begin, warp0 = begin + p->warp0_lag;
  if (!first) last += probe_block_length(x, block);
  for (; i < w.n; i++) {
    int64_t start = w.start[i].u.i, elapsed = (int64_t)(uint32_t)w.elapsed[i].u.i;
    if (!probe_has_run(start, (uint64_t)elapsed)) continue;
    if (start == PROBE_NO_START || __builtin_add_overflow(start, elapsed, &end))
      return probe_too_far(x->common);
    if (start < begin) begin = start;
    if (end > last) last = end;
  }
  if (!probe_span_add(&x->span, begin, last)) return probe_too_far(x->common);
  length = last - begin;
  p->warp0_lag = warp0 - begin > UINT32_MAX ? UINT32_MAX : (uint32_t)(warp0 - begin);
  p->start = begin;
  return set_length(x, block, length);
}

int probe_blocks_take(ProbeBlocks *x, const MillBatch *b)
{
  ProbeUnit u;
  for (uint32_t i = 0; probe_next_unit(&x->reader, b, &i, &u);) {
    if (u.section->kind > PROBE_SCHED || u.place) continue;
    if (x->section >= 0 && u.section != &x->reader.sections[x->section]) continue;
    int status = add_warps(x, &u);
    if (status < 0) return status;
  }
  return 0;
}

bool probe_blocks_by_sm(const ProbeBlocks *x, ProbeSms *out)
{
  const ProbeBlockColumns columns = { x->n ? &x->at->start : NULL, sizeof *x->at,
                                      x->n ? &x->at->sm : NULL, sizeof *x->at, x->n };
  return probe_sms_make(out, x->common, &columns);
}

/* -------------------------------------------------------------------- slots */

static bool before(const struct ProbeOpen *a, const struct ProbeOpen *b)
{
  return a->end != b->end ? a->end < b->end : a->slot < b->slot;
}

static void sink(struct ProbeOpen *heap, uint32_t n)
{
  struct ProbeOpen moved = heap[0];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && before(&heap[child + 1], &heap[child])) child++;
    if (!before(&heap[child], &moved)) break;
    heap[i] = heap[child];
  }
  heap[i] = moved;
}

static void rise(struct ProbeOpen *heap, uint32_t i)
{
  struct ProbeOpen moved = heap[i];
  for (; i > 0 && before(&moved, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = moved;
}

static bool place_one(ProbeSlots *s, ProbePlaced *out)
{
  int64_t start = out->start, end = out->end;
  out->gap = -1;
  if (s->n_slots && s->heap[0].end <= start) {
    out->gap = start - s->heap[0].end;
    out->slot = s->heap[0].slot;
    s->heap[0].end = end;
    sink(s->heap, s->n_slots);
    return true;
  }
  if (!array_reserve(s->common, &s->heap, &s->heap_capacity, s->n_slots + 1u, sizeof *s->heap))
    return false;
  out->slot = s->n_slots;
  s->heap[s->n_slots] = (struct ProbeOpen){ end, s->n_slots };
  rise(s->heap, s->n_slots++);
  return true;
}

/* Blocks of an SM are far from each other in memory: what is needed soon is asked for. */
enum { AHEAD = 12 };

static void gather(ProbeSlots *s, const ProbeBlocks *x, const ProbeSm *m)
{
  for (size_t i = 0; i < m->n; i++) {
    if (i + AHEAD < m->n) __builtin_prefetch(&x->at[m->blocks[i + AHEAD]]);
    s->rows[2 * i] = x->at[m->blocks[i]].start;
    s->rows[2 * i + 1] = m->blocks[i];
  }
}

bool probe_place(ProbeSlots *s, const ProbeBlocks *x, const ProbeSm *m)
{
  if (!array_reserve(s->common, &s->rows, &s->rows_capacity, 2 * m->n, sizeof *s->rows) ||
      !array_reserve(s->common, &s->placed, &s->capacity, m->n, sizeof *s->placed))
    return false;
  gather(s, x, m);
  probe_sort_starts(s->rows, m->n);
  s->n = m->n;
  s->n_slots = 0;
  for (size_t i = 0; i < m->n; i++) {
    uint32_t block = (uint32_t)s->rows[2 * i + 1];
    int64_t start = s->rows[2 * i];
    if (i + AHEAD < m->n) __builtin_prefetch(&x->at[s->rows[2 * (i + AHEAD) + 1]].length);
    s->placed[i] = (ProbePlaced){ .block = block,
                                  .start = start,
                                  .end = start + probe_block_length(x, block) };
    if (!place_one(s, &s->placed[i])) return false;
  }
  return true;
}
