/* The parts of files, and how they are joined.
 * A file has these parts: the head, one per lane, the tail. The lane whose turn it is writes
 * straight into the file. A lane that is ahead writes into a temporary file, which is appended
 * when its turn comes. Compressed parts are members of their own in both cases, so the bytes do
 * not depend on timing. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "model/printable.h"
#include "output/output-state.h"

enum { MAX_NAME = 240 }; /* bytes, with its folders */

static void target_clear(Target *t)
{
  if (t->writer) writer_close(t->writer);
  file_sum_free(t->sum);
  g_free(t->path);
}

static void part_free(gpointer data)
{
  Part *p = data;
  target_clear(&p->own);
  g_free(p->join);
  g_free(p);
}

void output_file_free(gpointer data)
{
  OutFile *f = data;
  target_clear(&f->own);
  if (f->captured) g_string_free(f->captured, TRUE);
  g_hash_table_unref(f->parts);
  g_free(f->name);
  g_free(f);
}

Error *output_write_error(const Output *o, const char *name, const char *why, int error_no)
{
  bool standard = !strcmp(o->final, "-");
  Error *e = error_new(EXIT_OUTPUT, error_no == ENOSPC ? "OUT-05" : "OUT-03",
                       "%s could not be written: %s", standard ? "standard output" : name,
                       why ? why : g_strerror(error_no));
  error_of_errno(e, error_no);
  if (*o->final && !standard) error_at(e, "in %s", o->final);
  if (error_no == ENOSPC) error_help(e, "free some space, or choose another place with -o");
  return e;
}

void output_check_process(const Output *o)
{
  static const char text[] = "error[STG-73]: a module forked, and its child went on with the run\n"
                             "  help: report it to the author: a module starts no processes\n";
  if (getpid() == o->process) return;
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) process_end(EXIT_STAGE);
  process_end(EXIT_STAGE);
}

/* -------------------------------------------------------------------- names */

/* NULL: the name is allowed. */
static const char *why_no_name(const char *name)
{
  if (!*name) return "its name is empty";
  if (strlen(name) > MAX_NAME) return "its name is longer than 240 bytes";
  for (const char *p = name; *p; p++)
    if ((unsigned char)*p < 0x20 || *p == 0x7f) return "its name holds a control character";
  return NULL;
}

/* Names come from sinks, which may build them from labels of inputs. The name is as the file
 * system reads it: a//b and ./a/b are a/b. NULL for a name that leads out of the folder, or to
 * it. */
static char *plain_name(const char *name)
{
  if (*name == '/' || g_str_has_suffix(name, "/")) return NULL;
  g_auto(GStrv) parts = g_strsplit(name, "/", -1);
  GString *plain = g_string_new(NULL);
  bool good = true;
  for (char **part = parts; *part; part++) {
    good = good && strcmp(*part, "..");
    if (!**part || !strcmp(*part, ".")) continue;
    g_string_append_printf(plain, "%s%s", plain->len ? "/" : "", *part);
  }
  good = good && plain->len;
  return g_string_free(plain, !good);
}

/* In the order of their names, whichever came first. */
static Error *two_writers(const char *name, const char *first, const char *second)
{
  if (g_strcmp0(first, second) > 0) return two_writers(name, second, first);
  Error *e = error_new(EXIT_OUTPUT, "OUT-08", "two sinks write the file \"%s\"", name);
  error_why(e, "%s%s%s and %s%s%s do", first ? "\"" : "", first ? first : "the program itself",
            first ? "\"" : "", second ? "\"" : "", second ? second : "the program itself",
            second ? "\"" : "");
  return error_help(e, "give the file another name: stagemill show NAME    lists a sink's options");
}

static Error *two_files(const Output *o, const char *name)
{
  const OutFile *first = o->list->pdata[0];
  Error *e = error_new(EXIT_OUTPUT, "OUT-07", "%s takes one file only", first->own.path);
  return error_at(e, "\"%s\" would follow \"%s\"", name, first->name);
}

