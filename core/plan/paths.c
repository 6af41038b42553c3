/* Where things are installed; see paths.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/paths.h"

#include <stdlib.h>
#include <string.h>

/* The prefix that the running program was moved to; NULL when its folder is not named as bindir. */
static char *own_prefix(void)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  if (!program || g_path_is_absolute(STAGEMILL_BINDIR)) return NULL;
  g_autofree char *folder = g_path_get_dirname(program);
  g_autofree char *tail = g_strconcat("/", STAGEMILL_BINDIR, NULL);
  if (!g_str_has_suffix(folder, tail)) return NULL;
  folder[strlen(folder) - strlen(tail)] = '\0';
  return g_strdup(*folder ? folder : "/");
}

static char *installed(const char *folder)
{
  if (g_path_is_absolute(folder)) return g_build_filename(folder, "stagemill", NULL);
  g_autofree char *prefix = own_prefix();
  if (prefix) {
    char *moved = g_build_filename(prefix, folder, "stagemill", NULL);
    if (g_file_test(moved, G_FILE_TEST_IS_DIR)) return moved;
    g_free(moved);
  }
  return g_build_filename(STAGEMILL_PREFIX, folder, "stagemill", NULL);
}

char *paths_lib(void) { return installed(STAGEMILL_LIBDIR); }

char *paths_data(void) { return installed(STAGEMILL_DATADIR); }

const char *paths_env(const char *name)
{
  const char *text = secure_getenv(name);
  return text && *text ? text : NULL;
}

/* An XDG folder that is not absolute is to be ignored, says its specification. */
static char *user_folder(const char *variable, const char *fallback)
{
  const char *base = paths_env(variable);
  if (base && g_path_is_absolute(base)) return g_build_filename(base, "stagemill", NULL);
  const char *home = paths_env("HOME");
  return home && g_path_is_absolute(home) ? g_build_filename(home, fallback, "stagemill", NULL)
                                          : NULL;
}

char *paths_user_data(void) { return user_folder("XDG_DATA_HOME", ".local/share"); }

char *paths_user_config(void) { return user_folder("XDG_CONFIG_HOME", ".config"); }

char *paths_user_cache(void) { return user_folder("XDG_CACHE_HOME", ".cache"); }

SearchFolder *search_folder_new(char *path, const char *origin)
{
  SearchFolder *folder = g_new(SearchFolder, 1);
  *folder = (SearchFolder){ path, origin };
  return folder;
}

void search_folder_free(SearchFolder *folder)
{
  g_free(folder->path);
  g_free(folder);
}

static void add_folder(GPtrArray *folders, char *path, const char *origin)
{
  if (path && *path)
    g_ptr_array_add(folders, search_folder_new(path, origin));
  else
    g_free(path);
}

GPtrArray *paths_search(const GPtrArray *given, const char *option, const char *variable,
                        char *config, char *data, char *installed)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func((GDestroyNotify)search_folder_free);
  const char *text = variable ? paths_env(variable) : NULL;
  g_auto(GStrv) listed = g_strsplit(text ? text : "", ":", -1);
  for (guint i = 0; given && i < given->len; i++)
    add_folder(folders, g_strdup(given->pdata[i]), option);
  for (char **path = listed; *path; path++) add_folder(folders, g_strdup(*path), "environment");
  add_folder(folders, config, SEARCH_USER);
  add_folder(folders, data, SEARCH_USER);
  add_folder(folders, installed, SEARCH_INSTALLED);
  return folders;
}

char *path_beside(const char *file, const char *text)
{
  if (!strchr(text, '/') || g_path_is_absolute(text)) return g_strdup(text);
  g_autofree char *folder = g_path_get_dirname(file);
  while (g_str_has_prefix(text, "./")) text += strlen("./");
  return g_build_filename(folder, text, NULL);
}
