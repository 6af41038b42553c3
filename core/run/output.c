/* Where results go; see output.h.
 *
 * A file is made of parts: the head, one a lane, the tail.  The part that is next in
 * line is written straight into the file; a lane that is ahead of its turn writes into
 * a temporary part, which is appended when its turn comes.  Compressed parts are
 * members of their own in both cases, so the bytes do not depend on timing. */
#include "run/output.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/stream.h"
#include "run/output-folder.h"

#define LEAST_FREE (1u << 20)

typedef struct Part {
  int place;
  Writer *writer; /* NULL: written straight into the file, or closed and waiting for its turn */
  char *path;     /* NULL: written straight into the file */
  char *join;
} Part;

typedef struct OutFile {
  char *name, *path; /* path "-" for standard output */
  Writer *writer;
  GPtrArray *parts; /* Part *, by place */
  GString *captured;
  bool any_lane; /* a lane's part was not empty */
  bool sealed;
} OutFile;

struct Output {
  OutputKind kind;
  char *final, *temp, *profile;
  bool force;
  pthread_mutex_t lock;
  GPtrArray *files;   /* OutFile *, as they came */
  GPtrArray *capture; /* char * */
  GHashTable *ended;  /* places */
  int front;          /* the place whose turn it is */
  unsigned n_parts;
};

/* ------------------------------------------------------------------ opening */