static Error *open_file(Output *o, const char *name, const char *writer, OutFile **out)
{
  if (writer && o->kind == OUTPUT_FOLDER && !strcmp(name, "run.json"))
    return two_writers(name, NULL, writer);
  if (o->kind == OUTPUT_THROUGH && o->list->len) return two_files(o, name);
  OutFile *f = g_new0(OutFile, 1);
  f->name = g_strdup(name);
  f->writer = writer;
  f->parts = g_hash_table_new_full(NULL, NULL, NULL, part_free);
  f->own.path =
      o->kind == OUTPUT_THROUGH ? g_strdup(o->final) : g_build_filename(o->files, name, NULL);
  /* A pipe or device exists, and is never made. */
  f->own.on_disk = o->kind == OUTPUT_THROUGH && strcmp(o->final, "-");
  for (guint i = 0; i < o->capture->len; i++)
    if (!strcmp(o->capture->pdata[i], name)) f->captured = g_string_new(NULL);
  g_ptr_array_add(o->list, f);
  g_hash_table_insert(o->names, f->name, f);
  *out = f;
  if (o->kind == OUTPUT_NOWHERE || o->kind == OUTPUT_THROUGH) return NULL;
  g_autofree char *folder = g_path_get_dirname(f->own.path);
  return g_mkdir_with_parents(folder, 0777) ? output_write_error(o, name, NULL, errno) : NULL;
}

/* The file of that name; only one sink (or the program: NULL) may write it. */
static Error *find_file(Output *o, const char *name, const char *writer, OutFile **out)
{
  OutFile *f = *out = g_hash_table_lookup(o->names, name);
  if (!f) {
    const char *why = why_no_name(name);
    g_autofree char *plain = why ? NULL : plain_name(name), *safe = printable(name);
    if (!plain)
      return output_write_error(o, *safe ? safe : "a file",
                                why ? why : "its name leads out of the output folder", EINVAL);
    f = *out = g_hash_table_lookup(o->names, plain);
    if (!f) return open_file(o, plain, writer, out);
  }
  return g_strcmp0(f->writer, writer) ? two_writers(f->name, f->writer, writer) : NULL;
}

/* ------------------------------------------------------------------ writing */

static StreamCodec codec_of(const Output *o, const OutFile *f)
{
  if (!strcmp(o->final, "-")) return STREAM_PLAIN;
  if (g_str_has_suffix(f->name, ".gz")) return STREAM_GZIP;
  if (g_str_has_suffix(f->name, ".zst")) return STREAM_ZSTD;
  return STREAM_PLAIN;
}

Error *output_is_ending(void)
{
  return error_new(EXIT_OUTPUT, "OUT-06", "the program is ending and writes no more");
}

Error *output_need_writer(const Output *o, const OutFile *f, Target *t)
{
  g_autofree char *why = NULL;
  if (t->writer) return NULL;
  if (atomic_load(&o->closed)) return output_is_ending();
  t->writer = t->on_disk ? writer_reopen(t->path, codec_of(o, f), &why)
                         : writer_open(t->path, codec_of(o, f), &why);
  if (!t->writer) return output_write_error(o, f->name, why, errno);
  t->on_disk = true;
  if (o->kind != OUTPUT_FOLDER) return NULL;
  if (!t->sum) t->sum = file_sum_new();
  writer_watch(t->writer, file_sum_see, t->sum);
  return NULL;
}

static Part *find_part(const OutFile *f, int position)
{
  return g_hash_table_lookup(f->parts, GINT_TO_POINTER(position));
}

static Target *target_of(OutFile *f, Part *p) { return p->own.path ? &p->own : &f->own; }

static bool is_lane(int position) { return position != OUTPUT_HEAD && position != OUTPUT_TAIL; }

/* The part of a lane that is ahead is not on standard output, but beside it. */
static Error *part_error(const Output *o, const char *why, int error_no)
{
  Error *e = error_new(EXIT_OUTPUT, error_no == ENOSPC ? "OUT-05" : "OUT-03",
                       "a temporary file could not be written: %s", why);
  error_at(e, "in %s", o->temp.path);
  return error_help(e, "name another folder with TMPDIR, or use one thread: -j 1");
}

static Error *writer_error(const Output *o, const OutFile *f, const Writer *w)
{
  bool is_part = o->kind == OUTPUT_THROUGH && w != f->own.writer;
  return is_part ? part_error(o, writer_why(w), writer_errno(w))
                 : output_write_error(o, f->name, writer_why(w), writer_errno(w));
}

