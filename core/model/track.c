/* Tracks: the (process, thread) rows of a lane, as small indexes. */
/* SPDX-License-Identifier: MIT */
#include "model/track.h"

#include <glib.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash-seed.h"

#define FIRST_ROWS 32u
#define PIECES 27 /* each twice as long as all before it */

/* Rows stay where they are: a thread may look at those that it knows of while another one adds some. */
struct Tracks {
  MillTrack **pieces; /* NULL: there are no rows, as of very many lanes that wait or are through */
  _Atomic uint32_t n;
  uint32_t max;
  uint32_t *slots; /* index + 1; 0 is free */
  uint32_t mask;
  Budget *budget; /* or NULL */
  uint64_t charged;
};

void tracks_charge_to(Tracks *t, Budget *budget) { t->budget = budget; }

static uint64_t value_bits(const MillValue *v)
{
  return v->type == MILL_SYM ? v->u.sym : v->type == MILL_INT ? (uint64_t)v->u.i : 0;
}

static bool value_equal(const MillValue *a, const MillValue *b)
{
  return a->type == b->type && value_bits(a) == value_bits(b);
}

static uint32_t hash_row(uint32_t lane, const MillValue *process, const MillValue *thread)
{
  uint64_t types = (uint64_t)lane << 32 | process->type << 8 | thread->type;
  uint64_t values = hash_pair(&hash_seed, value_bits(process), value_bits(thread));
  return (uint32_t)hash_pair(&hash_seed, values, types);
}

Tracks *tracks_new(void)
{
  return g_new0(Tracks, 1); /* very many lanes may wait until they are read */
}

/* Piece 0 has FIRST_ROWS rows, and so has piece 1; then they double. */
static MillTrack *row_at(const Tracks *t, uint32_t index)
{
  uint32_t piece = index < FIRST_ROWS ? 0 : 32 - (uint32_t)__builtin_clz(index / FIRST_ROWS);
  return &t->pieces[piece][piece ? index - (FIRST_ROWS << (piece - 1)) : index];
}

void tracks_clear(Tracks *t)
{
  for (int i = 0; t->pieces && i < PIECES; i++) g_free(t->pieces[i]);
  g_free(t->pieces);
  g_free(t->slots);
  if (t->budget) budget_give(t->budget, USE_TRACKS, t->charged);
  *t = (Tracks){ .budget = t->budget };
}

void tracks_free(Tracks *t)
{
  if (!t) return;
  tracks_clear(t);
  g_free(t);
}

static void insert(Tracks *t, uint32_t index)
{
  const MillTrack *row = row_at(t, index);
  uint32_t i = hash_row(row->lane, &row->process, &row->thread) & t->mask;
  while (t->slots[i]) i = (i + 1) & t->mask;
  t->slots[i] = index + 1;
}

static void grow(Tracks *t)
{
  uint32_t before = t->max, piece = 0;
  t->max = before ? before * 2 : FIRST_ROWS;
  if (!t->pieces) t->pieces = g_new0(MillTrack *, PIECES);
  while (t->pieces[piece]) piece++;
  if (t->budget) {
    uint64_t bytes = (uint64_t)t->max * (sizeof(MillTrack) + 2 * sizeof(uint32_t));
    budget_take(t->budget, USE_TRACKS, bytes - t->charged);
    t->charged = bytes;
  }
  t->pieces[piece] = g_new(MillTrack, t->max - before);
  g_free(t->slots);
  t->mask = t->max * 2 - 1;
  t->slots = g_new0(uint32_t, (size_t)t->mask + 1);
  for (uint32_t i = 0; i < t->n; i++) insert(t, i);
}

uint32_t tracks_look(const Tracks *t, uint32_t lane, MillValue process, MillValue thread)
{
  for (uint32_t i = hash_row(lane, &process, &thread) & t->mask; t->n && t->slots[i];
       i = (i + 1) & t->mask) {
    const MillTrack *row = row_at(t, t->slots[i] - 1);
    if (row->lane == lane && value_equal(&row->process, &process) &&
        value_equal(&row->thread, &thread))
      return t->slots[i] - 1;
  }
  return UINT32_MAX;
}

uint32_t tracks_find(Tracks *t, uint32_t lane, MillValue process, MillValue thread)
{
  uint32_t known = tracks_look(t, lane, process, thread);
  if (known != UINT32_MAX) return known;
  if (t->n == t->max) grow(t);
  *row_at(t, t->n) = (MillTrack){ sizeof(MillTrack), lane, process, thread };
  insert(t, t->n);
  return atomic_fetch_add_explicit(&t->n, 1, memory_order_release);
}

uint32_t tracks_count(const Tracks *t)
{
  return atomic_load_explicit(&((Tracks *)t)->n, memory_order_acquire);
}

const MillTrack *tracks_get(const Tracks *t, uint32_t track)
{
  static const MillTrack none = { .size = sizeof(MillTrack), .lane = MILL_NO_LANE };
  return track < tracks_count(t) ? row_at(t, track) : &none;
}

uint32_t track_map_find(TrackMap *map, const Tracks *from, uint32_t track, Tracks *into,
                        uint32_t lane)
{
  if (track >= from->n) return MILL_FAILED;
  if (track >= map->n) {
    map->to = g_renew(uint32_t, map->to, from->n);
    memset(map->to + map->n, 0xff, (from->n - map->n) * sizeof(uint32_t));
    map->n = from->n;
  }
  const MillTrack *row = row_at(from, track);
  if (map->to[track] == UINT32_MAX)
    map->to[track] = tracks_find(into, lane, row->process, row->thread);
  return map->to[track];
}

void track_map_clear(TrackMap *map)
{
  g_free(map->to);
  *map = (TrackMap){ 0 };
}
