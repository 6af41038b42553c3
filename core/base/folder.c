/* Names of files; see folder.h. */
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

size_t name_plain_len(const char *name)
{
  size_t len = strlen(name);
  if (g_str_has_suffix(name, ".gz")) return len - 3;
  return g_str_has_suffix(name, ".zst") ? len - 4 : len;
}

char *name_of_part(const char *path, unsigned number)
{
  const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
  size_t len = name_plain_len(start);
  const char *dot = g_strrstr_len(start, (gssize)len, ".");
  size_t stem = dot && dot > start ? (size_t)(dot - path) : (size_t)(start - path) + len;
  return g_strdup_printf("%.*s-%03u%s", (int)stem, path, number, path + stem);
}
