/* Inputs and outputs of a case on disk: a temporary folder that goes with the case. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/stream.h"
#include "harness-internal.h"

#define PIECE_BYTES 65536

static const char *folder_of(HarnessCase *c)
{
  g_autoptr(GError) why = NULL;
  if (!c->folder) c->folder = g_dir_make_tmp("stagemill-harness-XXXXXX", &why);
  if (!c->folder) g_error("no temporary folder: %s", why->message);
  return c->folder;
}

char *harness_input_path(HarnessCase *c, const HarnessLane *lane, guint index)
{
  gsize len;
  g_autoptr(GError) why = NULL;
  if (lane->path) return g_strdup(lane->path);
  g_autofree char *number = g_strdup_printf("%u", index);
  char *path = g_build_filename(folder_of(c), number, lane->name, NULL);
  g_autofree char *folder = g_path_get_dirname(path);
  const char *bytes = lane->bytes ? g_bytes_get_data(lane->bytes, &len) : (len = 0, "");
  g_mkdir_with_parents(folder, 0700);
  if (!g_file_set_contents(path, bytes ? bytes : "", (gssize)len, &why))
    harness_complain(NULL, 0, "the input cannot be written: %s", why->message);
  return path;
}

char *harness_output_path(HarnessCase *c) { return g_build_filename(folder_of(c), "out", NULL); }

char *harness_state_path(HarnessCase *c) { return g_build_filename(folder_of(c), "state", NULL); }

/* ----------------------------------------------------------------- reading */

static void file_free(gpointer data)
{
  HarnessFile *f = data;
  g_free(f->name);
  g_string_free(f->text, TRUE);
  g_free(f);
}

static GString *read_file(const char *path)
{
  char piece[PIECE_BYTES];
  int64_t n;
  g_autofree char *why = NULL;
  GString *text = g_string_new(NULL);
  Reader *r = reader_open(path, &why);
  while (r && (n = reader_read(r, piece, sizeof piece)) > 0)
    g_string_append_len(text, piece, (gssize)n);
  g_clear_pointer(&r, reader_close);
  return text;
}

static void read_folder(const char *folder, const char *before, GPtrArray *out)
{
  g_autoptr(GPtrArray) names = folder_names(folder);
  for (guint i = 0; names && i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *full = g_strconcat(before, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
      g_autofree char *deeper = g_strconcat(full, "/", NULL);
      read_folder(path, deeper, out);
    } else if (strcmp(full, "run.json") != 0) {
      HarnessFile *f = g_new0(HarnessFile, 1);
      f->name = g_strdup(full);
      f->text = read_file(path);
      g_ptr_array_add(out, f);
    }
  }
}

GPtrArray *harness_read_files(const char *folder)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(file_free);
  read_folder(folder, "", out);
  return out;
}

/* Links are removed, not followed. */
void harness_remove_folder(const char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *inside = g_build_filename(path, name, NULL);
    bool folder =
        g_file_test(inside, G_FILE_TEST_IS_DIR) && !g_file_test(inside, G_FILE_TEST_IS_SYMLINK);
    if (folder)
      harness_remove_folder(inside);
    else
      g_unlink(inside);
  }
  if (dir) g_dir_close(dir);
  g_rmdir(path);
}
