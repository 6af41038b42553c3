/* The inputs of a run, and which of them each lane reads; see inputs.h. */
/* SPDX-License-Identifier: MIT */
#include "input/inputs.h"

#include "input/join.h"
#include "model/lane-names.h"

/* ------------------------------------------------------------- making them */

static void free_lane(gpointer lane)
{
  lane_info_clear(lane);
  g_free(lane);
}

Inputs *inputs_new(const InputEnv *env, SetAside *aside)
{
  Inputs *in = g_new0(Inputs, 1);
  in->env = *env;
  in->aside = aside;
  in->list = g_ptr_array_new_with_free_func((GDestroyNotify)input_free);
  in->joined = g_ptr_array_new_with_free_func((GDestroyNotify)join_free);
  in->lanes = g_ptr_array_new_with_free_func(free_lane);
  in->readers = g_ptr_array_new();
  in->ranks = g_array_new(FALSE, FALSE, sizeof(RankOfLane));
  in->left_out = g_ptr_array_new_with_free_func(g_free);
  in->expanders = g_ptr_array_new_with_free_func((GDestroyNotify)instance_free);
  return in;
}

void inputs_free(Inputs *in)
{
  if (!in) return;
  g_ptr_array_unref(in->expanders);
  g_ptr_array_unref(in->left_out);
  g_array_unref(in->ranks);
  g_ptr_array_unref(in->joined);
  g_ptr_array_unref(in->list);
  sources_free(in->env.sources);
  g_ptr_array_unref(in->readers);
  g_ptr_array_unref(in->lanes);
  g_free(in);
}

void inputs_add_lane(Inputs *in, Input *reader)
{
  if (reader->n_lanes == 1) reader->first_lane = reader->lane->index;
  g_ptr_array_add(in->lanes, reader->lane);
  g_ptr_array_add(in->readers, reader);
}

void inputs_follow(Inputs *in, Input *reader)
{
  reader->lane->next_index = in->lanes->len;
  input_follow(reader, in->lanes->len);
  inputs_add_lane(in, reader);
}

static gint by_rank(gconstpointer a, gconstpointer b)
{
  const LaneInfo *x = (*(const Input *const *)a)->lane, *y = (*(const Input *const *)b)->lane;
  if (x->side != y->side) return x->side ? 1 : -1;
  uint64_t one = (uint64_t)x->rank, other = (uint64_t)y->rank; /* without a rank: the largest */
  if (one != other) return one < other ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

void inputs_order_by_rank(Inputs *in)
{
  g_ptr_array_sort(in->readers, by_rank);
  for (guint i = 0; i < in->lanes->len; i++) {
    Input *reader = in->readers->pdata[i];
    in->lanes->pdata[i] = reader->lane;
    reader->lane->index = reader->first_lane = i;
  }
}

static gint by_rank_and_lane(gconstpointer a, gconstpointer b)
{
  const RankOfLane *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return (x->lane > y->lane) - (x->lane < y->lane);
}

static void list_ranks(Inputs *in)
{
  g_array_set_size(in->ranks, 0);
  for (guint i = 0; i < in->lanes->len; i++) {
    LaneInfo *lane = inputs_lane(in, i);
    const RankOfLane rank = { lane->rank, lane->index };
    if (lane->side) continue;
    g_array_append_val(in->ranks, rank);
    lane->ranks = in->ranks;
  }
  g_array_sort(in->ranks, by_rank_and_lane);
}

void inputs_name_lanes(Inputs *in)
{
  list_ranks(in);
  lane_names_set((LaneInfo *const *)in->lanes->pdata, in->lanes->len);
}

/* ------------------------------------------------------------------- asking */

LaneInfo *inputs_lane(const Inputs *in, guint index) { return in->lanes->pdata[index]; }

Input *inputs_reader(const Inputs *in, guint index) { return in->readers->pdata[index]; }

guint inputs_n_traces(const Inputs *in)
{
  guint n = in->lanes->len;
  while (n && inputs_lane(in, n - 1)->side) n--;
  return n;
}

uint64_t inputs_n_events(const Inputs *in)
{
  uint64_t n = 0;
  for (guint i = 0; i < in->lanes->len; i++) n += inputs_lane(in, i)->n_events;
  return n;
}

void inputs_progress(const Inputs *in, uint64_t *out_done, uint64_t *out_size)
{
  bool known = true;
  *out_done = *out_size = 0;
  for (guint i = 0; i < in->list->len; i++) {
    const Input *one = in->list->pdata[i];
    uint64_t before = atomic_load(&one->reading) * one->size_bytes;
    *out_done += (before + atomic_load(&one->done_bytes)) / one->readings;
    *out_size += one->size_bytes;
    known = known && one->size_bytes;
  }
  if (!known) *out_size = 0;
}

bool inputs_cancelled(const Inputs *in) { return in->env.host->cancelled(in->env.host->run); }

Error *inputs_check_unchanged(const Inputs *in)
{
  Error *errors = NULL;
  for (guint i = 0; i < in->list->len; i++)
    errors = error_join(errors, input_check_unchanged(in->list->pdata[i]));
  bool torn = block_pool_torn(in->env.blocks) || block_pool_torn(in->env.chunk_blocks);
  if (torn && !errors)
    errors = error_new(EXIT_INPUT, "RUN-04",
                       "an input cannot be read: it became shorter during the read");
  return errors;
}

static void add_once(GPtrArray *sources, GHashTable *seen, const Descriptor *source)
{
  if (source && g_hash_table_add(seen, (gpointer)source))
    g_ptr_array_add(sources, (gpointer)source);
}

GPtrArray *inputs_sources(const Inputs *in)
{
  GPtrArray *sources = g_ptr_array_new();
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < in->expanders->len; i++)
    add_once(sources, seen, ((const Instance *)in->expanders->pdata[i])->descriptor);
  for (guint i = 0; i < in->list->len; i++)
    add_once(sources, seen, ((const Input *)in->list->pdata[i])->source);
  return sources;
}
