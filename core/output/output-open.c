/* The beginning of an output: where it goes, and whether it may; see output.h. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "output/output-folder.h"
#include "output/output-state.h"
#include "output/place-record.h"
#include "output/place.h"

#define LEAST_FREE (1u << 20)

/* The last one that was begun: a signal may end the program before the run has it. */
static Output *_Atomic begun;

static Output *output_new(OutputKind kind, bool force)
{
  Output *o = g_new0(Output, 1);
  o->kind = kind;
  o->force = force;
  o->made = g_ptr_array_new_with_free_func(g_free);
  o->process = getpid();
  o->temp.fd = o->temp.marker = -1;
  o->front = OUTPUT_HEAD;
  o->list = g_ptr_array_new_with_free_func(output_file_free);
  o->spared = output_spared_new();
  o->names = g_hash_table_new(hash_text, g_str_equal);
  o->capture = g_ptr_array_new_with_free_func(g_free);
  o->at = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  o->ended = g_hash_table_new(NULL, NULL);
  pthread_mutex_init(&o->lock, NULL);
  return o;
}

static Error *check_space(const char *folder)
{
  struct statvfs fs;
  if (statvfs(folder, &fs) || (uint64_t)fs.f_bavail * fs.f_frsize >= LEAST_FREE) return NULL;
  Error *e = error_new(EXIT_OUTPUT, "OUT-04", "there is no space left for the results");
  error_at(e, "in %s", folder);
  return error_help(e, "free some space, or choose another place with -o");
}

/* Gives it to the caller; on an error removes it, with all that was made for it. */
static Error *give(Output *o, Error *e, Output **out)
{
  if (!e) {
    *out = o;
    return NULL;
  }
  e = output_abort(o, e, false);
  output_free(o);
  return e;
}

static bool heal_files(const char *left, const char *path)
{
  (void)path;
  return place_restore(left);
}

/* Heals a folder that was named, and also single files. */
static bool heal_folder(const char *left, const char *path)
{
  return place_is_recorded(left) ? place_restore(left) : folder_heal(left, path);
}

static OwnFolderHeal heal_of(const Output *o)
{
  if (o->kind == OUTPUT_FOLDER) return heal_folder;
  return o->kind == OUTPUT_FILE ? heal_files : NULL;
}

/* Makes the folder for what is written until all is complete. */
static Error *start(Output *o, const char *beside)
{
  atomic_store(&begun, o);
  Error *e = own_folder_make(&o->temp, beside, heal_of(o), o->made);
  if (e && o->kind == OUTPUT_THROUGH) error_help(e, "name another folder with TMPDIR");
  if (e && o->kind != OUTPUT_THROUGH) error_help(e, "choose another place with -o");
  if (!e && o->kind != OUTPUT_THROUGH) e = check_space(o->temp.path);
  if (!e) o->files = g_build_filename(o->temp.path, "files", NULL);
  if (!e && g_mkdir(o->files, 0777)) e = output_write_error(o, "a folder", NULL, errno);
  return e;
}

/* Absolute, without links; makes its parents. If that fails, the attempt to write gives the
 * reason. */
static char *real_path(Output *o, const char *path)
{
  g_autofree char *parent = g_path_get_dirname(path), *name = g_path_get_basename(path);
  folder_make(parent, o->made);
  char *whole = realpath(path, NULL);
  if (whole) return whole;
  g_autofree char *real_parent = realpath(parent, NULL);
  return real_parent ? g_build_filename(real_parent, name, NULL)
                     : g_canonicalize_filename(path, NULL);
}

static char *without_slashes(const char *path)
{
  size_t len = strlen(path);
  while (len > 1 && path[len - 1] == '/') len--;
  return g_strndup(path, len);
}

Error *output_folder(const char *path, const char *profile, bool force, Output **out)
{
  Error *e = folder_check(path, profile, force);
  if (e) return e;
  Output *o = output_new(OUTPUT_FOLDER, force);
  g_autofree char *plain = without_slashes(path);
  o->final = real_path(o, plain);
  o->profile = g_strdup(profile);
  e = folder_check_place(o->final);
  return give(o, e ? e : start(o, o->final), out);
}

