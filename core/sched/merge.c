/* Whole scope: lanes are merged into one stream by (time, longest first, lane, seq, sub), and it is
 * split by track.
 * Times are put on the first lane's base. Events are numbered anew, so that equal times keep
 * this order in later stages. */
/* SPDX-License-Identifier: MIT */
#include "sched/merge.h"

#include <string.h>

#include "base/heap.h"
#include "input/bases.h"
#include "sched/lanes.h"
#include "store/gather.h"

typedef struct Head {
  Lane *lane;
  Held held; /* the next event of the lane */
  int64_t shift_ns;
  TrackMap tracks; /* from the lane to the merged stream */
} Head;

struct Merge {
  Run *run;
  Lane *merged;
  GPtrArray *lanes;
  Head *heads;
  Head **heap; /* lanes that have a next event, the smallest first */
  uint32_t n_heap;
  bool started;
  Gather *gather;
};

/* Absurd times stay absurd, and keep their order. */
static int64_t shifted(int64_t ts_ns, int64_t shift_ns)
{
  int64_t sum;
  if (!__builtin_add_overflow(ts_ns, shift_ns, &sum)) return sum;
  return shift_ns > 0 ? INT64_MAX : INT64_MIN;
}

static int64_t head_ts(const Head *h)
{
  const Held *held = &h->held;
  if (!pack_has_ts(held->pack, held->index)) return INT64_MIN;
  return shifted(pack_events(held->pack)[held->index].ts_ns, h->shift_ns);
}

/* Both are in the array of all heads, so the address gives the order of lanes. */
static bool head_before(Head *const *a, Head *const *b)
{
  const Head *x = *a, *y = *b;
  int64_t tx = head_ts(x), ty = head_ts(y);
  if (tx != ty) return tx < ty;
  int64_t dx = pack_dur_ns(x->held.pack, x->held.index),
          dy = pack_dur_ns(y->held.pack, y->held.index);
  return dx != dy ? dx > dy : x < y;
}

HEAP(heads, Head *, head_before)

static Error *start(Merge *m)
{
  m->started = true;
  m->gather = gather_new(m->run->pools.batches, m->run->pools.held_blocks);
  for (guint i = 0; i < m->lanes->len; i++) {
    Head *h = &m->heads[i];
    Error *e = store_peek(h->lane->store, false, &h->held);
    if (e) return e;
    if (h->held.pack) m->heap[m->n_heap++] = h;
  }
  heads_make(m->heap, m->n_heap);
  return NULL;
}

/* Moves past the smallest event. */
static Error *advance(Merge *m)
{
  Head *h = m->heap[0];
  Error *e = store_pass(h->lane->store, false);
  if (!e) e = store_peek(h->lane->store, false, &h->held);
  if (!h->held.pack) m->heap[0] = m->heap[--m->n_heap];
  heads_sink(m->heap, m->n_heap, 0);
  return e;
}

/* Events on an unknown track go to one without process and thread. */
static uint32_t map_track(Merge *m, Head *h, uint32_t track)
{
  const LaneInfo *own = h->lane->info;
  Tracks *merged = m->merged->info->tracks;
  uint32_t found = track_map_find(&h->tracks, own->tracks, track, merged, own->index);
  return found == MILL_FAILED ? tracks_find(merged, own->index, mill_none(), mill_none()) : found;
}

static void adapt(Merge *m, Head *h, MillEvent *e)
{
  e->track = map_track(m, h, e->track);
  e->seq = m->merged->info->n_events++;
  e->sub = 0;
  if (h->shift_ns && !(e->flags & MILL_FLAG_NO_TS)) mill_set_ts(e, shifted(e->ts_ns, h->shift_ns));
}

/* A single lane: its batches are passed on unchanged. */
static Error *next_of_one(Merge *m, bool with_bytes, Batch **out)
{
  Head *h = &m->heads[0];
  Error *e = store_next(h->lane->store, false, with_bytes, out);
  if (e || !*out) return e;
  (*out)->pub.lane = m->merged->info->index;
  for (uint32_t i = 0; i < (*out)->pub.n_events; i++) adapt(m, h, &(*out)->pub.events_[i]);
  m->merged->info->next_seq = m->merged->info->n_events;
  return NULL;
}

Error *merge_next(Merge *m, bool with_bytes, Batch **out)
{
  *out = NULL;
  if (m->lanes->len == 1) return next_of_one(m, with_bytes, out);
  Error *e = m->started ? NULL : start(m);
  if (e || !m->n_heap) return e;
  while (m->n_heap && !gather_is_full(m->gather) && !e) {
    Head *h = m->heap[0];
    adapt(m, h, gather_add(m->gather, h->held.pack, h->held.index));
    e = advance(m);
  }
  m->merged->info->next_seq = m->merged->info->n_events;
  if (!e) e = gather_end(m->gather, with_bytes, out);
  if (*out) (*out)->pub.lane = m->merged->info->index;
  return e;
}

