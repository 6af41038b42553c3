/* Folders of results on disk; see output-folder.h. */
/* SPDX-License-Identifier: MIT */
#include "output/output-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/num.h"
#include "base/stream.h"
#include "base/trees.h"
#include "output/place.h"
#include "output/run-record.h"

static bool is_empty(const char *path)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  return dir && !g_dir_read_name(dir);
}

bool folder_is_filled(const char *path)
{
  return g_file_test(path, G_FILE_TEST_IS_DIR) && !is_empty(path);
}

bool folder_is_foreign(const char *path)
{
  g_autofree char *profile = NULL;
  if (!g_file_test(path, G_FILE_TEST_IS_DIR) || is_empty(path)) return false;
  profile = run_record_profile(path);
  return !profile;
}

Error *folder_check(const char *path, const char *profile, bool force)
{
  g_autofree char *earlier = NULL;
  struct stat st;
  if (stat(path, &st))
    return place_is_dangling(path) ? place_unfit(path, "a link to a missing file") : NULL;
  if (!S_ISDIR(st.st_mode)) {
    Error *e = error_new(EXIT_OUTPUT, "OUT-01", "%s is a %s, not a folder", path,
                         S_ISREG(st.st_mode) ? "file" : "pipe, a device or a socket");
    return error_help(e, "choose another name with -o");
  }
  if (force || is_empty(path)) return NULL;
  earlier = run_record_profile(path);
  if (earlier && !strcmp(earlier, profile)) return NULL;
  Error *e = error_new(EXIT_OUTPUT, "OUT-02", "%s is not empty", path);
  if (earlier)
    error_why(e, "it holds a run of the profile \"%s\"", earlier);
  else
    error_why(e, "it holds files that no earlier run wrote");
  return error_help(e, "choose another folder with -o, or add -f to write there anyway");
}

Error *folder_check_place(const char *path)
{
  struct stat st;
  if (place_is_mount_point(path)) {
    Error *e = error_new(EXIT_OUTPUT, "OUT-07", "%s is a mount point and cannot be replaced", path);
    return error_help(e, "choose a folder in it: -o %s/results", path);
  }
  if (!folder_is_filled(path)) return NULL;
  if (faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS))
    return error_help(place_not_written(path, errno), "choose another place with -o");
  g_autofree char *record = g_build_filename(path, "run.json", NULL);
  bool unfit = !lstat(record, &st) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode);
  return unfit
             ? place_unfit(record, S_ISDIR(st.st_mode) ? "a folder, not a file"
                                                       : "a pipe, a device or a socket, not a file")
             : NULL;
}

GTree *folder_files(const char *path)
{
  GTree *names = run_record_files(path);
  text_set_add(names, g_strdup("run.json"));
  return names;
}

/* Adds the folders above a name. */
static void add_folders(GTree *folders, const char *name)
{
  for (const char *slash = name; (slash = strchr(slash, '/')); slash++)
    text_set_add(folders, g_strndup(name, (gsize)(slash - name)));
}

static GTree *folders_of(GTree *names)
{
  GTree *folders = text_set_new();
  for (GTreeNode *at = g_tree_node_first(names); at; at = g_tree_node_next(at))
    add_folders(folders, g_tree_node_key(at));
  return folders;
}

/* Whether the name is one of them, or a folder with one of them in it. */
static bool holds_any(GTree *ours, const char *name)
{
  g_autoptr(GTree) folders = folders_of(ours);
  return !*name || text_set_has(ours, name) || text_set_has(folders, name);
}

/* The rest of the input's real path after the folder, to g_free; NULL: the input is elsewhere. */
static char *name_below(const char *path, const char *input)
{
  char *real = realpath(input, NULL), *name = NULL;
  size_t len = strlen(path);
  if (real && !strncmp(real, path, len) && (!real[len] || real[len] == '/'))
    name = g_strdup(real + len + (real[len] == '/'));
  free(real);
  return name;
}

/* There may be very many inputs, and the record of a run is long: it is read only for inputs
 * below the folder. */
Error *folder_check_input(const char *path, const char *input)
{
  g_autofree char *name = name_below(path, input);
  if (!name || !folder_is_filled(path) || folder_is_foreign(path)) return NULL;
  g_autoptr(GTree) ours = folder_files(path);
  if (!holds_any(ours, name)) return NULL;
  Error *e = error_new(EXIT_USAGE, "OUT-11", "an input is among the results to be replaced");
  error_at(e, "%s in %s", input, path);
  return error_help(e, "choose another folder with -o, or move the input out of this one");
}

static Error *not_ours(const char *path)
{
  return error_why(place_exists(path), "no earlier run wrote it");
}

Error *folder_check_names(const char *path, const GPtrArray *names, bool force)
{
  g_autoptr(GTree) ours = folder_files(path), our_folders = folders_of(ours);
  g_autoptr(GTree) files = text_set_new();
  for (guint i = 0; i < names->len; i++) text_set_add(files, g_strdup(names->pdata[i]));
  g_autoptr(GTree) folders = folders_of(files);
  GTree *const both[] = { files, folders };
  for (guint k = 0; k < G_N_ELEMENTS(both); k++) {
    for (GTreeNode *at = g_tree_node_first(both[k]); at; at = g_tree_node_next(at)) {
      const char *name = g_tree_node_key(at);
      struct stat st;
      g_autofree char *there = g_build_filename(path, name, NULL);
      if (lstat(there, &st)) continue;
      bool is_folder = S_ISDIR(st.st_mode);
      if (is_folder && !k && !text_set_has(our_folders, name))
        return place_unfit(there, "a folder, and a result has the same name");
      if (!is_folder && !force && !text_set_has(ours, name)) return not_ours(there);
    }
  }
  return NULL;
}

