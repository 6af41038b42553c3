/* Files of one rank; see rank-files.h. */
/* SPDX-License-Identifier: MIT */
#include "input/rank-files.h"

#include <string.h>

#include "base/hash-seed.h"
#include "input/job.h"
#include "input/join.h"
#include "model/engine.h"

/* -------------------------------------------------------------------- which */

static bool same_texts(const GPtrArray *a, const GPtrArray *b)
{
  guint n = a ? a->len : 0;
  if (n != (b ? b->len : 0)) return false;
  for (guint i = 0; i < n; i++)
    if (strcmp(a->pdata[i], b->pdata[i]) != 0) return false;
  return true;
}

/* Inputs with different labels or tags are different experiments, even if their rank is the
 * same. */
static bool belong_together(const Input *a, const Input *b)
{
  const LaneInfo *x = a->lane, *y = b->lane;
  return !x->side && !y->side && x->rank >= 0 && x->rank == y->rank && a->source == b->source &&
         !strcmp(x->label, y->label) && same_texts(a->spec->tags, b->spec->tags) &&
         same_texts(a->spec->card_tags, b->spec->card_tags);
}

/* The inputs from `at` on that belong to the one there; takes them out of the array. */
static GPtrArray *take_group(GPtrArray *readers, guint at)
{
  Input *first = readers->pdata[at];
  GPtrArray *group = g_ptr_array_new();
  g_ptr_array_add(group, first);
  readers->pdata[at] = NULL;
  for (guint i = at + 1; i < readers->len; i++) {
    Input *reader = readers->pdata[i];
    if (!reader || !belong_together(first, reader)) continue;
    g_ptr_array_add(group, reader);
    readers->pdata[i] = NULL;
  }
  return group;
}

/* ------------------------------------------------------------------- joining */

/* Takes the group; its lanes are then those of the files. */
static Input *join_group(Inputs *in, GPtrArray *group, uint32_t index)
{
  Input *joined = join_new(&in->env, group, index);
  g_ptr_array_add(in->joined, joined);
  return joined;
}

/* Takes the group. */
static Input *reader_of(Inputs *in, GPtrArray *group, uint32_t index)
{
  Input *reader = group->pdata[0];
  for (guint i = 0; i < group->len && !reader->lane->side; i++) job_name(group->pdata[i], i);
  if (group->len > 1) return join_group(in, group, index);
  g_ptr_array_unref(group);
  reader->lane->index = reader->first_lane = index;
  return reader;
}

void rank_files_join(Inputs *in)
{
  g_autoptr(GPtrArray) before = g_steal_pointer(&in->readers);
  in->readers = g_ptr_array_new();
  for (guint i = 0; i < before->len; i++)
    if (before->pdata[i])
      g_ptr_array_add(in->readers, reader_of(in, take_group(before, i), in->readers->len));
  for (guint i = 0; i < in->readers->len; i++) in->lanes->pdata[i] = inputs_reader(in, i)->lane;
  while (in->lanes->len > in->readers->len)
    g_ptr_array_steal_index(in->lanes, in->lanes->len -
                                           1); /* it has another place now, or is that of a file */
}

void rank_files_note_duplicates(Inputs *in)
{
  g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < in->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(in, i);
    if (!lane->side && lane->rank >= 0 && !g_hash_table_add(keys, lane_info_key(lane)))
      engine_note(&in->aside->notices, ENGINE_DUPLICATE_RANK, lane->index, NULL);
  }
}

/* --------------------------------------------------------------------- bases */

static bool any_base(const GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++)
    if (lane_info_has_base(((const Input *)files->pdata[i])->lane)) return true;
  return false;
}

static void find_bases(Inputs *in, Input *joined)
{
  const GPtrArray *files = joined->files;
  for (guint i = 0; i < files->len; i++)
    if (input_may_have_base(files->pdata[i]) && !inputs_cancelled(in))
      input_describe_again(files->pdata[i]);
  bool any = any_base(files);
  for (guint i = 0; any && i < files->len; i++)
    if (!lane_info_has_base(((const Input *)files->pdata[i])->lane))
      engine_note(&in->aside->notices, ENGINE_UNKNOWN_BASE, joined->lane->index, NULL);
  join_use_bases(joined);
}

void rank_files_find_bases(Inputs *in)
{
  for (guint i = 0; i < in->joined->len; i++) find_bases(in, in->joined->pdata[i]);
}
