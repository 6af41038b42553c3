/* What is known of a lane; see lane-info.h. */
/* SPDX-License-Identifier: MIT */
#include "model/lane-info.h"

#include <string.h>

#include "base/num.h"
#include "base/tag-text.h"

static void member_free(gpointer data)
{
  LaneMember *m = data;
  g_free(m->key);
  g_bytes_unref(m->json);
  g_free(m);
}

void lane_info_init(LaneInfo *l, uint32_t index, const char *path)
{
  memset(l, 0, sizeof *l);
  l->index = index;
  l->rank = -1;
  atomic_init(&l->base_ns, MILL_NO_BASE);
  l->label = g_strdup("");
  l->dialect = g_strdup("");
  l->path = path;
  pthread_mutex_init(&l->lock, NULL);
  l->tags = tags_new();
  l->facts = g_ptr_array_new_with_free_func(g_free);
  l->members = g_ptr_array_new_with_free_func(member_free);
  l->tracks = tracks_new();
}

void lane_info_clear(LaneInfo *l)
{
  g_free(l->name);
  g_free(l->input);
  g_free(l->label);
  g_free(l->dialect);
  g_free(l->rank_origin);
  g_ptr_array_unref(l->tags);
  g_ptr_array_unref(l->facts);
  g_ptr_array_unref(l->members);
  if (l->charged_to) budget_give(l->charged_to, USE_INPUTS, l->charged);
  tracks_free(l->tracks);
  pthread_mutex_destroy(&l->lock);
}

void lane_info_lock(const LaneInfo *l) { pthread_mutex_lock((pthread_mutex_t *)&l->lock); }

void lane_info_unlock(const LaneInfo *l) { pthread_mutex_unlock((pthread_mutex_t *)&l->lock); }

void lane_info_add_member(LaneInfo *l, LaneMember member, Budget *budget)
{
  uint64_t bytes = sizeof member + strlen(member.key) + g_bytes_get_size(member.json);
  l->charged_to = budget;
  l->charged += bytes;
  budget_take(budget, USE_INPUTS, bytes);
  lane_info_lock(l);
  g_ptr_array_add(l->members, g_memdup2(&member, sizeof member));
  lane_info_unlock(l);
}

static int rank_weight(const char *origin)
{
  static const char *const weights[] = { "first event", "file name",    "metadata",
                                         "folder",      "--rank-regex", "pattern" };
  for (int i = 0; origin && i < (int)G_N_ELEMENTS(weights); i++)
    if (!strcmp(origin, weights[i])) return i + 1;
  return 0;
}

void lane_info_set_rank(LaneInfo *l, int64_t rank, const char *origin)
{
  if (rank < 0 || rank > LANE_MOST_RANK) return;
  if (rank_weight(origin) <= rank_weight(l->rank_origin)) return;
  l->rank = rank;
  g_free(l->rank_origin);
  l->rank_origin = g_strdup(origin);
}

void lane_info_set_base(LaneInfo *l, int64_t base_ns)
{
  if (l->base_fixed)
    l->final_base_ns = base_ns;
  else
    l->base_ns = base_ns;
  l->base_differs = l->base_fixed;
}

void lane_info_add_fact(LaneInfo *l, const char *fact)
{
  if (!g_ptr_array_find_with_equal_func(l->facts, fact, g_str_equal, NULL))
    g_ptr_array_add(l->facts, g_strdup(fact));
}

bool lane_info_has_base(const LaneInfo *l) { return l->base_differs || l->base_ns != MILL_NO_BASE; }

const char *lane_info_input(const LaneInfo *l) { return l->input ? l->input : l->name; }

