/* Side inputs beside the traces; see beside.h. */
/* SPDX-License-Identifier: MIT */
#include "input/beside.h"

#include <string.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "input/open.h"
#include "model/engine.h"

static bool any_has(const Inputs *in, const char *fact)
{
  for (guint i = 0; i < in->lanes->len; i++)
    if (g_ptr_array_find_with_equal_func(inputs_lane(in, i)->facts, fact, g_str_equal, NULL))
      return true;
  return false;
}

/* In the order of inputs, each once; not those of standard input. */
static GPtrArray *folders_of(const Inputs *in)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) seen = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < in->list->len; i++) {
    const InputSpec *spec = ((const Input *)in->list->pdata[i])->spec;
    if (spec->no_file || !strcmp(spec->path, "-")) continue;
    g_autofree char *folder = g_path_get_dirname(spec->path);
    if (g_hash_table_contains(seen, folder)) continue;
    g_hash_table_add(seen, folder);
    g_ptr_array_add(folders, g_steal_pointer(&folder));
  }
  return folders;
}

typedef struct Search {
  const Descriptor *source;
  GHashTable *known; /* paths of inputs */
  GPtrArray *specs;  /* InputSpec: what was found */
} Search;

static GHashTable *paths_of(const Inputs *in)
{
  GHashTable *paths = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < in->list->len; i++)
    g_hash_table_add(paths, ((const Input *)in->list->pdata[i])->spec->path);
  return paths;
}

static void add_spec(const Search *s, const char *path)
{
  struct stat st;
  const int seen = folder_look(path, &st);
  if (seen <= 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) return;
  if (g_hash_table_contains(s->known, path)) return;
  InputSpec *spec = input_spec_new(path);
  spec->label = g_strdup(s->source->side);
  spec->folder = S_ISDIR(st.st_mode);
  spec->optional = true;
  g_ptr_array_add(s->specs, spec);
}

static void look_into(const Search *s, const char *folder)
{
  g_autoptr(GPtrArray) names = folder_names(folder);
  for (guint i = 0; names && i < names->len; i++) {
    const char *name = names->pdata[i];
    if (!source_is_beside(s->source, name)) continue;
    g_autofree char *path =
        strcmp(folder, ".") ? g_build_filename(folder, name, NULL) : g_strdup(name);
    add_spec(s, path);
  }
}

static Error *take(Inputs *in, const char *fact)
{
  const Descriptor *source = any_has(in, fact) ? NULL : sources_beside(in->env.sources, fact);
  if (!source) return NULL;
  g_autoptr(GPtrArray) folders = folders_of(in), specs = g_ptr_array_new();
  g_autoptr(GHashTable) known = paths_of(in);
  const Search search = { source, known, specs };
  for (guint i = 0; i < folders->len; i++) look_into(&search, folders->pdata[i]);
  const guint before = in->list->len;
  Error *e = specs->len ? inputs_open_more(in, specs) : NULL;
  for (guint i = before; i < in->list->len; i++)
    engine_note(&in->aside->notices, ENGINE_BESIDE, 0, "what",
                ((const Input *)in->list->pdata[i])->spec->path, "label", source->side, NULL);
  return e;
}

/* What stages before it provide, or the program itself by sorting, is not looked for. */
static bool is_provided(const Profile *profile, guint before, const char *fact)
{
  if (g_str_has_prefix(fact, "order.")) return true;
  for (guint i = 0; i < before; i++) {
    const ProfileEntry *entry = profile->entries->pdata[i];
    const char *const *provides = entry->enabled ? entry->module->stage->provides : NULL;
    if (provides && g_strv_contains(provides, fact)) return true;
  }
  return false;
}

Error *inputs_take_beside(Inputs *in, const Profile *profile)
{
  Error *errors = NULL;
  for (guint i = 0; i < profile->entries->len; i++) {
    const ProfileEntry *entry = profile->entries->pdata[i];
    const char *const *needs = entry->enabled ? entry->module->stage->needs : NULL;
    for (; needs && *needs; needs++)
      if (!is_provided(profile, i, *needs)) errors = error_join(errors, take(in, *needs));
  }
  return errors;
}
