/* Which files are of one rank; see joins.h. */
#include "sched/joins.h"

#include <string.h>
#include <sys/stat.h>

#include "base/hash-seed.h"
#include "input/job.h"
#include "input/join.h"
#include "model/engine.h"
#include "sched/lane.h"
#include "sched/lanes.h"

/* -------------------------------------------------------------------- which */

static bool same_texts(const GPtrArray *a, const GPtrArray *b)
{
  guint n = a ? a->len : 0;
  if (n != (b ? b->len : 0)) return false;
  for (guint i = 0; i < n; i++)
    if (strcmp(a->pdata[i], b->pdata[i]) != 0) return false;
  return true;
}

/* Inputs with another label or tag are another experiment, though they have the same rank. */
static bool belong_together(const Lane *a, const Lane *b)
{
  const InputSpec *x = a->input->spec, *y = b->input->spec;
  return !a->info->side && !b->info->side && a->info->rank >= 0 && a->info->rank == b->info->rank &&
         a->input->source == b->input->source && !strcmp(a->info->label, b->info->label) &&
         same_texts(x->tags, y->tags) && same_texts(x->card_tags, y->card_tags);
}

/* The lanes from `at` on that belong to the one there: they are taken out of the array. */
static GPtrArray *take_group(GPtrArray *lanes, guint at)
{
  Lane *first = lanes->pdata[at];
  GPtrArray *group = g_ptr_array_new();
  g_ptr_array_add(group, first);
  lanes->pdata[at] = NULL;
  for (guint i = at + 1; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    if (!lane || !belong_together(first, lane)) continue;
    g_ptr_array_add(group, lane);
    lanes->pdata[i] = NULL;
  }
  return group;
}

/* Its device and number; NULL: it is no file, or one of which several lanes each read a part. */
static char *file_key(const Input *in)
{
  struct stat st;
  if (!in->lane->path || in->spec->no_file || stat(in->lane->path, &st) != 0) return NULL;
  if (!S_ISREG(st.st_mode)) return NULL;
  return g_strdup_printf("%ju:%ju:%u", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, in->spec->part);
}

static Error *named_twice(const Input *in)
{
  Error *e = error_new(EXIT_INPUT, "RUN-34", "%s is named twice", in->lane->name);
  error_why(e, "its events would count twice");
  return error_help(e, "name it once; to compare it with itself, give each a label: a=%s b=%s",
                    in->lane->name, in->lane->name);
}

/* With another label or tag it is another experiment. */
Error *joins_refuse_twice(const Run *run)
{
  g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *lane = run->lanes->pdata[i];
    g_autofree char *file = lane->info->side ? NULL : file_key(lane->input);
    g_autofree char *experiment = lane_info_key(lane->info);
    char *key = file ? g_strconcat(file, "\n", experiment, NULL) : NULL;
    if (key && !g_hash_table_add(keys, key)) return named_twice(lane->input);
  }
  return NULL;
}

/* ------------------------------------------------------------------- joining */

/* Takes the lanes, of which only the inputs are left. */
static Lane *join_group(Run *run, const GPtrArray *group, uint32_t index)
{
  GPtrArray *files = g_ptr_array_new();
  Lane *lane = g_new0(Lane, 1);
  for (guint i = 0; i < group->len; i++) {
    Lane *of = group->pdata[i];
    g_ptr_array_add(files, of->input);
    g_free(of);
  }
  lane->input = join_new(&run->input_env, files, index);
  lane->info = lane->input->lane;
  g_ptr_array_add(run->joined, lane->input);
  return lane;
}

static Lane *make_lane(Run *run, const GPtrArray *group, uint32_t index)
{
  Lane *lane = group->pdata[0];
  for (guint i = 0; i < group->len && !lane->info->side; i++)
    job_name(((Lane *)group->pdata[i])->input, i);
  if (group->len > 1) return join_group(run, group, index);
  lane->info->index = lane->input->first_lane = index;
  return lane;
}

void joins_make(Run *run)
{
  GPtrArray *lanes = g_ptr_array_new_with_free_func((GDestroyNotify)lane_free);
  for (guint i = 0; i < run->lanes->len; i++) {
    if (!run->lanes->pdata[i]) continue;
    g_autoptr(GPtrArray) group = take_group(run->lanes, i);
    g_ptr_array_add(lanes, make_lane(run, group, lanes->len));
  }
  g_ptr_array_set_free_func(run->lanes, NULL);
  g_ptr_array_unref(run->lanes);
  run->lanes = lanes;
}

void joins_note_duplicates(Run *run)
{
  g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < run->lanes->len; i++) {
    LaneInfo *lane = ((Lane *)run->lanes->pdata[i])->info;
    if (!lane->side && lane->rank >= 0 && !g_hash_table_add(keys, lane_info_key(lane)))
      engine_note(&run->notices, ENGINE_DUPLICATE_RANK, lane->index, NULL);
  }
}

/* --------------------------------------------------------------------- bases */

static bool any_base(const GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++)
    if (lane_info_has_base(((const Input *)files->pdata[i])->lane)) return true;
  return false;
}

static void find_bases(Run *run, Lane *lane)
{
  Input *in = lane->input;
  if (!in->files) return;
  for (guint i = 0; i < in->files->len; i++)
    if (input_may_have_base(in->files->pdata[i]) && !run_cancelled(run))
      input_describe_again(in->files->pdata[i]);
  bool any = any_base(in->files);
  for (guint i = 0; any && i < in->files->len; i++)
    if (!lane_info_has_base(((const Input *)in->files->pdata[i])->lane))
      engine_note(&run->notices, ENGINE_UNKNOWN_BASE, lane->info->index, NULL);
  join_use_bases(in);
}

void joins_find_bases(Run *run)
{
  for (guint i = 0; i < run->lanes->len; i++) find_bases(run, run->lanes->pdata[i]);
}