/* The first place of that rank, or of a larger one. */
static guint place_of_rank(const GArray *ranks, int64_t rank)
{
  guint first = 0, end = ranks->len;
  while (first < end) {
    guint middle = first + (end - first) / 2;
    if (g_array_index(ranks, RankOfLane, middle).rank < rank)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* Another lane of that rank, or of the lane's own, as a number; "": there is none. */
static const char *other_of_rank(const LaneInfo *l, const char *digits, char **out_made)
{
  int64_t rank = l->rank;
  if (!l->ranks || (*digits && !num_int(digits, strlen(digits), &rank))) return NULL;
  for (guint i = place_of_rank(l->ranks, rank); i < l->ranks->len; i++) {
    const RankOfLane *r = &g_array_index(l->ranks, RankOfLane, i);
    if (r->rank != rank) break;
    if (r->lane != l->index) return *out_made = g_strdup_printf("%u", r->lane);
  }
  return "";
}

const char *lane_info_tag(const LaneInfo *l, const char *name, char **out_made)
{
  const char *value = tags_get(l->tags, name);
  if (value) return value;
  if (g_str_has_prefix(name, TAG_OTHER_OF_RANK))
    return other_of_rank(l, name + strlen(TAG_OTHER_OF_RANK), out_made);
  if (!strcmp(name, "label")) return *l->label ? l->label : NULL;
  if (!strcmp(name, "input")) return lane_info_input(l);
  if (!strcmp(name, "rank") && l->rank >= 0)
    return *out_made = g_strdup_printf("%" G_GINT64_FORMAT, l->rank);
  if (!strcmp(name, "file") && l->path) return *out_made = g_path_get_basename(l->path);
  return NULL;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
  return strcmp((*(const Tag *const *)a)->name, (*(const Tag *const *)b)->name);
}

char *lane_info_key(const LaneInfo *l)
{
  GString *key = g_string_new(NULL);
  g_autoptr(GPtrArray) tags = g_ptr_array_new();
  for (guint i = 0; i < l->tags->len; i++) g_ptr_array_add(tags, l->tags->pdata[i]);
  g_ptr_array_sort(tags, by_name);
  g_string_append_printf(key, "%" G_GINT64_FORMAT "\n%zu %s", l->rank, strlen(l->label), l->label);
  for (guint i = 0; i < tags->len; i++) {
    const Tag *tag = tags->pdata[i];
    g_string_append_printf(key, "\n%zu %s=%zu %s", strlen(tag->name), tag->name, strlen(tag->value),
                           tag->value);
  }
  return g_string_free(key, FALSE);
}

/* ---------------------------------------------------------------- as bytes */

void lane_info_save(const LaneInfo *l, Summary *out)
{
  summary_put_int(out, l->rank);
  summary_put_string(out, l->rank_origin);
  summary_put_int(out, l->base_ns);
  summary_put_int(out, l->final_base_ns);
  summary_put_int(out, l->base_fixed);
  summary_put_int(out, l->base_differs);
  summary_put_int(out, l->skipped);
  summary_put_int(out, l->timed);
  summary_put_int(out, l->has_rows);
  summary_put_int(out, l->eventful);
  summary_put_int(out, (int64_t)l->n_events);
  summary_put_int(out, (int64_t)l->next_seq);
  summary_put_int(out, l->tags->len);
  for (guint i = 0; i < l->tags->len; i++) {
    const Tag *tag = l->tags->pdata[i];
    summary_put_string(out, tag->name);
    summary_put_string(out, tag->value);
    summary_put_int(out, tag->weight);
  }
}

static void load_tag(LaneInfo *l, Summary *from)
{
  g_autofree char *name = summary_get_string(from), *value = summary_get_string(from);
  TagWeight weight = (TagWeight)summary_get_int(from);
  if (!name || !value) from->broken = true;
  if (from->broken) return;
  g_autofree char *pair = g_strdup_printf("%s=%s", name, value);
  tags_set(l->tags, pair, weight);
}

void lane_info_load(LaneInfo *l, Summary *from)
{
  l->rank = summary_get_int(from);
  g_free(l->rank_origin);
  l->rank_origin = summary_get_string(from);
  l->base_ns = summary_get_int(from);
  l->final_base_ns = summary_get_int(from);
  l->base_fixed = summary_get_int(from) != 0;
  l->base_differs = summary_get_int(from) != 0;
  l->skipped = summary_get_int(from) != 0;
  l->timed = summary_get_int(from) != 0;
  l->has_rows = summary_get_int(from) != 0;
  l->eventful = summary_get_int(from) != 0;
  l->n_events = (uint64_t)summary_get_int(from);
  l->next_seq = (uint64_t)summary_get_int(from);
  uint64_t n = summary_get_count(from, 3);
  for (uint64_t i = 0; i < n && !from->broken; i++) load_tag(l, from);
}
