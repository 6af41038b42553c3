/* Which documents there are; see places.h. */
/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <string.h>

#include "base/trees.h"

void place_free(gpointer place)
{
  Place *p = place;
  if (!p) return;
  g_free(p->name);
  g_free(p->index);
  g_free(p);
}

/* ------------------------------------------------------------ lanes as they are asked for */

static MillLane lane_of(const void *common, uint32_t index)
{
  const MillHost *h = common;
  MillLane lane = { .size = sizeof lane };
  h->lane(h, index, &lane);
  return lane;
}

static const char *name_at(const void *common, uint32_t index)
{
  return lane_of(common, index).name;
}

static int64_t rank_at(const void *common, uint32_t index) { return lane_of(common, index).rank; }

static const char *tag_at(const void *common, uint32_t index, const char *tag)
{
  const MillHost *h = common;
  return h->tag(h, index, tag);
}

NameLanes places_lanes(const MillHost *common, bool merged)
{
  return (NameLanes){ .context = common,
                      .n = common->n_lanes(common),
                      .name = name_at,
                      .tag = tag_at,
                      .rank = rank_at,
                      .merged = merged };
}

/* -------------------------------------------------------------------- documents */

static void add(Place *p, uint32_t lane)
{
  p->index = g_renew(uint32_t, p->index, p->lanes.n + 1);
  p->index[p->lanes.n++] = lane;
  p->lanes.index = p->index;
}

/* All lanes: none has to be looked for. */
static void simplify(Place *p, uint32_t n_lanes)
{
  if (p->lanes.n < n_lanes) return;
  g_clear_pointer(&p->index, g_free);
  p->lanes.index = NULL;
}

Place *place_of_lane(const NamePattern *p, const NameLanes *lanes, uint32_t lane)
{
  Place *place = g_new0(Place, 1);
  place->name = name_of_lane(p, lanes, lane);
  if (!p->tags->len) return place; /* all lanes: each of very many asks */
  bool alone = name_pattern_has(p, NAME_RANK) && !lanes->merged;
  if (alone) add(place, lane);
  for (uint32_t i = 0; i < lanes->n && !alone; i++)
    if (name_same_group(p, lanes, lane, i)) add(place, i);
  simplify(place, lanes->n);
  return place;
}

GPtrArray *places_all(const NamePattern *p, const NameLanes *lanes, NameFault *out)
{
  g_autoptr(GPtrArray) names = name_of_lanes(p, lanes, out);
  g_autoptr(GTree) known = g_tree_new_full(trees_by_text, NULL, NULL, NULL); /* to Place * */
  if (!names) return NULL;
  GPtrArray *all = g_ptr_array_new_with_free_func(place_free);
  for (uint32_t i = 0; i < lanes->n; i++) {
    Place *place = g_tree_lookup(known, names->pdata[i]);
    if (!place) {
      place = g_new0(Place, 1);
      place->name = g_strdup(names->pdata[i]);
      g_ptr_array_add(all, place);
      g_tree_insert(known, place->name, place);
    }
    add(place, i);
  }
  for (guint i = 0; i < all->len; i++) simplify(all->pdata[i], lanes->n);
  return all;
}
