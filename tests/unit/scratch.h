/* Folders and files that a test makes for itself and removes again. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include <glib.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static inline char *scratch_folder(void)
{
  char *path = g_dir_make_tmp("stagemill-test-XXXXXX", NULL);
  chmod(path, 0755);
  return path;
}

static inline void scratch_write(const char *folder, const char *name, const char *text, gssize len)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname(path);
  g_mkdir_with_parents(parent, 0755);
  CHECK(g_file_set_contents(path, text, len, NULL));
  chmod(path, 0644);
}

/* Where the modules of tests/bad-modules were built. */
static inline const char *scratch_modules(void)
{
  static char path[4096];
  const char *folder = g_getenv("STAGEMILL_TEST_MODULES"), *build = g_getenv("BUILD_ROOT");
  if (folder) return folder;
  g_snprintf(path, sizeof path, "%s/tests/bad-modules", build ? build : ".");
  return path;
}

static inline void scratch_copy_module(const char *from, const char *folder, const char *name)
{
  g_autofree char *source = g_build_filename(scratch_modules(), from, NULL);
  g_autofree char *text = NULL;
  gsize len = 0;
  if (CHECK(g_file_get_contents(source, &text, &len, NULL)))
    scratch_write(folder, name, text, (gssize)len);
}

static inline void scratch_remove(char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    char *inner = g_build_filename(path, name, NULL);
    if (unlink(inner) != 0)
      scratch_remove(inner);
    else
      g_free(inner);
  }
  if (dir) g_dir_close(dir);
  rmdir(path);
  g_free(path);
}

#endif