/* ---------------------------------------------------------------- replacing */

/* For file systems that cannot exchange two names. */
static Error *swap_in_steps(FolderSwap *s)
{
  g_autofree char *old = g_strconcat(s->from, ".old", NULL);
  if (rename(s->to, old)) return place_not_written(s->to, errno);
  if (rename(s->from, s->to) == 0) {
    s->old = g_steal_pointer(&old);
    return NULL;
  }
  Error *e = place_not_written(s->to, errno);
  if (rename(old, s->to) == 0) return e;
  s->old = g_steal_pointer(&old);
  return error_at(e, "the earlier %s is now %s", s->to, s->old);
}

Error *folder_swap(FolderSwap *s)
{
  g_autofree char *old = g_strdup(s->from); /* after the move no memory is needed */
  if (rename(s->from, s->to) == 0) return NULL;
  if (!s->replaces || (errno != ENOTEMPTY && errno != EEXIST))
    return place_not_written(s->to, errno);
  if (renameat2(AT_FDCWD, s->from, AT_FDCWD, s->to, RENAME_EXCHANGE)) return swap_in_steps(s);
  s->old = g_steal_pointer(&old);
  return NULL;
}

typedef struct Carry {
  const FolderSwap *swap;
  GTree *ours, *our_folders;
} Carry;

/* A file of the user; with force it gives way to a new file of that name. */
static bool carry_one(const Carry *c, const char *old, const char *new, bool is_folder)
{
  struct stat st;
  g_autofree char *folder = g_path_get_dirname(new);
  if (lstat(new, &st) == 0) return !is_folder && c->swap->force && unlink(old) == 0;
  return !g_mkdir_with_parents(folder, 0777) && !rename(old, new);
}

/* Empties the old folder, or the part below it; false: something is left. */
static bool carry_over(const Carry *c, const char *below)
{
  g_autofree char *folder = g_build_filename(c->swap->old, below, NULL);
  g_autoptr(GPtrArray) names = folder_names(folder);
  bool good = names != NULL;
  for (guint i = 0; names && i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *inside = *below ? g_build_filename(below, name, NULL) : g_strdup(name);
    g_autofree char *old = g_build_filename(c->swap->old, inside, NULL);
    g_autofree char *new = g_build_filename(c->swap->to, inside, NULL);
    struct stat st;
    bool is_folder = lstat(old, &st) == 0 && S_ISDIR(st.st_mode);
    if (!is_folder && text_set_has(c->ours, inside))
      good = !unlink(old) && good;
    else if (is_folder &&
             (text_set_has(c->our_folders, inside) || g_file_test(new, G_FILE_TEST_IS_DIR)))
      good = carry_over(c, inside) && good;
    else
      good = carry_one(c, old, new, is_folder) && good;
  }
  return good && rmdir(folder) == 0;
}

Error *folder_carry_over(FolderSwap *s)
{
  if (!s->old) return NULL;
  g_autoptr(GTree) ours = folder_files(s->old), our_folders = folders_of(ours);
  Carry c = { s, ours, our_folders };
  errno = 0;
  if (carry_over(&c, "")) {
    g_clear_pointer(&s->old, g_free);
    return NULL;
  }
  int why = errno;
  Error *e =
      error_new(EXIT_OUTPUT, "OUT-09", "some files that were in %s could not be moved back", s->to);
  error_of_errno(e, why);
  error_at(e, "these files are in %s", s->old);
  return error_help(e, "the results are complete; move the files that you want to keep by hand");
}

bool folder_heal(const char *left, const char *final)
{
  FolderSwap swap = { .to = final, .old = g_build_filename(left, "files", NULL) };
  g_autofree char *in_steps = g_strconcat(swap.old, ".old", NULL);
  struct stat st;
  bool moved = lstat(swap.old, &st) != 0, clear = lstat(in_steps, &st) != 0;
  Error *e = !moved && clear && folder_is_filled(final) ? folder_carry_over(&swap) : NULL;
  bool healed = clear && (moved || !swap.old);
  error_free(e);
  g_free(swap.old);
  return healed;
}

/* The name is free, or an earlier run's log has it. */
static bool is_log_place(const char *file)
{
  static const char begins[] = "error[";
  char found[sizeof begins - 1];
  struct stat st;
  if (lstat(file, &st)) return errno == ENOENT;
  int fd = folder_open_regular(file, &st);
  if (fd < 0) return false;
  bool ours = file_read_at(fd, found, sizeof found, 0) == sizeof found &&
              !memcmp(found, begins, sizeof found);
  close(fd);
  return ours;
}

void folder_leave_log(const char *final, Error *why)
{
  g_autofree char *folder = g_strconcat(final, ".failed", NULL);
  g_autofree char *file = g_build_filename(folder, "log.txt", NULL);
  g_autoptr(GString) log = g_string_new(NULL);
  if (!is_log_place(file)) return;
  error_format(why, true, false, log);
  if (g_mkdir_with_parents(folder, 0777) == 0 && g_file_set_contents(file, log->str, -1, NULL))
    error_help(why, "the log is in %s", file);
}
