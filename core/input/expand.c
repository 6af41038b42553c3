/* Folders among the inputs; see expand.h. */
/* SPDX-License-Identifier: MIT */
#include "input/expand.h"

#include <errno.h>
#include <string.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "base/num.h"
#include "model/engine.h"
#include "model/printable.h"
#include "plan/profile.h"

/* What every input of a folder takes from the folder's own spec. */
static void inherit(InputSpec *s, const InputSpec *folder)
{
  if (folder->source && !s->source) s->source = g_strdup(folder->source);
  if (folder->label) {
    g_free(s->label);
    s->label = g_strdup(folder->label);
  }
  s->rank = folder->rank;
  if (folder->tags) s->tags = g_ptr_array_ref(folder->tags);
}

/* Parts of a folder that could not be read: counted under --keep-going. */
static Error *judge_unseen(Inputs *in, Error *unseen)
{
  if (!in->aside->keep_going) return unseen;
  for (const Error *e = unseen; e; e = e->next)
    engine_note(&in->aside->notices, ENGINE_UNSEEN, 0, "what", e->what, NULL);
  error_free(unseen);
  return NULL;
}

/* ---------------------------------------------------------------- left out */

void expand_leave_out(Inputs *in, const char *path)
{
  g_autofree char *name = g_path_get_basename(path); /* the name that results use for the input */
  engine_note(&in->aside->notices, ENGINE_LEFT_OUT, 0, "what", name, NULL);
  g_ptr_array_add(in->left_out, g_strdup(path));
}

static GHashTable *paths_of_inputs(const GPtrArray *found, guint from)
{
  GHashTable *paths = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = from; i < found->len; i++)
    g_hash_table_add(paths, ((const InputSpec *)found->pdata[i])->path);
  return paths;
}

/* And files that tags of these inputs name, because they were read for them. */
static void add_named_by_tags(GHashTable *paths, const GPtrArray *found, guint from)
{
  for (guint i = from; i < found->len; i++) {
    const GPtrArray *tags = ((const InputSpec *)found->pdata[i])->card_tags;
    for (guint k = 0; tags && k < tags->len; k++) {
      char *value = strchr(tags->pdata[k], '=');
      if (value) g_hash_table_add(paths, value + 1);
    }
  }
}

static void leave_out_of(Inputs *in, const char *folder, GHashTable *known)
{
  g_autoptr(GPtrArray) names = folder_names(folder);
  for (guint i = 0; names && i < names->len; i++) {
    struct stat st;
    g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);
    bool hidden = *(const char *)names->pdata[i] == '.';
    if (hidden || g_hash_table_contains(known, path)) continue;
    if (folder_look(path, &st) > 0 && S_ISREG(st.st_mode)) expand_leave_out(in, path);
  }
}

/* Files in the folder, and beside the inputs that were found in it, that are no inputs. */
static void leave_out_others(Inputs *in, const char *folder, const GPtrArray *found, guint from)
{
  g_autoptr(GHashTable) known = paths_of_inputs(found, from),
                        seen = g_hash_table_new(hash_text, g_str_equal);
  g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
  if (g_hash_table_contains(known, folder)) return; /* the folder itself is an input */
  char *top = g_strdup(folder);
  for (size_t len = strlen(top); len > 1 && top[len - 1] == '/';) top[--len] = 0;
  g_ptr_array_add(folders, top);
  for (guint i = from; i < found->len; i++) {
    char *beside = g_path_get_dirname(((const InputSpec *)found->pdata[i])->path);
    if (g_hash_table_contains(known, beside))
      g_free(beside);
    else
      g_ptr_array_add(folders, beside);
  }
  add_named_by_tags(known, found, from);
  for (guint i = 0; i < folders->len; i++)
    if (g_hash_table_add(seen, folders->pdata[i])) leave_out_of(in, folders->pdata[i], known);
}

/* ------------------------------------------------------------- by a source */

static GPtrArray *copy_tags(const char *const *pairs)
{
  GPtrArray *tags = pairs ? g_ptr_array_new_with_free_func(g_free) : NULL;
  for (const char *const *p = pairs; p && *p; p++) g_ptr_array_add(tags, g_strdup(*p));
  return tags;
}

/* A tag rank=NUMBER sets the lane's rank, and is no tag. */
static void take_rank(InputSpec *s)
{
  for (guint i = 0; s->card_tags && i < s->card_tags->len; i++) {
    const char *pair = s->card_tags->pdata[i];
    if (!g_str_has_prefix(pair, "rank=")) continue;
    if (num_int(pair + 5, strlen(pair + 5), &s->folder_rank) && s->folder_rank >= 0)
      g_ptr_array_remove_index(s->card_tags, i--);
    else
      s->folder_rank = -1;
  }
}

static void add_input(void *finder, const MillInput *found)
{
  InputSpec *s = input_spec_new(found->path);
  s->source = g_strdup(found->source);
  s->label = g_strdup(found->label);
  s->card_tags = copy_tags(found->tags);
  take_rank(s);
  s->hints = copy_tags(found->hints);
  s->optional = !found->source;
  g_ptr_array_add(finder, s);
}

