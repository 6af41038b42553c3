/* The end of an output: it is sealed, then put in place or removed; see output.h. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "base/trees.h"
#include "input/file-sum.h"
#include "output/output-folder.h"
#include "output/output-state.h"
#include "output/place-record.h"
#include "output/place.h"

/* ------------------------------------------------------------------ sealing */

static gint by_name(gconstpointer a, gconstpointer b)
{
  return strcmp((*(OutputEntry *const *)a)->name, (*(OutputEntry *const *)b)->name);
}

void output_entry_free(OutputEntry *entry)
{
  g_free(entry->name);
  g_free(entry->sha256);
  g_free(entry);
}

/* Each result needs its hash. A file that was not hashed while it was written is read. */
static Error *add_entry(const Output *o, const OutFile *f, GPtrArray *entries)
{
  GStatBuf st;
  char *sha256 = NULL;
  if (!g_stat(f->own.path, &st)) {
    bool seen = f->own.sum && file_sum_bytes(f->own.sum) == (uint64_t)st.st_size;
    sha256 = seen ? file_sum_end(f->own.sum) : file_sum_of(f->own.path, UINT64_MAX);
  }
  if (!sha256) return output_write_error(o, f->name, "it cannot be read back", errno);
  OutputEntry *entry = g_new0(OutputEntry, 1);
  entry->name = g_strdup(f->name);
  entry->size = (uint64_t)st.st_size;
  entry->sha256 = sha256;
  g_ptr_array_add(entries, entry);
  return NULL;
}

/* Makes the file here if nothing was written to it. */
static Error *seal_file(Output *o, OutFile *f)
{
  Error *e = o->kind == OUTPUT_NOWHERE || f->own.on_disk ? NULL : output_need_writer(o, f, &f->own);
  return e ? e : output_shut(o, f, &f->own.writer);
}

Error *output_seal(Output *o, GPtrArray **out_entries)
{
  output_check_process(o);
  g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)output_entry_free);
  for (guint i = 0; i < o->list->len; i++) {
    OutFile *f = o->list->pdata[i];
    Error *e = seal_file(o, f);
    if (!e && out_entries && o->kind == OUTPUT_FOLDER) e = add_entry(o, f, entries);
    if (e) return e;
  }
  g_ptr_array_sort(entries, by_name);
  if (out_entries) *out_entries = g_steal_pointer(&entries);
  return NULL;
}

Error *output_add(Output *o, const char *name, const char *text, size_t len)
{
  output_begin_tail(o);
  return output_write(o, name, OUTPUT_TAIL, NULL, text, len);
}

/* ------------------------------------------------------------------- ending */

static void add_folder_of(GTree *folders, const char *path)
{
  text_set_add(folders, g_path_get_dirname(path));
}

static Error *sync_folders(GTree *folders)
{
  Error *e = NULL;
  for (GTreeNode *at = g_tree_node_first(folders); at && !e; at = g_tree_node_next(at))
    e = place_sync(g_tree_node_key(at));
  return e;
}

/* What was written is on disk before it replaces anything. */
static Error *sync_files(const Output *o)
{
  g_autoptr(GTree) folders = text_set_new();
  Error *e = NULL;
  text_set_add(folders, g_strdup(o->files));
  for (guint i = 0; i < o->list->len && !e; i++) {
    const OutFile *f = o->list->pdata[i];
    e = place_sync(f->own.path);
    add_folder_of(folders, f->own.path);
  }
  return e ? e : sync_folders(folders);
}

/* Two links may lead to one file. */
static Error *check_distinct(const GPtrArray *places)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < places->len; i++) {
    const Place *p = places->pdata[i];
    if (!g_hash_table_add(seen, p->to))
      return error_at(error_new(EXIT_OUTPUT, "OUT-08", "two outputs lead to one file"), "%s",
                      p->to);
  }
  return NULL;
}

static Error *sync_places(const GPtrArray *places)
{
  g_autoptr(GTree) folders = text_set_new();
  for (guint i = 0; i < places->len; i++)
    add_folder_of(folders, ((const Place *)places->pdata[i])->to);
  return sync_folders(folders);
}