static Output *output_new(OutputKind kind, const char *final)
{
  Output *o = g_new0(Output, 1);
  o->kind = kind;
  o->final = g_strdup(final);
  o->front = OUTPUT_HEAD;
  o->files = g_ptr_array_new();
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

Error *output_folder(const char *path, const char *profile, bool force, Output **out)
{
  Error *e = folder_check(path, profile, force);
  if (e) return e;
  g_autofree char *behind_link = realpath(path, NULL);
  if (behind_link) path = behind_link;
  Output *o = output_new(OUTPUT_FOLDER, path);
  o->profile = g_strdup(profile);
  o->force = force;
  e = folder_make_temp(path, &o->temp);
  if (!e) e = check_space(o->temp);
  if (e) {
    output_abort(o, NULL);
    output_free(o);
    return e;
  }
  *out = o;
  return NULL;
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
  if (!standard && !strchr(path, '{') && !force && g_file_test(path, G_FILE_TEST_EXISTS) &&
      g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return exists_already(path);
  Output *o = output_new(standard ? OUTPUT_STDOUT : OUTPUT_FILE, folder);
  o->force = force;
  Error *e = folder_make_temp(beside, &o->temp);
  if (!e && !standard) e = check_space(o->temp);
  if (e) {
    output_abort(o, NULL);
    output_free(o);
    return e;
  }
  *out = o;
  return NULL;
}

Output *output_nowhere(void)
{
  Output *o = output_new(OUTPUT_NOWHERE, "");
  o->temp = g_strdup(g_get_tmp_dir());
  return o;
}

const char *output_temp(const Output *o) { return o->temp; }

const char *output_path(const Output *o) { return o->final; }

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
  char *why = NULL;
  if (!name_is_safe(name))
    return write_error(o, "a file", "its name would lead out of the output folder", EINVAL);
  OutFile *f = g_new0(OutFile, 1);
  f->name = g_strdup(name);
  f->parts = g_ptr_array_new();
  f->path = o->kind == OUTPUT_STDOUT ? g_strdup("-") : g_build_filename(o->temp, name, NULL);
  for (guint i = 0; i < o->capture->len; i++)
    if (!strcmp(o->capture->pdata[i], name)) f->captured = g_string_new(NULL);
  g_ptr_array_add(o->files, f);
  *out = f;
  if (o->kind == OUTPUT_NOWHERE) return NULL;
  if (o->kind != OUTPUT_STDOUT) {
    g_autofree char *folder = g_path_get_dirname(f->path);
    if (g_mkdir_with_parents(folder, 0777)) return write_error(o, name, NULL, errno);
  }
  f->writer = writer_open(f->path, STREAM_AUTO, &why);
  Error *e = f->writer ? NULL : write_error(o, name, why, errno);
  g_free(why);
  return e;
}

static OutFile *find_file(const Output *o, const char *name)
{
  for (guint i = 0; i < o->files->len; i++)
    if (!strcmp(((OutFile *)o->files->pdata[i])->name, name)) return o->files->pdata[i];
  return NULL;
}

static Part *find_part(const OutFile *f, int place)
{
  for (guint i = 0; i < f->parts->len; i++)
    if (((Part *)f->parts->pdata[i])->place == place) return f->parts->pdata[i];
  return NULL;
}

static bool is_lane(int place) { return place != OUTPUT_HEAD && place != OUTPUT_TAIL; }

static Error *writer_error(const Output *o, const OutFile *f, const Writer *w)
{
  return write_error(o, f->name, writer_why(w), writer_errno(w));
}

/* The text between the parts of two lanes goes into the file itself. */
static Error *begin_in_file(Output *o, OutFile *f, const Part *p)
{
  bool failed = is_lane(p->place) && f->any_lane && p->join &&
                writer_write(f->writer, p->join, strlen(p->join));
  if (is_lane(p->place)) f->any_lane = true;
  return failed || writer_cut(f->writer) ? writer_error(o, f, f->writer) : NULL;
}

static Error *open_part(Output *o, OutFile *f, int place, const char *join, Part **out)
{
  Part *p = g_new0(Part, 1);
  char *why = NULL;
  p->place = place;
  p->join = g_strdup(join);
  guint at = 0;
  while (at < f->parts->len && ((Part *)f->parts->pdata[at])->place < place) at++;
  g_ptr_array_insert(f->parts, (gint)at, p);
  *out = p;
  if (o->kind == OUTPUT_NOWHERE) return NULL;
  if (place == o->front) return begin_in_file(o, f, p);
  p->path = g_strdup_printf("%s/.part-%u", o->temp, o->n_parts++);
  StreamCodec codec = g_str_has_suffix(f->name, ".gz")    ? STREAM_GZIP
                      : g_str_has_suffix(f->name, ".zst") ? STREAM_ZSTD
                                                          : STREAM_PLAIN;
  p->writer = writer_open(p->path, codec, &why);
  Error *e = p->writer ? NULL : write_error(o, f->name, why, errno);
  g_free(why);
  return e;
}

Error *output_write(Output *o, const char *name, int place, const char *join, const void *bytes,
                    size_t len)
{
  Error *e = NULL;
  pthread_mutex_lock(&o->lock);
  OutFile *f = find_file(o, name);
  if (!f) e = open_file(o, name, &f);
  Part *p = e ? NULL : find_part(f, place);
  if (!e && !p) e = open_part(o, f, place, join, &p);
  if (!e && f->captured) g_string_append_len(f->captured, bytes, (gssize)len);
  pthread_mutex_unlock(&o->lock);
  if (e || o->kind == OUTPUT_NOWHERE) return e;
  /* Only the owner of a place writes there, and only the front's owner into the file: no lock
   * needed. */
  Writer *w = p->writer ? p->writer : f->writer;
  return writer_write(w, bytes, len) ? writer_error(o, f, w) : NULL;
}

/* A part that has to wait needs no open file: there may be thousands. */
static Error *close_part(Output *o, OutFile *f, Part *p)
{
  if (!p->writer) return NULL;
  Error *e = writer_finish(p->writer) ? writer_error(o, f, p->writer) : NULL;
  writer_close(p->writer);
  p->writer = NULL;
  return e;
}

static Error *append_part(Output *o, OutFile *f, Part *p)
{
  if (!p->path) return writer_cut(f->writer) ? writer_error(o, f, f->writer) : NULL;
  Error *e = close_part(o, f, p);
  if (!e) e = begin_in_file(o, f, p);
  if (!e && writer_append_file(f->writer, p->path)) e = writer_error(o, f, f->writer);
  g_unlink(p->path);
  return e;
}

static Error *close_parts(Output *o, int place)
{
  Error *e = NULL;
  for (guint i = 0; i < o->files->len && !e; i++) {
    Part *p = find_part(o->files->pdata[i], place);
    if (p) e = close_part(o, o->files->pdata[i], p);
  }
  return e;
}

/* With the lock held: the turn of every place that has ended goes by. */
static Error *advance(Output *o)
{
  while (g_hash_table_contains(o->ended, GINT_TO_POINTER(o->front + 2))) {
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

Error *output_end_place(Output *o, int place)
{
  pthread_mutex_lock(&o->lock);
  g_hash_table_add(o->ended, GINT_TO_POINTER(place + 2));
  Error *e = close_parts(o, place);
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
  if (!strcmp(f->path, "-") || g_stat(f->path, &st)) return entry;
  entry->size = (uint64_t)st.st_size;
  entry->sha256 = folder_hash_file(f->path, UINT64_MAX);
  return entry;
}

Error *output_seal(Output *o, GPtrArray **out_entries)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func(entry_free);
  for (guint i = 0; i < o->files->len; i++) {
    OutFile *f = o->files->pdata[i];
    if (f->writer && !f->sealed && writer_finish(f->writer)) {
      g_ptr_array_unref(entries);
      return writer_error(o, f, f->writer);
    }
    f->sealed = true;
    if (o->kind != OUTPUT_NOWHERE && out_entries && o->kind == OUTPUT_FOLDER)
      g_ptr_array_add(entries, make_entry(f));
  }
  g_ptr_array_sort(entries, by_name);
  if (out_entries)
    *out_entries = entries;
  else
    g_ptr_array_unref(entries);
  return NULL;
}

Error *output_add(Output *o, const char *name, const char *text, size_t len)
{
  output_begin_tail(o);
  return output_write(o, name, OUTPUT_TAIL, NULL, text, len);
}

const char *output_captured(const Output *o, const char *name, size_t *out_len)
{
  const OutFile *f = find_file(o, name);
  if (!f || !f->captured) return NULL;
  if (out_len) *out_len = f->captured->len;
  return f->captured->str;
}

static bool is_there(const char *path)
{
  struct stat st;
  return lstat(path, &st) == 0;
}

/* Looked at before the first is moved: all files appear, or none. */
static Error *check_targets(const Output *o)
{
  for (guint i = 0; i < o->files->len && !o->force && o->kind == OUTPUT_FILE; i++) {
    g_autofree char *to =
        g_build_filename(o->final, ((const OutFile *)o->files->pdata[i])->name, NULL);
    if (is_there(to)) return exists_already(to);
  }
  return NULL;
}

static Error *move_files(Output *o)
{
  Error *e = check_targets(o);
  if (e) return e;
  for (guint i = 0; i < o->files->len; i++) {
    const OutFile *f = o->files->pdata[i];
    g_autofree char *to = g_build_filename(o->final, f->name, NULL);
    g_autofree char *folder = g_path_get_dirname(to);
    if (g_mkdir_with_parents(folder, 0777) || folder_rename(f->path, to))
      return write_error(o, f->name, NULL, errno);
  }
  folder_remove(o->temp);
  return NULL;
}

Error *output_commit(Output *o)
{
  Error *e = output_seal(o, NULL);
  if (e || o->kind == OUTPUT_NOWHERE) return e;
  if (o->kind == OUTPUT_STDOUT) {
    folder_remove(o->temp);
    return NULL;
  }
  if (o->kind == OUTPUT_FILE || folder_is_foreign(o->final)) return move_files(o);
  return folder_replace(o->temp, o->final);
}

void output_abort(Output *o, const char *log)
{
  if (!o || !o->temp || o->kind == OUTPUT_NOWHERE) return;
  for (guint i = 0; i < o->files->len; i++) {
    OutFile *f = o->files->pdata[i];
    if (f->writer) writer_close(f->writer);
    f->writer = NULL;
  }
  folder_remove(o->temp);
  if (o->kind == OUTPUT_FOLDER && log) folder_leave_log(o->final, log);
}

static void part_free(Part *p)
{
  if (p->writer) writer_close(p->writer);
  g_free(p->path);
  g_free(p->join);
  g_free(p);
}

void output_free(Output *o)
{
  if (!o) return;
  for (guint i = 0; i < o->files->len; i++) {
    OutFile *f = o->files->pdata[i];
    if (f->writer) writer_close(f->writer);
    for (guint k = 0; k < f->parts->len; k++) part_free(f->parts->pdata[k]);
    g_ptr_array_unref(f->parts);
    if (f->captured) g_string_free(f->captured, TRUE);
    g_free(f->name);
    g_free(f->path);
    g_free(f);
  }
  g_ptr_array_unref(o->files);
  g_ptr_array_unref(o->capture);
  g_hash_table_unref(o->ended);
  pthread_mutex_destroy(&o->lock);
  g_free(o->final);
  g_free(o->temp);
  g_free(o->profile);
  g_free(o);
}