Error *output_shut(const Output *o, const OutFile *f, Writer **writer)
{
  if (!*writer) return NULL;
  Error *e = writer_finish(*writer) ? writer_error(o, f, *writer) : NULL;
  writer_close(*writer);
  *writer = NULL;
  return e;
}

/* A pipe or device stays open, because it cannot be opened at the old position. */
static Error *shut_file(const Output *o, OutFile *f)
{
  if (o->kind != OUTPUT_THROUGH) return output_shut(o, f, &f->own.writer);
  return f->own.writer && writer_cut(f->own.writer) ? writer_error(o, f, f->own.writer) : NULL;
}

/* The text between the parts of two lanes goes into the file itself. */
static Error *begin_in_file(Output *o, OutFile *f, const Part *p)
{
  Error *e = output_need_writer(o, f, &f->own);
  Writer *w = f->own.writer;
  if (e) return e;
  bool failed =
      is_lane(p->position) && f->any_lane && p->join && writer_write(w, p->join, strlen(p->join));
  if (is_lane(p->position)) f->any_lane = true;
  return failed || writer_cut(w) ? writer_error(o, f, w) : NULL;
}

/* Of very many files each may have a part of one lane only. */
static GPtrArray *files_at(Output *o, int position)
{
  GPtrArray *files = g_hash_table_lookup(o->at, GINT_TO_POINTER(position));
  if (files) return files;
  files = g_ptr_array_new();
  g_hash_table_insert(o->at, GINT_TO_POINTER(position), files);
  return files;
}

static Error *open_part(Output *o, OutFile *f, int position, const char *join, Part **out)
{
  Part *p = *out = g_new0(Part, 1);
  p->position = position;
  p->join = g_strdup(join);
  g_hash_table_insert(f->parts, GINT_TO_POINTER(position), p);
  g_ptr_array_add(files_at(o, position), f);
  if (o->kind == OUTPUT_NOWHERE) return NULL;
  if (position == o->front) return begin_in_file(o, f, p);
  p->own.path = g_strdup_printf("%s/part-%u", o->temp.path, o->n_parts++);
  return NULL;
}

static Error *writer_for(Output *o, OutFile *f, int position, const char *join, Writer **out)
{
  Part *p = find_part(f, position);
  Error *e = p ? NULL : open_part(o, f, position, join, &p);
  if (!e && o->kind != OUTPUT_NOWHERE) e = output_need_writer(o, f, target_of(f, p));
  *out = target_of(f, p)->writer;
  return e;
}

/* The caller shuts it. */
static Writer *take_writer(const Output *o, OutFile *f, int position)
{
  Part *p = find_part(f, position);
  if (!p || (!p->own.path && o->kind == OUTPUT_THROUGH)) return NULL;
  return g_steal_pointer(&target_of(f, p)->writer);
}

/* ------------------------------------------------------- what sinks write themselves */

static Error *no_place(const Output *o, const OutFile *f, const char *why)
{
  Error *e = error_new(EXIT_OUTPUT, "OUT-13", "the sink \"%s\" cannot write %s itself", f->writer,
                       f->name);
  if (*o->final) error_at(e, "in %s", o->final);
  return error_why(e, "%s", why);
}

Error *output_place_of(Output *o, const char *sink, const char *name, const char **out_path)
{
  OutFile *f;
  *out_path = NULL;
  output_check_process(o);
  pthread_mutex_lock(&o->lock);
  Error *e = find_file(o, name, sink, &f);
  bool written = !e && !f->placed && (f->own.on_disk || g_hash_table_size(f->parts));
  if (!e && o->kind == OUTPUT_THROUGH)
    e = no_place(o, f, "it goes into a pipe, a device or standard output");
  if (!e && f->captured) e = no_place(o, f, "it is printed, too");
  if (!e && written) e = no_place(o, f, "some of it was written already");
  if (!e && atomic_load(&o->closed)) e = output_is_ending();
  if (!e && o->kind != OUTPUT_NOWHERE) {
    f->placed = true;
    f->own.on_disk = false;
    *out_path = f->own.path;
  }
  pthread_mutex_unlock(&o->lock);
  return e;
}

