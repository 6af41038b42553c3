/* Runs all files of the given folders through a fuzz target: its corpus as an ordinary test. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_name(gconstpointer a, gconstpointer b)
{
  return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

/* A block of exactly the file's size, so that a sanitizer sees any step behind its end. */
static bool run_file(const char *path)
{
  g_autofree char *bytes = NULL;
  gsize len;
  if (!g_file_get_contents(path, &bytes, &len, NULL)) {
    fprintf(stderr, "replay: cannot read %s\n", path);
    return false;
  }
  uint8_t *exact = malloc(len ? len : 1);
  if (!exact) return false;
  if (len) memcpy(exact, bytes, len);
  LLVMFuzzerTestOneInput(exact, len);
  free(exact);
  return true;
}

static bool run_folder(const char *path, GDir *dir, size_t *n_files)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  bool done = true;
  while ((name = g_dir_read_name(dir))) g_ptr_array_add(names, g_build_filename(path, name, NULL));
  g_ptr_array_sort(names, by_name);
  for (guint i = 0; i < names->len; i++) {
    if (g_file_test(names->pdata[i], G_FILE_TEST_IS_DIR)) continue;
    done &= run_file(names->pdata[i]);
    ++*n_files;
  }
  return done;
}

int main(int argc, char **argv)
{
  size_t n_files = 0;
  bool done = true;
  for (int i = 1; i < argc; i++) {
    g_autoptr(GDir) dir = g_dir_open(argv[i], 0, NULL);
    if (dir) {
      done &= run_folder(argv[i], dir, &n_files);
    } else {
      done &= run_file(argv[i]);
      n_files++;
    }
  }
  printf("%zu files\n", n_files);
  return done && n_files > 0 ? 0 : 1;
}
