/* Looking for modules; see module-search.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "plan/module-trust.h"

static const struct {
  const char *folder;
  uint32_t kind;
} parts[] = { { "", 0 },
              { "stages", MILL_KIND_STAGE },
              { "plugins/source", MILL_KIND_SOURCE },
              { "plugins/sink", MILL_KIND_SINK } };

void candidate_free(Candidate *c)
{
  module_free(c->module);
  module_peek_clear(&c->peek);
  error_free(c->refusal);
  g_free(c->name);
  g_free(c->path);
  g_free(c);
}

void search_clear(Search *s)
{
  g_ptr_array_unref(s->folders);
  g_ptr_array_unref(s->candidates);
  g_ptr_array_unref(s->refused);
}

static void add_candidate(Search *s, const char *folder, const char *file, const char *origin,
                          uint32_t kind)
{
  Candidate *c = g_new0(Candidate, 1);
  c->name = g_strndup(file, strlen(file) - strlen(MODULE_SUFFIX));
  c->path = g_build_filename(folder, file, NULL);
  c->origin = origin;
  c->kind = kind;
  g_ptr_array_add(s->candidates, c);
}

static void add_files(Search *s, const char *path, const char *origin, uint32_t kind)
{
  g_autoptr(GPtrArray) names = folder_names(path);
  if (!names) g_ptr_array_add(s->refused, distrust_unreadable("the folder", path, origin));
  for (guint i = 0; names && i < names->len; i++) {
    const char *name = names->pdata[i];
    if (g_str_has_suffix(name, MODULE_SUFFIX) && *name != '.')
      add_candidate(s, path, name, origin, kind);
  }
}

static bool is_known_folder(const Search *s, const char *path)
{
  for (guint i = 0; i < s->folders->len; i++)
    if (strcmp(((SearchFolder *)s->folders->pdata[i])->path, path) == 0) return true;
  return false;
}

static void add_folder(Search *s, char *path, const char *origin, uint32_t kind)
{
  if (is_known_folder(s, path)) {
    g_free(path);
    return;
  }
  g_ptr_array_add(s->folders, search_folder_new(path, origin));
  Error *e = search_distrust(path, origin, true, s->allow_unsafe);
  if (e)
    g_ptr_array_add(s->refused, e);
  else
    add_files(s, path, origin, kind);
}

/* Links are followed first: what is checked and listed is the folder itself. */
static void add_root(Search *s, const char *root, const char *origin)
{
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
    g_autofree char *given = g_build_filename(root, parts[i].folder, NULL);
    char *path = realpath(given, NULL);
    if (path)
      add_folder(s, path, origin, parts[i].kind);
    else if (errno != ENOENT && errno != ENOTDIR)
      g_ptr_array_add(s->refused, distrust_unreadable("the folder", given, origin));
  }
}

/* Only the command line can point at a file. */
static void add_file(Search *s, const char *file, const char *origin)
{
  g_autofree char *path = realpath(file, NULL);
  if (!path) {
    g_ptr_array_add(s->refused, distrust_unreadable("the file", file, origin));
    return;
  }
  g_autofree char *folder = g_path_get_dirname(path);
  g_autofree char *name = g_path_get_basename(path);
  Error *e = search_distrust(folder, origin, true, s->allow_unsafe);
  if (e)
    g_ptr_array_add(s->refused, e);
  else
    add_candidate(s, folder, name, origin, 0);
}

static const char given_origin[] = SEARCH_GIVEN;

/* Without what was asked for by name, another module of that name would run. */
static void add_given(Search *s, const char *path)
{
  guint before = s->refused->len;
  if (g_file_test(path, G_FILE_TEST_IS_REGULAR) && g_str_has_suffix(path, MODULE_SUFFIX))
    add_file(s, path, given_origin);
  else if (g_file_test(path, G_FILE_TEST_IS_DIR))
    add_root(s, path, given_origin);
  else
    g_ptr_array_add(s->refused,
                    error_help(module_unfit("the folder", path, given_origin, "does not exist"),
                               "check the path"));
  if (!s->given && s->refused->len > before) s->given = s->refused->pdata[before];
}

/* A relative folder in the environment would make the current folder a place to run code from. */
static void add_by_origin(Search *s, const SearchFolder *folder)
{
  if (folder->origin == given_origin)
    add_given(s, folder->path);
  else if (g_path_is_absolute(folder->path))
    add_root(s, folder->path, folder->origin);
  else
    g_ptr_array_add(s->refused, error_help(module_unfit("the folder", folder->path, folder->origin,
                                                        "is not an absolute path"),
                                           "give an absolute path"));
}

void search_init(Search *s, const ModuleSearch *wanted)
{
  s->folders = g_ptr_array_new_with_free_func((GDestroyNotify)search_folder_free);
  s->candidates = g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);
  s->refused = g_ptr_array_new_with_free_func((GDestroyNotify)error_free);
  s->given = NULL;
  if (!wanted) return;
  s->allow_unsafe = wanted->allow_unsafe;
  s->try_first = wanted->try_first;
  g_autoptr(GPtrArray) folders = paths_search(
      wanted->paths, given_origin, wanted->no_env ? NULL : "STAGEMILL_STAGE_PATH", NULL,
      wanted->no_user ? NULL : paths_user_data(), wanted->no_installed ? NULL : paths_lib());
  for (guint i = 0; i < folders->len; i++) add_by_origin(s, folders->pdata[i]);
}
