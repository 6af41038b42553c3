/* Where results go; see output.h.
 *
 * A file is made of parts: the head, one per lane, the tail.  The part that is next in
 * line is written straight into the file; a lane that is ahead of its turn writes into
 * a temporary part, which is appended when its turn comes.  Compressed parts are
 * members of their own in both cases, so the bytes do not depend on timing. */
#include "output/output.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/stream.h"
#include "output/output-folder.h"
#include "output/own-folder.h"

#define LEAST_FREE (1u << 20)

typedef struct Target {
  char *path;     /* "-" for standard output */
  Writer *writer; /* NULL while nobody writes: there may be thousands of them */
  bool on_disk;   /* it was made */
} Target;

typedef struct Part {
  int position;
  Target own; /* no path: written straight into the file */
  char *join;
} Part;

typedef struct OutFile {
  char *name;
  Target own;
  GHashTable *parts; /* Part * by position */
  GString *captured;
  bool any_lane; /* a lane's part was not empty */
} OutFile;

struct Output {
  OutputKind kind;
  char *final;
  OwnFolder temp;     /* what is written, until all is complete */
  atomic_bool closed; /* no file is made any more: the process ends */
  bool force;
  pthread_mutex_t lock;
  GPtrArray *files;   /* OutFile *, as they came */
  GHashTable *names;  /* to the same */
  GPtrArray *capture; /* char * */
  GHashTable *ended;  /* positions */
  int front;          /* the position whose turn it is */
  unsigned n_parts;
};

/* ------------------------------------------------------------------ opening */

static void target_clear(Target *t)
{
  if (t->writer) writer_close(t->writer);
  g_free(t->path);
}

static void part_free(gpointer data)
{
  Part *p = data;
  target_clear(&p->own);
  g_free(p->join);
  g_free(p);
}

static void file_free(gpointer data)
{
  OutFile *f = data;
  target_clear(&f->own);
  if (f->captured) g_string_free(f->captured, TRUE);
  g_hash_table_unref(f->parts);
  g_free(f->name);
  g_free(f);
}

static Output *output_new(OutputKind kind, const char *final)
{
  Output *o = g_new0(Output, 1);
  o->kind = kind;
  o->final = g_strdup(final);
  o->temp.fd = -1;
  o->front = OUTPUT_HEAD;
  o->files = g_ptr_array_new_with_free_func(file_free);
  o->names = g_hash_table_new(g_str_hash, g_str_equal);
  o->capture = g_ptr_array_new_with_free_func(g_free);
  o->ended = g_hash_table_new(NULL, NULL);
  pthread_mutex_init(&o->lock, NULL);
  return o;
}

static Error *check_space(const char *folder)
{
  struct statvfs fs;
  if (statvfs(folder, &fs) || (uint64_t)fs.f_bavail * fs.f_frsize >= LEAST_FREE) return NULL;
  Error *e = error_new(EXIT_OUTPUT, "OUT-04", "there is no space left where results would go");
  error_at(e, "in %s", folder);
  return error_help(e, "free some space, or choose another place with -o");
}

/* With a folder for what is written until all is complete. */
static Error *start(OutputKind kind, const char *final, const char *beside, bool force,
                    Output **out)
{
  Output *o = output_new(kind, final);
  o->force = force;
  Error *e = own_folder_make(&o->temp, beside);
  if (!e && kind != OUTPUT_STDOUT) e = check_space(o->temp.path);
  if (!e) {
    *out = o;
    return NULL;
  }
  output_abort(o, NULL);
  output_free(o);
  return e;
}

Error *output_folder(const char *path, const char *profile, bool force, Output **out)
{
  Error *e = folder_check(path, profile, force);
  if (e) return e;
  g_autofree char *link_target = realpath(path, NULL);
  if (link_target) path = link_target;
  return start(OUTPUT_FOLDER, path, path, force, out);
}

static Error *exists_already(const char *path)
{
  Error *e = error_new(EXIT_OUTPUT, "OUT-02", "%s exists already", path);
  return error_help(e, "add -f to replace it");
}

