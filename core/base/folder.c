/* The names in a folder; see folder.h. */
#include "base/folder.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *folder_names(const char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);
  if (!dir) return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(dir));) g_ptr_array_add(names, g_strdup(name));
  g_dir_close(dir);
  if (names->len) qsort(names->pdata, names->len, sizeof(void *), by_text);
  return names;
}
