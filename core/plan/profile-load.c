/* Loading a profile: its file, those it inherits from, and one list out of them all. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/printable.h"
#include "plan/profile-parts.h"

enum { LONGEST_CHAIN = 16 };

typedef struct Loader {
  const ProfileSearch *search;
  Problems problems;
  GPtrArray *layers; /* Layer: the profile itself first */
  GPtrArray *files;  /* resolved paths of the layers, to see cycles */
} Loader;

static Error *cycle(const Loader *l, const char *file, const Layer *child)
{
  g_autofree char *last = profile_stem(file), *safe = printable(last);
  GString *path = g_string_new(NULL);
  for (guint i = 0; i < l->layers->len; i++)
    g_string_append_printf(path, "%s > ", ((Layer *)l->layers->pdata[i])->name);
  Error *e =
      error_new(EXIT_PROFILE, "PRF-06", "profiles inherit from each other: %s%s", path->str, safe);
  g_string_free(path, TRUE);
  return error_at(e, "at %s", child->place_inherits);
}

static Error *too_long(const Layer *child)
{
  Error *e = error_new(EXIT_PROFILE, "PRF-06", "profiles inherit through more than %d files",
                       LONGEST_CHAIN);
  return error_at(e, "at %s", child->place_inherits);
}

/* The next layer; false when the chain cannot go on. */
static bool add_layer(Loader *l, const char *name, const Layer *child)
{
  Error *e = NULL;
  size_t len = 0;
  g_autofree char *file = profile_find(name, l->search, &e);
  char *real = file ? realpath(file, NULL) : NULL;
  if (file && !real) real = g_strdup(file);
  if (real && g_ptr_array_find_with_equal_func(l->files, real, g_str_equal, NULL))
    e = cycle(l, real, child);
  else if (l->layers->len >= LONGEST_CHAIN)
    e = error_join(e, too_long(child));
  /* The command line may name a pipe; a profile must not make the program wait for one. */
  else if (child && !e && g_file_test(real, G_FILE_TEST_EXISTS) &&
           !g_file_test(real, G_FILE_TEST_IS_REGULAR))
    e = profile_unreadable(real, "it is not a regular file");
  g_autofree char *text = e ? NULL : profile_read(file, &len, &e);
  if (real) g_ptr_array_add(l->files, real);
  if (e) {
    bool absent = e->kind == ERROR_UNKNOWN_PROFILE || e->kind == ERROR_UNREAD_PROFILE;
    if (child && absent) error_at(e, "at %s", child->place_inherits);
    problems_add(&l->problems, e);
    return false;
  }
  Layer *layer = layer_read(file, text, len, &l->problems);
  if (layer) g_ptr_array_add(l->layers, layer);
  return layer != NULL;
}

static void read_chain(Loader *l, const char *name)
{
  g_autofree char *next = g_strdup(name);
  const Layer *child = NULL;
  while (next && add_layer(l, next, child)) {
    child = l->layers->pdata[l->layers->len - 1];
    g_free(next);
    next = child->inherits ? path_beside(child->file, child->inherits) : NULL;
  }
}

static Profile *merge(Loader *l)
{
  Profile *profile = profile_new();
  for (guint i = l->layers->len; i-- > 0;) merge_layer(profile, l->layers->pdata[i], &l->problems);
  return profile;
}

static Error *unknown_param(const Profile *profile, const ProfileSetting *s, const char *name)
{
  Error *e = error_new(EXIT_PROFILE, "PRF-11", "unknown parameter \"%s\"", name);
  error_at(e, "at %s", s->place);
  named_suggest(e, name, profile->params);
  return error_help(e, "declare it under \"params\"; write a text that begins with a dollar sign "
                       "as \"$$...\"");
}

static void check_references(const Profile *profile, const GPtrArray *entries, Problems *problems)
{
  for (guint i = 0; i < entries->len; i++) {
    const ProfileEntry *entry = entries->pdata[i];
    for (guint k = 0; k < entry->with->len; k++) {
      const ProfileSetting *s = entry->with->pdata[k];
      const char *name = param_reference(s->text);
      if (name && !profile_param(profile, name))
        problems_add(problems, unknown_param(profile, s, name));
    }
  }
}

static void check_all_references(const Profile *profile, Problems *problems)
{
  check_references(profile, profile->entries, problems);
  check_references(profile, profile->sinks, problems);
  check_references(profile, profile->sources, problems);
}

Error *profile_load(const char *name_or_path, const ProfileSearch *search, Profile **out)
{
  Loader l = { .search = search,
               .layers = g_ptr_array_new_with_free_func((GDestroyNotify)layer_free),
               .files = g_ptr_array_new_with_free_func(free) };
  Profile *profile = NULL;
  read_chain(&l, name_or_path);
  if (!l.problems.n) profile = merge(&l);
  if (profile) check_all_references(profile, &l.problems);
  if (profile) check_param_targets(profile, &l.problems);
  g_ptr_array_unref(l.layers);
  g_ptr_array_unref(l.files);
  if (!l.problems.n) {
    *out = profile;
    return NULL;
  }
  profile_free(profile);
  return problems_take(&l.problems);
}