Error *output_more(const char *path, const char *profile, bool force, Output **out)
{
  Error *e = output_folder(path, profile, false, out);
  if (e) return e;
  (*out)->adds = true;
  (*out)->force = force;
  return NULL;
}

static Error *through(const char *path, Output **out)
{
  Output *o = output_new(OUTPUT_THROUGH, true);
  g_autofree char *beside = g_build_filename(g_get_tmp_dir(), "convert", NULL);
  o->final = strcmp(path, "-") ? real_path(o, path) : g_strdup(path);
  return give(o, start(o, beside), out);
}

/* What an existing file means for convert: it is written directly, or refused. */
static Error *check_kind(const char *path, bool force, bool *out_through)
{
  struct stat st;
  if (g_str_has_suffix(path, "/")) return place_unfit(path, "a folder, not a file");
  if (stat(path, &st))
    return place_is_dangling(path) ? place_unfit(path, "a link to a missing file") : NULL;
  if (S_ISDIR(st.st_mode)) return place_unfit(path, "a folder, not a file");
  if (S_ISSOCK(st.st_mode)) return place_unfit(path, "a socket, not a file");
  *out_through = !S_ISREG(st.st_mode);
  if (S_ISREG(st.st_mode) && place_is_mount_point(path))
    return place_unfit(path, "a mount point, which cannot be replaced");
  /* a disk holds data, as a file does */
  return !force && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) ? place_exists(path) : NULL;
}

Error *output_file(const char *path, bool force, Output **out)
{
  bool is_through = !strcmp(path, "-"), is_pattern = strstr(path, "{rank}") != NULL;
  Error *e = is_through || is_pattern ? NULL : check_kind(path, force, &is_through);
  if (e) return e;
  if (is_through) return through(path, out);
  Output *o = output_new(OUTPUT_FILE, force);
  g_autofree char *folder = g_path_get_dirname(path);
  o->final = real_path(o, folder);
  /* on the file system of the link's target */
  g_autofree char *file = is_pattern ? g_build_filename(o->final, "x", NULL) : real_path(o, path);
  g_autofree char *beside_folder = g_path_get_dirname(file);
  g_autofree char *beside = g_build_filename(beside_folder, "convert", NULL);
  return give(o, start(o, beside), out);
}

Output *output_nowhere(void)
{
  Output *o = output_new(OUTPUT_NOWHERE, true);
  o->final = g_strdup("");
  return o;
}

void output_sync(Output *o) { o->sync = true; }

const char *output_temp(const Output *o) { return o->temp.path ? o->temp.path : g_get_tmp_dir(); }

const char *output_remove_after_crash(void)
{
  Output *o = atomic_load(&begun);
  if (!o || getpid() != o->process) return NULL;
  atomic_store(&o->closed, true);
  own_folder_remove(&o->temp);
  folder_unmake(o->made);
  return o->temp.path && access(o->temp.path, F_OK) == 0 ? o->temp.path : NULL;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **output_names(const Output *o)
{
  const char **names = g_new0(const char *, o->list->len + 1);
  for (guint i = 0; i < o->list->len; i++) names[i] = ((const OutFile *)o->list->pdata[i])->name;
  qsort(names, o->list->len, sizeof *names, by_text);
  return names;
}

void output_capture(Output *o, const char *name) { g_ptr_array_add(o->capture, g_strdup(name)); }

const char *output_captured(const Output *o, const char *name, size_t *out_len)
{
  const OutFile *f = g_hash_table_lookup(o->names, name);
  if (!f || !f->captured) return NULL;
  if (out_len) *out_len = f->captured->len;
  return f->captured->str;
}

void output_free(Output *o)
{
  if (!o) return;
  atomic_compare_exchange_strong(&begun, &(Output *){ o }, NULL);
  g_ptr_array_unref(o->list);
  g_ptr_array_unref(o->made);
  g_hash_table_unref(o->spared);
  g_ptr_array_unref(o->capture);
  g_hash_table_unref(o->names);
  g_hash_table_unref(o->at);
  g_hash_table_unref(o->ended);
  pthread_mutex_destroy(&o->lock);
  own_folder_clear(&o->temp);
  g_free(o->files);
  g_free(o->profile);
  g_free(o->final);
  g_free(o);
}