/* True: the source knows the layout. While the source looks, the folder is its lane. */
static bool expand_by(Inputs *in, const Descriptor *source, const InputSpec *folder,
                      FolderListing *listing, GPtrArray *out, Error **out_error)
{
  LaneInfo lane;
  guint before = out->len;
  lane_info_init(&lane, 0, folder->path);
  lane.name = g_strdup(folder->path);
  if (folder->label) text_replace(&lane.label, g_strdup(folder->label));
  Instance *i = instance_new(in->env.host, &lane, source, source->name);
  i->source_env = (SourceEnv){ .finder = out, .add_input = add_input, .listing = listing };
  instance_enter(i, PHASE_EXPAND);
  int status = source->source_ops->expand(source->given, &i->host.source, folder->path);
  *out_error = instance_leave(i, "searching a folder", status);
  Error *unseen = g_steal_pointer(&i->source_env.unseen);
  bool no_memory = unseen && unseen->status == EXIT_LIMIT;
  if (status != 0 || *out_error || no_memory)
    *out_error = error_join(judge_unseen(in, unseen), *out_error);
  else
    error_free(unseen); /* the folder is for another source, or its files are the inputs */
  i->source_env.listing = NULL;
  i->lane = NULL;
  i->tracks = NULL;
  lane_info_clear(&lane);
  for (guint k = before; k < out->len; k++) inherit(out->pdata[k], folder);
  g_ptr_array_add(in->expanders, i); /* its notices are shown with those of the others */
  if (status > 0 && out->len > before) leave_out_others(in, folder->path, out, before);
  if (status > 0) return out->len > before;
  while (out->len > before) /* the source takes back what it added */
    input_spec_free(g_ptr_array_steal_index(out, out->len - 1));
  return false;
}

/* -------------------------------------------------------------------- flat */

/* Side inputs by their names, where there is anything else. */
static void label_sides(Inputs *in, GPtrArray *found, guint from)
{
  guint n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (guint i = from; i < found->len; i++) {
      InputSpec *s = found->pdata[i];
      g_autofree char *name = g_path_get_basename(s->path);
      const Descriptor *source =
          s->label || s->source ? NULL : sources_of_name(in->env.sources, name);
      if (pass == 0) n += source != NULL;
      if (pass == 1 && source && n < found->len - from) s->label = g_strdup(source->side);
    }
}

static Error *expand_flat(Inputs *in, const InputSpec *folder, FolderListing *listing,
                          GPtrArray *out)
{
  g_autofree char *safe = printable(folder->path);
  const FolderEntry *entries = folder_list(listing, folder->path);
  if (!entries) return input_unseen(folder->path);
  guint before = out->len;
  Error *unseen = NULL;
  for (guint i = 0; i < listing->names->len; i++) {
    const FolderEntry *f = &entries[i];
    if (*f->name == '.') continue;
    errno = f->why;
    if (f->seen < 0) unseen = error_join(unseen, input_unseen(f->path));
    if (f->seen <= 0 || !S_ISREG(f->st.st_mode)) continue;
    InputSpec *s = input_spec_new(f->path);
    s->optional = true;
    inherit(s, folder);
    g_ptr_array_add(out, s);
  }
  unseen = judge_unseen(in, unseen);
  label_sides(in, out, before);
  if (unseen || out->len > before) return unseen;
  Error *e = error_new(EXIT_INPUT, "RUN-92", "there are no files in the folder \"%s\"", safe);
  return error_help(e, "files in subfolders are not read; for those quote a pattern, '%s/*/*.json'",
                    safe);
}

static Error *expand_in_turn(Inputs *in, const InputSpec *folder, FolderListing *listing,
                             GPtrArray *out)
{
  Error *e = NULL;
  const Descriptor *side = sources_of_side(in->env.sources, folder->label);
  const char *named = folder->source ? folder->source
                      : side         ? side->name
                                     : sources_named(in->env.sources);
  const Descriptor *source = named ? sources_find(in->env.sources, named, &e) : NULL;
  if (e) return e;
  if (source && source->source_ops->expand &&
      (expand_by(in, source, folder, listing, out, &e) || e))
    return e;
  for (guint i = 0; !named && (source = sources_at(in->env.sources, i)); i++) {
    if (!source->source_ops->expand) continue;
    if (expand_by(in, source, folder, listing, out, &e) || e) return e;
  }
  return expand_flat(in, folder, listing, out);
}

static Error *expand_one(Inputs *in, const InputSpec *folder, GPtrArray *out)
{
  FolderListing listing = { 0 };
  Error *e = expand_in_turn(in, folder, &listing, out);
  folder_listing_clear(&listing);
  return e;
}

static Error *expand_named(Inputs *in, const InputSpec *folder, GPtrArray *out)
{
  guint before = out->len;
  Error *e = expand_one(in, folder, out);
  g_autoptr(GRefString) name = g_ref_string_new(folder->path);
  for (guint i = before; i < out->len; i++)
    ((InputSpec *)out->pdata[i])->from = g_ref_string_acquire(name);
  return e;
}

Error *expand_folders(Inputs *in, GPtrArray *specs)
{
  g_autoptr(GPtrArray) out = g_ptr_array_new();
  Error *errors = NULL;
  for (guint i = 0; i < specs->len; i++) {
    InputSpec *s = specs->pdata[i];
    if (!s->folder) {
      g_ptr_array_add(out, s);
      continue;
    }
    errors = error_join(errors, aside_put(in->aside, expand_named(in, s, out)));
    input_spec_free(s);
  }
  g_ptr_array_set_size(specs, 0);
  g_ptr_array_extend(specs, out, NULL, NULL);
  return errors;
}
