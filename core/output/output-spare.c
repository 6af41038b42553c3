/* Inputs are not replaced; see output.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/stat.h>

#include "output/output-folder.h"
#include "output/output-state.h"

static FileId id_of(const struct stat *st) { return (FileId){ st->st_dev, st->st_ino }; }

static guint id_hash(gconstpointer id) { return (guint)((const FileId *)id)->inode; }

static gboolean id_equal(gconstpointer a, gconstpointer b)
{
  const FileId *x = a, *y = b;
  return x->device == y->device && x->inode == y->inode;
}

GHashTable *output_spared_new(void)
{
  return g_hash_table_new_full(id_hash, id_equal, g_free, NULL);
}

static bool is_spared(const Output *o, const struct stat *st)
{
  FileId id = id_of(st);
  return g_hash_table_contains(o->spared, &id);
}

Error *output_check_spared(const Output *o, const char *path)
{
  struct stat file, folder;
  g_autofree char *parent = g_path_get_dirname(path);
  bool spared = !lstat(path, &file) && S_ISREG(file.st_mode) &&
                (is_spared(o, &file) || (!stat(parent, &folder) && is_spared(o, &folder)));
  if (!spared) return NULL;
  Error *e = error_new(EXIT_OUTPUT, "OUT-11", "the output is one of the inputs");
  error_at(e, "%s would be replaced", path);
  return error_help(e, "choose another place with -o");
}

Error *output_spare(Output *o, const char *path)
{
  struct stat st;
  if (o->kind == OUTPUT_NOWHERE || !strcmp(path, "-") || stat(path, &st)) return NULL;
  FileId id = id_of(&st);
  g_hash_table_add(o->spared, g_memdup2(&id, sizeof id));
  return o->kind == OUTPUT_FOLDER ? folder_check_input(o->final, path) : NULL;
}