/* Moves single files: into a folder of another owner, or to the place that convert was given. */
static Error *move_files(Output *o)
{
  g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(place_free);
  g_autoptr(GTree) ours = o->adds ? folder_files(o->final) : text_set_new();
  bool replaces = false, stuck = false;
  Error *e = NULL;
  for (guint i = 0; i < o->list->len && !e; i++) {
    const OutFile *f = o->list->pdata[i];
    Place *p = g_new0(Place, 1);
    g_ptr_array_add(places, p);
    p->from = f->own.path;
    p->to = g_build_filename(o->final, f->name, NULL);
    e = place_check(p, o->force || text_set_has(ours, f->name), o->kind == OUTPUT_FILE);
    if (!e) e = output_check_spared(o, p->to);
    replaces = replaces || p->there;
  }
  if (!e) e = check_distinct(places);
  if (!e && (replaces || o->sync)) e = sync_files(o);
  if (e) return e;
  /* in one step, so the old file need not be kept */
  if (replaces && places->len == 1 && place_exchange(places->pdata[0])) return sync_places(places);
  bool can_heal = replaces && (o->kind == OUTPUT_FILE || o->adds);
  if (can_heal) e = place_record(places, o->temp.path);
  if (e) return e;
  if (!own_folder_release(&o->temp)) return output_is_ending();
  if (can_heal)
    own_folder_mark_replacing(&o->temp);
  else if (replaces)
    own_folder_unmark(&o->temp);
  e = place_all(places, o->temp.path, &stuck);
  if (stuck)
    own_folder_unmark(&o->temp); /* the message says where to look */
  else
    own_folder_reclaim(&o->temp);
  if (!stuck && can_heal) own_folder_mark_replaced(&o->temp);
  return !e && (replaces || o->sync) ? sync_places(places) : e;
}

static Error *sync_parent(const char *path)
{
  g_autofree char *parent = g_path_get_dirname(path);
  return place_sync(parent);
}

static Error *check_spared_names(const Output *o, const GPtrArray *names)
{
  Error *e = NULL;
  for (guint i = 0; i < names->len && !e; i++) {
    g_autofree char *path = g_build_filename(o->final, names->pdata[i], NULL);
    e = output_check_spared(o, path);
  }
  return e;
}

/* Afterwards, the user's own files from the old folder are in the new one. */
static Error *replace_folder(Output *o)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < o->list->len; i++)
    g_ptr_array_add(names, ((OutFile *)o->list->pdata[i])->name);
  Error *e = folder_check_names(o->final, names, o->force);
  if (!e) e = check_spared_names(o, names);
  FolderSwap swap = { o->files, o->final, .force = o->force };
  swap.replaces = !e && folder_is_filled(o->final);
  if (!e && (swap.replaces || o->sync)) e = sync_files(o);
  if (e) return e;
  if (!own_folder_release(&o->temp)) return output_is_ending();
  if (swap.replaces) own_folder_mark_replacing(&o->temp);
  e = folder_swap(&swap);
  if (!e && (swap.replaces || o->sync)) e = sync_parent(o->final);
  e = error_join(e, folder_carry_over(&swap));
  if (!swap.old) own_folder_reclaim(&o->temp);
  g_free(swap.old);
  return e;
}

/* Checks the folder once more, because much may have changed since the run began. */
static Error *commit_folder(Output *o)
{
  Error *e = folder_check(o->final, o->profile, o->force && !o->adds);
  if (e) return e;
  if (o->adds) return move_files(o);
  return folder_is_foreign(o->final) ? move_files(o) : replace_folder(o);
}

/* Removes all that was beside the results while they were written. */
static Error *remove_temp(Output *o, const char *then)
{
  errno = 0;
  if (own_folder_remove(&o->temp)) return NULL;
  int why = errno;
  Error *e = error_new(EXIT_OUTPUT, "OUT-14", "a folder for unfinished files could not be removed");
  error_at(e, "%s", o->temp.path);
  error_why(e, "%s", g_strerror(why));
  return error_help(error_of_errno(e, why), "%s", then);
}

Error *output_commit(Output *o)
{
  Error *e = output_seal(o, NULL);
  if (e || o->kind == OUTPUT_NOWHERE) return e;
  if (o->kind == OUTPUT_FILE) e = move_files(o);
  if (o->kind == OUTPUT_FOLDER) e = commit_folder(o);
  return e ? e : remove_temp(o, "the results are complete and in place; remove that folder");
}

Error *output_abort(Output *o, Error *why, bool leave_log)
{
  if (!o) return why;
  output_check_process(o);
  for (guint i = 0; i < o->list->len; i++) {
    OutFile *f = o->list->pdata[i];
    g_clear_pointer(&f->own.writer, writer_close);
  }
  Error *left = remove_temp(o, "remove that folder; there are no results in it");
  folder_unmake(o->made);
  if (o->kind == OUTPUT_FOLDER && leave_log && why) folder_leave_log(o->final, why);
  return error_join(why, left);
}
