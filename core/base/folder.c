/* Names of files; see folder.h. */
/* SPDX-License-Identifier: MIT */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_name(const char *name) { return strcmp(name, ".") && strcmp(name, ".."); }

GPtrArray *folder_names(const char *path)
{
  DIR *dir = opendir(path);
  const struct dirent *entry;
  if (!dir) return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  while ((errno = 0, entry = readdir(dir)))
    if (is_name(entry->d_name)) g_ptr_array_add(names, g_strdup(entry->d_name));
  int why = errno;
  closedir(dir);
  if (why) {
    g_ptr_array_unref(names);
    errno = why;
    return NULL;
  }
  if (names->len) qsort(names->pdata, names->len, sizeof(void *), by_text);
  return names;
}

bool folder_make(const char *path, GPtrArray *made)
{
  struct stat st;
  char *at = g_strdup(path);
  for (int i = 0; lstat(at, &st) && errno == ENOENT; i++) {
    g_ptr_array_insert(made, i, at);
    at = g_path_get_dirname(at);
  }
  g_free(at);
  return g_mkdir_with_parents(path, 0777) == 0;
}

void folder_unmake(const GPtrArray *made)
{
  for (guint i = 0; i < made->len; i++) rmdir(made->pdata[i]);
}

int folder_look(const char *path, struct stat *out)
{
  if (stat(path, out) == 0) return 1;
  int why = errno;
  if (why == ENOENT && lstat(path, out) && errno == ENOENT) return 0;
  errno = why;
  return -1;
}

int folder_open_regular(const char *path, struct stat *out)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || (!fstat(fd, out) && S_ISREG(out->st_mode))) return fd;
  close(fd);
  return -1;
}

static void look_at_all(FolderListing *l)
{
  l->entries = g_new0(FolderEntry, l->names->len + 1);
  for (guint i = 0; i < l->names->len; i++) {
    FolderEntry *e = &l->entries[i];
    e->name = l->names->pdata[i];
    e->path = g_build_filename(l->path, e->name, NULL);
    e->seen = folder_look(e->path, &e->st);
    e->why = errno;
  }
}

const FolderEntry *folder_list(FolderListing *l, const char *path)
{
  if (l->path) return l->entries;
  GPtrArray *names = folder_names(path);
  if (!names) return NULL;
  *l = (FolderListing){ .path = g_strdup(path), .names = names };
  look_at_all(l);
  return l->entries;
}

void folder_listing_clear(FolderListing *l)
{
  for (guint i = 0; l->path && i < l->names->len; i++) g_free(l->entries[i].path);
  g_free(l->entries);
  g_free(l->path);
  if (l->names) g_ptr_array_unref(l->names);
  *l = (FolderListing){ 0 };
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
