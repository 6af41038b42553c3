/* Tracks: the (process, thread) rows of a lane, as small indexes. */
#include "model/track.h"

#include <glib.h>
#include <string.h>

#include "base/hash-seed.h"

#define FIRST_ROWS 32u

struct Tracks {
  MillTrack *rows;
  uint32_t n, max;
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

void tracks_clear(Tracks *t)
{
  g_free(t->rows);
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
  const MillTrack *row = &t->rows[index];
  uint32_t i = hash_row(row->lane, &row->process, &row->thread) & t->mask;
  while (t->slots[i]) i = (i + 1) & t->mask;
  t->slots[i] = index + 1;
}

static void grow(Tracks *t)
{
  t->max = t->max ? t->max * 2 : FIRST_ROWS;
  if (t->budget) {
    uint64_t bytes = (uint64_t)t->max * (sizeof(MillTrack) + 2 * sizeof(uint32_t));
    budget_take(t->budget, USE_TRACKS, bytes - t->charged);
    t->charged = bytes;
  }
  t->rows = g_renew(MillTrack, t->rows, t->max);
  g_free(t->slots);
  t->mask = t->max * 2 - 1;
  t->slots = g_new0(uint32_t, (size_t)t->mask + 1);
  for (uint32_t i = 0; i < t->n; i++) insert(t, i);
}

uint32_t tracks_find(Tracks *t, uint32_t lane, MillValue process, MillValue thread)
{
  for (uint32_t i = hash_row(lane, &process, &thread) & t->mask; t->n && t->slots[i];
       i = (i + 1) & t->mask) {
    const MillTrack *row = &t->rows[t->slots[i] - 1];
    if (row->lane == lane && value_equal(&row->process, &process) &&
        value_equal(&row->thread, &thread))
      return t->slots[i] - 1;
  }
  if (t->n == t->max) grow(t);
  t->rows[t->n] = (MillTrack){ sizeof(MillTrack), lane, process, thread };
  insert(t, t->n);
  return t->n++;
}

const MillTrack *tracks_get(const Tracks *t, uint32_t track)
{
  static const MillTrack none = { .size = sizeof(MillTrack), .lane = MILL_NO_LANE };
  return track < t->n ? &t->rows[track] : &none;
}

uint32_t tracks_count(const Tracks *t) { return t->n; }

uint32_t track_map_find(TrackMap *map, const Tracks *from, uint32_t track, Tracks *into,
                        uint32_t lane)
{
  if (track >= from->n) return MILL_FAILED;
  if (track >= map->n) {
    map->to = g_renew(uint32_t, map->to, from->n);
    memset(map->to + map->n, 0xff, (from->n - map->n) * sizeof(uint32_t));
    map->n = from->n;
  }
  const MillTrack *row = &from->rows[track];
  if (map->to[track] == UINT32_MAX)
    map->to[track] = tracks_find(into, lane, row->process, row->thread);
  return map->to[track];
}

void track_map_clear(TrackMap *map)
{
  g_free(map->to);
  *map = (TrackMap){ 0 };
}
