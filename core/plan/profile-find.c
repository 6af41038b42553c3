/* Where profiles are found: paths, the search path, and the list of all. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "base/json-value.h"
#include "model/log.h"
#include "model/printable.h"
#include "plan/paths.h"
#include "plan/profile-parts.h"

#define SUFFIX ".json"
enum { FIRST_PIECE = 16 << 10, LONGEST_FILE = 4 << 20 };

/* A relative element of the environment would be a file of the current folder: skipped. */
GPtrArray *profile_folders(const ProfileSearch *search)
{
  g_autofree char *config = paths_user_config(), *own = paths_user_data(), *data = paths_data();
  GPtrArray *folders =
      paths_search(search ? search->paths : NULL, "--profile-path", "STAGEMILL_PROFILE_PATH",
                   config ? g_build_filename(config, "profiles", NULL) : NULL,
                   own ? g_build_filename(own, "profiles", NULL) : NULL,
                   g_build_filename(data, "profiles", NULL));
  for (guint i = folders->len; i-- > 0;) {
    const SearchFolder *folder = folders->pdata[i];
    if (!strcmp(folder->origin, "environment") && !g_path_is_absolute(folder->path))
      g_ptr_array_remove_index(folders, i);
  }
  return folders;
}

char *profile_stem(const char *path)
{
  char *name = g_path_get_basename(path);
  if (g_str_has_suffix(name, SUFFIX) && strlen(name) > strlen(SUFFIX))
    name[strlen(name) - strlen(SUFFIX)] = '\0';
  return name;
}

static Error *no_such_profile(const char *name, const ProfileSearch *search)
{
  Error *unseen = NULL;
  g_autofree char *safe = printable(name);
  g_autoptr(GPtrArray) all = profile_list(search, &unseen);
  if (unseen) return unseen;
  Error *e = error_new(EXIT_PROFILE, "PRF-01", "unknown profile \"%s\"", safe);
  error_of_kind(e, ERROR_UNKNOWN_PROFILE);
  named_suggest(e, name, all);
  if (g_str_has_suffix(name, SUFFIX))
    error_help(e, "write ./%s for a file of the current folder", safe);
  return error_help(e, "stagemill list profiles    shows what is found, and where");
}

char *profile_find(const char *name, const ProfileSearch *search, Error **out_error)
{
  *out_error = NULL;
  if (strchr(name, '/')) return g_strdup(name);
  g_autoptr(GPtrArray) folders = profile_folders(search);
  for (guint i = 0; *name && i < folders->len; i++) {
    g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
    char *path = g_build_filename(((SearchFolder *)folders->pdata[i])->path, file, NULL);
    struct stat st;
    int seen = folder_look(path, &st), why = errno;
    if (seen > 0) return path;
    if (seen < 0 && !error_is_answer(why))
      *out_error = error_of_errno(profile_unreadable(path, g_strerror(why)), why);
    g_free(path);
    if (*out_error) return NULL;
  }
  *out_error = no_such_profile(name, search);
  return NULL;
}

Error *profile_unreadable(const char *path, const char *why)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_PROFILE, "PRF-01", "cannot read the profile \"%s\"", safe);
  error_of_kind(e, ERROR_UNREAD_PROFILE);
  return error_why(e, "%s", why);
}

/* All of it, or one byte more than a profile may have; its length.  Profiles are small, and a list reads all of them. */
static size_t read_text(FILE *file, char **out)
{
  size_t len = 0, room = 0;
  while (len == room && len <= (size_t)LONGEST_FILE) {
    room = room ? MIN(room * 4, (size_t)LONGEST_FILE + 1) : FIRST_PIECE;
    *out = g_realloc(*out, room + 1);
    len += fread(*out + len, 1, room - len, file);
  }
  return len;
}

char *profile_read(const char *path, size_t *out_len, Error **out_error)
{
  FILE *file = fopen(path, "re");
  if (!file) {
    int why = errno;
    *out_error = error_of_errno(profile_unreadable(path, g_strerror(why)), why);
    return NULL;
  }
  char *text = NULL;
  size_t len = read_text(file, &text);
  int failed = ferror(file) ? errno : 0;
  (void)fclose(file);
  if (failed || len > LONGEST_FILE) {
    *out_error = error_of_errno(
        profile_unreadable(path, failed ? g_strerror(failed) : "it is longer than 4 MiB"), failed);
    g_free(text);
    return NULL;
  }
  *out_len = len;
  text = g_realloc(text, len + 1);
  text[len] = '\0';
  return text;
}

/* Only what the list shows; the file need not be a sound profile. */
static char *description_of(const char *path)
{
  g_autoptr(Error) e = NULL;
  size_t len = 0;
  JsonPlace place;
  bool waits = !g_file_test(path, G_FILE_TEST_IS_REGULAR); /* a pipe, for whoever writes into it */
  g_autofree char *why = NULL, *text = waits ? NULL : profile_read(path, &len, &e);
  if (!text) return g_strdup("(cannot be read)");
  JsonDoc *doc = json_doc_parse(text, len, &place, &why);
  if (!doc) return g_strdup("(is not valid JSON)");
  const char *found = json_text(json_member(json_doc_root(doc), "description"));
  char *description = printable(found ? found : "");
  json_doc_free(doc);
  return description;
}

static void found_free(ProfileFound *found)
{
  g_free(found->name);
  g_free(found->path);
  g_free(found->description);
  g_free(found);
}

static Error *folder_unseen(const char *path, int why)
{
  g_autofree char *safe = printable(path);
  if (why == ENOENT || why == ENOTDIR) return NULL;
  if (error_is_answer(why)) {
    log_format(MILL_LEVEL_WARNING, "PRF", "the profiles in %s cannot be read: %s", safe,
               g_strerror(why));
    return NULL;
  }
  Error *e = error_new(EXIT_PROFILE, "PRF-01", "the profiles in \"%s\" cannot be read", safe);
  return error_why(error_of_errno(e, why), "%s", g_strerror(why));
}

static void list_folder(const SearchFolder *folder, GHashTable *names, GPtrArray *out,
                        Error **unseen)
{
  g_autoptr(GPtrArray) files = folder_names(folder->path);
  if (!files) *unseen = error_join(*unseen, folder_unseen(folder->path, errno));
  for (guint i = 0; files && i < files->len; i++) {
    const char *file = files->pdata[i];
    if (!g_str_has_suffix(file, SUFFIX) || *file == '.') continue;
    ProfileFound *found = g_new(ProfileFound, 1);
    found->name = profile_stem(file);
    found->path = g_build_filename(folder->path, file, NULL);
    found->description = description_of(found->path);
    found->origin = folder->origin;
    found->shadowed = !g_hash_table_add(names, found->name);
    g_ptr_array_add(out, found);
  }
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(ProfileFound *const *)a)->name, (*(ProfileFound *const *)b)->name);
}

/* Sorting is stable: of one name, that which is used comes first. */
GPtrArray *profile_list(const ProfileSearch *search, Error **out_unseen)
{
  GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)found_free);
  g_autoptr(GPtrArray) folders = profile_folders(search);
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < folders->len; i++) list_folder(folders->pdata[i], names, out, out_unseen);
  g_ptr_array_sort(out, by_name);
  return out;
}