Error *output_file(const char *path, bool force, Output **out)
{
  bool standard = !strcmp(path, "-");
  g_autofree char *folder = standard ? g_strdup(g_get_tmp_dir()) : g_path_get_dirname(path);
  g_autofree char *beside = g_build_filename(folder, "convert", NULL);
  if (!standard && !strchr(path, '{') && !force && g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return exists_already(path);
  return start(standard ? OUTPUT_STDOUT : OUTPUT_FILE, folder, beside, force, out);
}

Output *output_nowhere(void) { return output_new(OUTPUT_NOWHERE, ""); }

const char *output_temp(const Output *o) { return o->temp.path ? o->temp.path : g_get_tmp_dir(); }

void output_remove_after_crash(Output *o)
{
  atomic_store(&o->closed, true);
  own_folder_remove(&o->temp);
}

void output_capture(Output *o, const char *name) { g_ptr_array_add(o->capture, g_strdup(name)); }

/* ------------------------------------------------------------------ writing */

static Error *write_error(const Output *o, const char *name, const char *why, int error_no)
{
  Error *e = error_new(EXIT_OUTPUT, error_no == ENOSPC ? "OUT-05" : "OUT-03",
                       "%s could not be written: %s", name, why ? why : g_strerror(error_no));
  if (*o->final) error_at(e, "in %s", o->final);
  if (error_no == ENOSPC) error_help(e, "free some space, or choose another place with -o");
  return e;
}

/* Names come from sinks, and sinks may build them from labels of the input. */
static bool name_is_safe(const char *name)
{
  if (!*name || *name == '/' || strlen(name) > 240) return false;
  for (const char *p = name; *p; p++) {
    if ((unsigned char)*p < 0x20 || *p == 0x7f) return false;
    if ((p == name || p[-1] == '/') && *p == '.' && (p[1] == '.' || p[1] == '/')) return false;
  }
  return true;
}

static Error *open_file(Output *o, const char *name, OutFile **out)
{
  if (!name_is_safe(name))
    return write_error(o, "a file", "its name would lead out of the output folder", EINVAL);
  OutFile *f = g_new0(OutFile, 1);
  f->name = g_strdup(name);
  f->parts = g_hash_table_new_full(NULL, NULL, NULL, part_free);
  f->own.path =
      o->kind == OUTPUT_STDOUT ? g_strdup("-") : g_build_filename(o->temp.path, name, NULL);
  for (guint i = 0; i < o->capture->len; i++)
    if (!strcmp(o->capture->pdata[i], name)) f->captured = g_string_new(NULL);
  g_ptr_array_add(o->files, f);
  g_hash_table_insert(o->names, f->name, f);
  *out = f;
  if (o->kind == OUTPUT_NOWHERE || o->kind == OUTPUT_STDOUT) return NULL;
  g_autofree char *folder = g_path_get_dirname(f->own.path);
  return g_mkdir_with_parents(folder, 0777) ? write_error(o, name, NULL, errno) : NULL;
}

static StreamCodec codec_of(const Output *o, const OutFile *f)
{
  if (o->kind == OUTPUT_STDOUT) return STREAM_PLAIN;
  if (g_str_has_suffix(f->name, ".gz")) return STREAM_GZIP;
  if (g_str_has_suffix(f->name, ".zst")) return STREAM_ZSTD;
  return STREAM_PLAIN;
}

static Error *is_ending(void)
{
  return error_new(EXIT_OUTPUT, "OUT-06",
                   "nothing is written any more: the program is being ended");
}

/* Opens again what was put aside. */
static Error *need_writer(const Output *o, const OutFile *f, Target *t)
{
  g_autofree char *why = NULL;
  if (t->writer) return NULL;
  if (atomic_load(&o->closed)) return is_ending();
  t->writer = t->on_disk ? writer_reopen(t->path, codec_of(o, f), &why)
                         : writer_open(t->path, codec_of(o, f), &why);
  if (!t->writer) return write_error(o, f->name, why, errno);
  t->on_disk = true;
  return NULL;
}

static Part *find_part(const OutFile *f, int position)
{
  return g_hash_table_lookup(f->parts, GINT_TO_POINTER(position));
}

static Target *target_of(OutFile *f, Part *p) { return p->own.path ? &p->own : &f->own; }

static bool is_lane(int position) { return position != OUTPUT_HEAD && position != OUTPUT_TAIL; }

static Error *writer_error(const Output *o, const OutFile *f, const Writer *w)
{
  return write_error(o, f->name, writer_why(w), writer_errno(w));
}

/* Nothing is open after it; a failure is reported in any case. */
static Error *shut(const Output *o, const OutFile *f, Writer **writer)
{
  if (!*writer) return NULL;
  Error *e = writer_finish(*writer) ? writer_error(o, f, *writer) : NULL;
  writer_close(*writer);
  *writer = NULL;
  return e;
}

/* Standard output stays open: nobody can open it again. */
static Error *shut_file(const Output *o, OutFile *f)
{
  if (o->kind != OUTPUT_STDOUT) return shut(o, f, &f->own.writer);
  return f->own.writer && writer_cut(f->own.writer) ? writer_error(o, f, f->own.writer) : NULL;
}

/* The text between the parts of two lanes goes into the file itself. */
static Error *begin_in_file(Output *o, OutFile *f, const Part *p)
{
  Error *e = need_writer(o, f, &f->own);
  Writer *w = f->own.writer;
  if (e) return e;
  bool failed =
      is_lane(p->position) && f->any_lane && p->join && writer_write(w, p->join, strlen(p->join));
  if (is_lane(p->position)) f->any_lane = true;
  return failed || writer_cut(w) ? writer_error(o, f, w) : NULL;
}

static Error *open_part(Output *o, OutFile *f, int position, const char *join, Part **out)
{
  Part *p = *out = g_new0(Part, 1);
  p->position = position;
  p->join = g_strdup(join);
  g_hash_table_insert(f->parts, GINT_TO_POINTER(position), p);
  if (o->kind == OUTPUT_NOWHERE) return NULL;
  if (position == o->front) return begin_in_file(o, f, p);
  p->own.path = g_strdup_printf("%s/.part-%u", o->temp.path, o->n_parts++);
  return NULL;
}

static Error *writer_for(Output *o, OutFile *f, int position, const char *join, Writer **out)
{
  Part *p = find_part(f, position);
  Error *e = p ? NULL : open_part(o, f, position, join, &p);
  if (!e && o->kind != OUTPUT_NOWHERE) e = need_writer(o, f, target_of(f, p));
  *out = target_of(f, p)->writer;
  return e;
}

/* The caller shuts it. */
static Writer *take_writer(const Output *o, OutFile *f, int position)
{
  Part *p = find_part(f, position);
  if (!p || (!p->own.path && o->kind == OUTPUT_STDOUT)) return NULL;
  return g_steal_pointer(&target_of(f, p)->writer);
}

Error *output_write(Output *o, const char *name, int position, const char *join, const void *bytes,
                    size_t len)
{
  Error *e = NULL;
  Writer *w = NULL;
  pthread_mutex_lock(&o->lock);
  OutFile *f = g_hash_table_lookup(o->names, name);
  if (!f) e = open_file(o, name, &f);
  if (!e && len) e = writer_for(o, f, position, join, &w);
  if (!e && !len) w = take_writer(o, f, position);
  if (!e && len && f->captured) g_string_append_len(f->captured, bytes, (gssize)len);
  pthread_mutex_unlock(&o->lock);
  if (e || !w) return e;
  /* Only the owner of a position writes there, and only the front's owner into the file: no lock
   * needed. */
  if (!len) return shut(o, f, &w);
  return writer_write(w, bytes, len) ? writer_error(o, f, w) : NULL;
}

/* What comes first in its file is the file. */
static Error *append_part(Output *o, OutFile *f, Part *p)
{
  if (!p->own.path) return shut_file(o, f);
  Error *e = shut(o, f, &p->own.writer);
  if (e) return e;
  if (!f->own.on_disk && o->kind != OUTPUT_STDOUT && !g_rename(p->own.path, f->own.path)) {
    f->own.on_disk = true;
    f->any_lane = f->any_lane || is_lane(p->position);
    return NULL;
  }
  e = begin_in_file(o, f, p);
  if (!e && writer_append_file(f->own.writer, p->own.path)) e = writer_error(o, f, f->own.writer);
  g_unlink(p->own.path);
  return e ? e : shut_file(o, f);
}

/* A part that has to wait needs no open file: there may be thousands. */
static Error *close_parts(Output *o, int position)
{
  Error *e = NULL;
  for (guint i = 0; i < o->files->len && !e; i++) {
    Part *p = find_part(o->files->pdata[i], position);
    if (p) e = shut(o, o->files->pdata[i], &p->own.writer);
  }
  return e;
}

/* With the lock held: the turn of every position that has ended goes by. */
static Error *advance(Output *o)
{
  while (g_hash_table_contains(o->ended, GINT_TO_POINTER(o->front))) {
    for (guint i = 0; i < o->files->len; i++) {
      OutFile *f = o->files->pdata[i];
      Part *p = find_part(f, o->front);
      Error *e = p && o->kind != OUTPUT_NOWHERE ? append_part(o, f, p) : NULL;
      if (e) return e;
    }
    o->front++;
  }
  return NULL;
}

Error *output_end_position(Output *o, int position)
{
  pthread_mutex_lock(&o->lock);
  g_hash_table_add(o->ended, GINT_TO_POINTER(position));
  Error *e = close_parts(o, position);
  if (!e) e = advance(o);
  pthread_mutex_unlock(&o->lock);
  return e;
}

void output_begin_tail(Output *o) { o->front = OUTPUT_TAIL; }

/* ------------------------------------------------------------------- ending */

static gint by_name(gconstpointer a, gconstpointer b)
{
  return strcmp((*(OutputEntry *const *)a)->name, (*(OutputEntry *const *)b)->name);
}

static void entry_free(gpointer data)
{
  OutputEntry *entry = data;
  g_free(entry->name);
  g_free(entry->sha256);
  g_free(entry);
}

static OutputEntry *make_entry(const OutFile *f)
{
  OutputEntry *entry = g_new0(OutputEntry, 1);
  GStatBuf st;
  entry->name = g_strdup(f->name);
  if (!strcmp(f->own.path, "-") || g_stat(f->own.path, &st)) return entry;
  entry->size = (uint64_t)st.st_size;
  entry->sha256 = folder_hash_file(f->own.path, UINT64_MAX);
  return entry;
}

/* A file that nobody wrote anything to is made here. */
static Error *seal_file(Output *o, OutFile *f)
{
  Error *e = o->kind == OUTPUT_NOWHERE || f->own.on_disk ? NULL : need_writer(o, f, &f->own);
  return e ? e : shut(o, f, &f->own.writer);
}

Error *output_seal(Output *o, GPtrArray **out_entries)
{
  g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(entry_free);
  for (guint i = 0; i < o->files->len; i++) {
    OutFile *f = o->files->pdata[i];
    Error *e = seal_file(o, f);
    if (e) return e;
    if (out_entries && o->kind == OUTPUT_FOLDER) g_ptr_array_add(entries, make_entry(f));
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

const char *output_captured(const Output *o, const char *name, size_t *out_len)
{
  const OutFile *f = g_hash_table_lookup(o->names, name);
  if (!f || !f->captured) return NULL;
  if (out_len) *out_len = f->captured->len;
  return f->captured->str;
}

/* Makes the folder that the file goes into. */
static Error *check_target(const Output *o, const OutFile *f)
{
  struct stat st;
  g_autofree char *to = g_build_filename(o->final, f->name, NULL);
  g_autofree char *folder = g_path_get_dirname(to);
  bool is_there = lstat(to, &st) == 0;
  if (is_there && !o->force && o->kind == OUTPUT_FILE) return exists_already(to);
  if (is_there && S_ISDIR(st.st_mode)) return write_error(o, f->name, NULL, EISDIR);
  return g_mkdir_with_parents(folder, 0777) ? write_error(o, f->name, NULL, errno) : NULL;
}

/* Looked at before the first is moved: all files appear, or none. */
static Error *move_files(Output *o)
{
  for (guint i = 0; i < o->files->len; i++) {
    Error *e = check_target(o, o->files->pdata[i]);
    if (e) return e;
  }
  for (guint i = 0; i < o->files->len; i++) {
    const OutFile *f = o->files->pdata[i];
    g_autofree char *to = g_build_filename(o->final, f->name, NULL);
    if (rename(f->own.path, to)) return write_error(o, f->name, NULL, errno);
  }
  own_folder_remove(&o->temp);
  return NULL;
}

Error *output_commit(Output *o)
{
  Error *e = output_seal(o, NULL);
  if (e || o->kind == OUTPUT_NOWHERE) return e;
  if (o->kind == OUTPUT_STDOUT) {
    own_folder_remove(&o->temp);
    return NULL;
  }
  if (o->kind == OUTPUT_FILE || folder_is_foreign(o->final)) return move_files(o);
  if (!own_folder_release(&o->temp)) return is_ending();
  e = folder_replace(o->temp.path, o->final);
  if (e) own_folder_reclaim(&o->temp);
  return e;
}

void output_abort(Output *o, const char *log)
{
  if (!o || !o->temp.path) return;
  for (guint i = 0; i < o->files->len; i++) {
    OutFile *f = o->files->pdata[i];
    g_clear_pointer(&f->own.writer, writer_close);
  }
  own_folder_remove(&o->temp);
  if (o->kind == OUTPUT_FOLDER && log) folder_leave_log(o->final, log);
}

void output_free(Output *o)
{
  if (!o) return;
  g_ptr_array_unref(o->files);
  g_ptr_array_unref(o->capture);
  g_hash_table_unref(o->names);
  g_hash_table_unref(o->ended);
  pthread_mutex_destroy(&o->lock);
  own_folder_clear(&o->temp);
  g_free(o->final);
  g_free(o);
}