void merge_free(Merge *m)
{
  if (!m) return;
  for (guint i = 0; i < m->lanes->len; i++) track_map_clear(&m->heads[i].tracks);
  gather_free(m->gather);
  g_free(m->heads);
  g_free(m->heap);
  g_ptr_array_unref(m->lanes);
  g_free(m);
}

static LaneInfo *merged_info(uint32_t index, const GPtrArray *lanes, Budget *budget)
{
  const LaneInfo *first = ((const Lane *)lanes->pdata[0])->info;
  LaneInfo *info = g_new(LaneInfo, 1);
  lane_info_init(info, index, NULL);
  tracks_charge_to(info->tracks, budget);
  info->merged = true;
  info->rank = lanes->len == 1 ? first->rank : -1;
  info->name = g_strdup(lanes->len == 1 ? first->name : "all lanes");
  text_replace(&info->dialect, g_strdup(first->dialect));
  return info;
}

/* Lanes without a base keep the times of their file, because their position is unknown. */
static void find_shifts(Merge *m)
{
  LaneInfo *merged = m->merged->info;
  for (guint i = 0; i < m->lanes->len && merged->base_ns == MILL_NO_BASE; i++)
    merged->base_ns = m->heads[i].lane->info->base_ns;
  for (guint i = 0; i < m->lanes->len; i++) {
    Head *h = &m->heads[i];
    if (h->lane->info->base_ns == MILL_NO_BASE) continue;
    if (__builtin_sub_overflow(h->lane->info->base_ns, merged->base_ns, &h->shift_ns) ||
        h->shift_ns == INT64_MIN) /* the split undoes it */
      h->shift_ns = 0;
  }
  g_autoptr(GPtrArray) infos = g_ptr_array_new();
  for (guint i = 0; i < m->lanes->len; i++) g_ptr_array_add(infos, m->heads[i].lane->info);
  bases_note_unknown(&m->run->aside, infos);
}

Lane *merge_lanes(Run *run, GPtrArray *lanes)
{
  Lane *merged = g_new0(Lane, 1);
  Merge *m = g_new0(Merge, 1);
  merged->info = merged_info(run->lanes.list->len, lanes, &run->pools.budget);
  merged->merge = m;
  m->run = run;
  m->merged = merged;
  m->lanes = g_ptr_array_ref(lanes);
  m->heads = g_new0(Head, lanes->len);
  m->heap = g_new0(Head *, lanes->len);
  for (guint i = 0; i < lanes->len; i++) m->heads[i].lane = lanes->pdata[i];
  find_shifts(m);
  return merged;
}

GPtrArray *merge_members(const Lane *merged) { return merged->merge->lanes; }

/* ------------------------------------------------------------------- split */

/* An event goes back to the lane of its track. A track that only the merged stream has goes to
 * the first lane. Times go back to the lane's own base. */
static guint *lanes_to_members(const Run *run, const GPtrArray *lanes)
{
  guint *members = g_new0(guint, run->lanes.list->len + 1);
  for (guint l = 0; l < lanes->len; l++) members[((const Lane *)lanes->pdata[l])->info->index] = l;
  return members;
}

static Error *route_event(Run *run, Lane *merged, const guint *members, const Batch *b,
                          const MillEvent *e)
{
  const MillTrack *row = tracks_get(merged->info->tracks, e->track);
  const Head *h = &merged->merge->heads[members[MIN(row->lane, run->lanes.list->len)]];
  MillEvent own = *e;
  own.track = tracks_find(h->lane->info->tracks, h->lane->info->index, row->process, row->thread);
  if (!(e->flags & MILL_FLAG_NO_TS)) own.ts_ns = shifted(e->ts_ns, -h->shift_ns);
  h->lane->info->next_seq = MAX(h->lane->info->next_seq, e->seq + 1);
  return store_append(h->lane->store, b, &own);
}

static Error *route_batch(Run *run, Lane *merged, const guint *members, const Batch *b)
{
  Error *e = NULL;
  for (uint32_t i = 0; i < b->pub.n_events && !e; i++)
    e = route_event(run, merged, members, b, &b->pub.events[i]);
  return e;
}

static Error *route_all(Run *run, Lane *merged, const guint *members)
{
  for (;;) {
    Batch *b;
    Error *e = store_next(merged->store, false, false, &b);
    if (e || !b) return e;
    e = route_batch(run, merged, members, b);
    batch_give(run->pools.batches, b);
    if (e) return e;
  }
}

Error *merge_split(Run *run, Lane *merged)
{
  GPtrArray *lanes = merge_members(merged);
  StoreEnv env = run_store_env(run);
  g_autofree guint *members = lanes_to_members(run, lanes);
  for (guint l = 0; l < lanes->len; l++) {
    Lane *lane = lanes->pdata[l];
    store_free(lane->store);
    lane->store = store_new(&env, false);
  }
  Error *e = route_all(run, merged, members);
  for (guint l = 0; l < lanes->len && !e; l++) e = store_close(((Lane *)lanes->pdata[l])->store);
  return e;
}