static Error *check_placed(const Output *o, OutFile *f)
{
  struct stat st;
  if (lstat(f->own.path, &st)) {
    if (errno != ENOENT) return output_write_error(o, f->name, NULL, errno);
    return no_place(o, f, "it asked for a path and left no file there");
  }
  if (!S_ISREG(st.st_mode)) return no_place(o, f, "it left something other than a file there");
  f->own.on_disk = true;
  return NULL;
}

Error *output_check_placed(Output *o, const char *sink)
{
  Error *e = NULL;
  output_check_process(o);
  pthread_mutex_lock(&o->lock);
  for (guint i = 0; i < o->list->len && !e; i++) {
    OutFile *f = o->list->pdata[i];
    if (f->placed && !f->own.on_disk && !g_strcmp0(f->writer, sink)) e = check_placed(o, f);
  }
  pthread_mutex_unlock(&o->lock);
  return e;
}

/* ---------------------------------------------------------------- in parts */

Error *output_write_of(Output *o, const char *sink, const char *name, int position,
                       const char *join, const void *bytes, size_t len)
{
  Writer *w = NULL;
  OutFile *f;
  output_check_process(o);
  pthread_mutex_lock(&o->lock);
  Error *e = find_file(o, name, sink, &f);
  if (!e && f->placed) e = no_place(o, f, "it already has a path for it");
  if (!e && len) e = writer_for(o, f, position, join, &w);
  if (!e && !len) w = take_writer(o, f, position);
  if (!e && len && f->captured) g_string_append_len(f->captured, bytes, (gssize)len);
  pthread_mutex_unlock(&o->lock);
  if (e || !w) return e;
  /* Only the owner of a position writes there, and only the front's owner into the file: no lock
   * needed. */
  if (!len) return output_shut(o, f, &w);
  return writer_write(w, bytes, len) ? writer_error(o, f, w) : NULL;
}

Error *output_write(Output *o, const char *name, int position, const char *join, const void *bytes,
                    size_t len)
{
  return output_write_of(o, NULL, name, position, join, bytes, len);
}

/* The first part of a file becomes the file. */
static Error *append_part(Output *o, OutFile *f, Part *p)
{
  if (!p->own.path) return shut_file(o, f);
  Error *e = output_shut(o, f, &p->own.writer);
  if (e) return e;
  if (!f->own.on_disk && o->kind != OUTPUT_THROUGH && !g_rename(p->own.path, f->own.path)) {
    f->own.on_disk = true;
    f->own.sum = g_steal_pointer(&p->own.sum);
    f->any_lane = f->any_lane || is_lane(p->position);
    return NULL;
  }
  e = begin_in_file(o, f, p);
  if (!e && writer_append_file(f->own.writer, p->own.path)) e = writer_error(o, f, f->own.writer);
  g_unlink(p->own.path);
  return e ? e : shut_file(o, f);
}

/* A part that waits needs no open file: there may be thousands. */
static Error *close_parts(Output *o, int position)
{
  Error *e = NULL;
  const GPtrArray *files = files_at(o, position);
  for (guint i = 0; i < files->len && !e; i++)
    e = output_shut(o, files->pdata[i], &find_part(files->pdata[i], position)->own.writer);
  return e;
}

/* With the lock held: moves the turn past all positions that have ended. */
static Error *advance(Output *o)
{
  while (g_hash_table_contains(o->ended, GINT_TO_POINTER(o->front))) {
    const GPtrArray *files = files_at(o, o->front);
    for (guint i = 0; i < files->len && o->kind != OUTPUT_NOWHERE; i++) {
      OutFile *f = files->pdata[i];
      Error *e = append_part(o, f, find_part(f, o->front));
      if (e) return e;
    }
    g_hash_table_remove(o->at, GINT_TO_POINTER(o->front++));
  }
  return NULL;
}

Error *output_end_position(Output *o, int position)
{
  output_check_process(o);
  pthread_mutex_lock(&o->lock);
  g_hash_table_add(o->ended, GINT_TO_POINTER(position));
  Error *e = close_parts(o, position);
  if (!e) e = advance(o);
  pthread_mutex_unlock(&o->lock);
  return e;
}

void output_begin_tail(Output *o) { o->front = OUTPUT_TAIL; }
