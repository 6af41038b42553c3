/* Where rules are found; see rule-find.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/rule-find.h"

#include <string.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "model/printable.h"
#include "plan/profile-parts.h"

#define SUFFIX ".sql"

static char *stem_of(const char *path)
{
  char *name = g_path_get_basename(path);
  if (g_str_has_suffix(name, SUFFIX)) name[strlen(name) - strlen(SUFFIX)] = '\0';
  return name;
}

bool rule_is_file(const char *name)
{
  return g_str_has_suffix(name, SUFFIX) && strlen(name) > strlen(SUFFIX);
}

/* A folder of profiles, and `rules` beside it. */
static GPtrArray *rule_folders(const ProfileSearch *search)
{
  GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)search_folder_free);
  g_autoptr(GPtrArray) folders = profile_folders(search);
  for (guint i = 0; i < folders->len; i++) {
    const SearchFolder *f = folders->pdata[i];
    g_autofree char *parent = g_path_get_dirname(f->path);
    g_ptr_array_add(out, search_folder_new(g_strdup(f->path), f->origin));
    g_ptr_array_add(out, search_folder_new(g_build_filename(parent, "rules", NULL), f->origin));
  }
  return out;
}

static char *find_file(const char *name, const ProfileSearch *search)
{
  if (strchr(name, '/')) return g_strdup(name);
  g_autoptr(GPtrArray) folders = rule_folders(search);
  g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
  for (guint i = 0; i < folders->len; i++) {
    char *path = g_build_filename(((SearchFolder *)folders->pdata[i])->path, file, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) return path;
    g_free(path);
  }
  return NULL;
}

static Error *unknown_rule(const char *name, const ProfileSearch *search)
{
  g_autofree char *safe = printable(name);
  g_autoptr(GPtrArray) all = rule_list(search);
  Error *e = error_new(EXIT_PROFILE, "PRF-22", "unknown rule \"%s\"", safe);
  named_suggest(e, name, all);
  return error_help(e, "stagemill list rules    shows what is found, and where; --profile-path adds a folder");
}

static Error *unreadable(const char *path, Error *why)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_PROFILE, "PRF-22", "cannot read the rule \"%s\"", safe);
  if (why && why->why && why->why->len) error_why(e, "%s", (const char *)why->why->pdata[0]);
  if (why) e->status = why->status; /* memory that ran out is no fault of the rule */
  error_free(why);
  return e;
}

Error *rule_load(const char *name, const ProfileSearch *search, Rule **out)
{
  Error *e = NULL;
  size_t len = 0;
  *out = NULL;
  g_autofree char *path = find_file(name, search);
  if (!path) return unknown_rule(name, search);
  g_autofree char *stem = stem_of(path);
  char *text = profile_read(path, &len, &e);
  return text ? rule_read(stem, path, text, len, out) : unreadable(path, e);
}

/* ----------------------------------------------------------------------- list */

static void found_free(gpointer data)
{
  RuleFound *f = data;
  g_free(f->name);
  g_free(f->path);
  g_free(f->title);
  g_free(f);
}

static char *title_of(const char *path)
{
  Rule *r = NULL;
  error_free(rule_load(path, NULL, &r));
  char *title = g_strdup(r ? r->title : "(cannot be read)");
  rule_free(r);
  return title;
}

static void list_folder(const SearchFolder *folder, GHashTable *names, GPtrArray *out)
{
  g_autoptr(GPtrArray) files = folder_names(folder->path);
  for (guint i = 0; files && i < files->len; i++) {
    const char *file = files->pdata[i];
    if (!g_str_has_suffix(file, SUFFIX) || *file == '.') continue;
    RuleFound *found = g_new(RuleFound, 1);
    found->name = stem_of(file);
    found->path = g_build_filename(folder->path, file, NULL);
    found->title = title_of(found->path);
    found->origin = folder->origin;
    found->shadowed = !g_hash_table_add(names, found->name);
    g_ptr_array_add(out, found);
  }
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(RuleFound *const *)a)->name, (*(RuleFound *const *)b)->name);
}

GPtrArray *rule_list(const ProfileSearch *search)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(found_free);
  g_autoptr(GPtrArray) folders = rule_folders(search);
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < folders->len; i++) list_folder(folders->pdata[i], names, out);
  g_ptr_array_sort(out, by_name);
  return out;
}
