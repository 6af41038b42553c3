/* The folder of --state: its files, and an index of their records; see records.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/records.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "base/stream.h"
#include "model/printable.h"
#include "sched/record-file.h"

#define MOST_FILES (1u << 24)
#define MOST_FILE_BYTES (1ull << 40)

#define MOST_JOB_BYTES (1ull << 30)

/* Of a lane there is one, and one more for each barrier of all lanes that it has passed. */
typedef struct Entry {
  uint64_t at; /* file << 40 | offset of the record */
  uint32_t input, slot;
} Entry;
_Static_assert(sizeof(Entry) == 16, "with one barrier, a lane takes 32 bytes");

typedef struct RecordFile {
  char *path;
  uint64_t seen_bytes; /* up to the end of its last whole record */
} RecordFile;

struct Records {
  char *path;
  RecordsJob job;
  RecordFileHead head;
  GPtrArray *files;  /* RecordFile *, in the order in which they were found */
  GHashTable *known; /* their paths */
  Entry *entries;    /* sorted by lane and slot */
  size_t n_entries, max_entries;
  pthread_mutex_t lock; /* of what follows */
  int open_fd;          /* of the file that was read last; -1: none */
  const RecordFile *open_file;
  int own_fd; /* -1: nothing was written yet */
  char *own_path;
  uint64_t own_bytes;
};

/* ------------------------------------------------------------------- errors */

static Error *damaged(const char *path, const char *how)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_INPUT, "RUN-51", "%s cannot be used: %s", safe, how);
  return error_help(e, "remove the file, and give the commands again: what it held is read again");
}

static Error *unread(const char *path)
{
  int why = errno;
  return error_of_errno(damaged(path, g_strerror(why)), why);
}

static Error *unwritten(const char *path)
{
  int why = errno;
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_OUTPUT, "OUT-15", "%s cannot be written: %s", safe, g_strerror(why));
  error_help(e, "lanes that are complete in the folder of --state stay there");
  return error_of_errno(e, why);
}

static Error *other_job(const Records *s, const char *difference)
{
  g_autofree char *safe = printable(s->path);
  g_autofree char *how = printable(difference);
  Error *e = error_new(EXIT_INPUT, "RUN-50", "the folder %s is of another run: %s", safe, how);
  error_why(e, "all processes with one folder need the same inputs, profile and options");
  return error_help(e, "give --state another folder, or remove this one");
}

/* ------------------------------------------------------------------ the job */

/* *out_bytes stays NULL if there is no such file. */
static Error *read_whole(const char *path, char **out_bytes, size_t *out_len)
{
  Error *e;
  int fd = record_file_open(path, &e);
  struct stat st;
  if (fd < 0) return e;
  if (fstat(fd, &st)) {
    e = unread(path);
  } else {
    if ((uint64_t)st.st_size < MOST_JOB_BYTES) *out_bytes = g_try_malloc((size_t)st.st_size + 1);
    int64_t n = *out_bytes ? file_read_at(fd, *out_bytes, (size_t)st.st_size, 0) : 0;
    *out_len = (size_t)MAX(n, 0);
    if (n < 0) e = unread(path);
    if (!*out_bytes) e = damaged(path, "it is too large");
  }
  close(fd);
  return e;
}

static Error *compare_job(const Records *s, const char *path, const GString *ours)
{
  g_autofree char *theirs = NULL;
  size_t len = 0;
  Error *e = read_whole(path, &theirs, &len);
  if (e) return e;
  if (!theirs) {
    errno = ENOENT;
    return unread(path);
  }
  if (len == ours->len && !memcmp(theirs, ours->str, len)) return NULL;
  Summary one, other;
  const char *how = record_job_open(theirs, len, &one);
  if (how) return damaged(path, how);
  record_job_open(ours->str, ours->len, &other);
  g_autofree char *difference = s->job.difference(&one, &other);
  return difference ? other_job(s, difference) : damaged(path, "it is damaged");
}

/* Of several that begin at once, one makes the file, complete, and the others compare. */
static Error *make_job(const Records *s, const char *path, const GString *ours)
{
  g_autofree char *temp = g_build_filename(s->path, "job-XXXXXX", NULL);
  Error *e = NULL;
  int fd = mkostemp(temp, O_CLOEXEC);
  if (fd < 0) return unwritten(s->path);
  if (!record_file_write(fd, ours->str, ours->len) || fsync(fd) ||
      (link(temp, path) && errno != EEXIST))
    e = unwritten(path);
  close(fd);
  unlink(temp);
  return e;
}

static Error *open_job(Records *s, bool make)
{
  g_autoptr(GString) ours = record_job_text(s->job.bytes);
  g_autofree char *path = g_build_filename(s->path, RECORD_JOB, NULL);
  record_file_head(&s->head, ours);
  bool is_there = !access(path, F_OK);
  Error *e = make && !is_there ? make_job(s, path, ours) : NULL;
  return e || (!make && !is_there) ? e : compare_job(s, path, ours);
}

/* -------------------------------------------------------------------- index */

#define AT_BARRIER (1u << 31)

/* A lane and its failure have one: its place in the input. At barriers there is one lane for each input, so the
 * place is free for the stage. */
static uint32_t slot_of(const RecordKey *key)
{
  if (key->kind == RECORD_OBSERVED) return AT_BARRIER | 2 * key->stage;
  return key->kind == RECORD_DECISION ? AT_BARRIER | (2 * key->stage + 1) : key->place;
}

/* Of this run; others have no slot. */
static bool is_of_job(const Records *s, const RecordKey *key)
{
  bool at_barrier = key->kind == RECORD_OBSERVED || key->kind == RECORD_DECISION;
  return key->input < s->job.n_lanes && key->stage < s->job.n_stages &&
         (at_barrier ? key->place == 0 : key->place < AT_BARRIER);
}

static int by_key(const Entry *a, const Entry *b)
{
  if (a->input != b->input) return a->input < b->input ? -1 : 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static int by_key_and_place(const void *a, const void *b)
{
  const Entry *x = a, *y = b;
  int order = by_key(x, y);
  return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static Entry entry_of(const RecordKey *key)
{
  return (Entry){ .input = key->input, .slot = slot_of(key) };
}

static const Entry *find(const Records *s, const RecordKey *key)
{
  const Entry wanted = entry_of(key);
  size_t low = 0, high = is_of_job(s, key) ? s->n_entries : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = by_key(&s->entries[middle], &wanted);
    if (!order) return &s->entries[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* Grows slowly: there may be very many lanes, and few looks. */
static void add_entry(Records *s, const RecordHead *head, uint64_t at)
{
  if (s->n_entries == s->max_entries) {
    s->max_entries += s->max_entries / 8 + 256;
    s->entries = g_renew(Entry, s->entries, s->max_entries);
  }
  Entry e = entry_of(&head->record.key);
  e.at = at;
  s->entries[s->n_entries++] = e;
}

/* ------------------------------------------------------------------- reading */

/* Under the lock. Few of them would be open at once, so one is enough. */
static Error *open_file(Records *s, const RecordFile *file)
{
  Error *e = NULL;
  if (s->open_file == file) return NULL;
  if (s->open_fd >= 0) close(s->open_fd);
  s->open_file = NULL;
  s->open_fd = record_file_open(file->path, &e);
  if (s->open_fd >= 0) s->open_file = file;
  return e;
}

static Error *read_record(Records *s, uint64_t at, RecordHead *out_head, Summary *out_bytes)
{
  const RecordFile *file = s->files->pdata[at >> 40];
  uint64_t offset = at & (MOST_FILE_BYTES - 1);
  pthread_mutex_lock(&s->lock);
  Error *e = open_file(s, file);
  const char *how = "it was removed";
  if (!e && s->open_fd >= 0) how = record_at(s->open_fd, offset, out_head, out_bytes);
  pthread_mutex_unlock(&s->lock);
  return e || !how ? e : damaged(file->path, how);
}

/* ----------------------------------------------------------------- two of one */

static bool same_bytes(const Summary *a, const Summary *b)
{
  return a->len == b->len && (!a->len || !memcmp(a->bytes, b->bytes, a->len));
}

/* Two processes have read one lane: what came of it must be the same. */
static Error *check_double(Records *s, const Entry *a, const Entry *b)
{
  RecordHead one, other;
  Summary x = { 0 }, y = { 0 };
  Error *e = read_record(s, a->at, &one, NULL);
  if (!e) e = read_record(s, b->at, &other, NULL);
  if (e || (one.record.key.kind == other.record.key.kind && one.len == other.len &&
            one.crc == other.crc))
    return e;
  e = read_record(s, a->at, &one, &x);
  if (!e) e = read_record(s, b->at, &other, &y);
  if (!e) e = s->job.differ(s->job.context, &one.record.key, &x, &y);
  summary_clear(&x);
  summary_clear(&y);
  return e;
}

static Error *sort_entries(Records *s)
{
  Error *e = NULL;
  size_t n = 0;
  if (s->n_entries) qsort(s->entries, s->n_entries, sizeof *s->entries, by_key_and_place);
  for (size_t i = 0; i < s->n_entries && !e; i++) {
    if (n && !by_key(&s->entries[n - 1], &s->entries[i]))
      e = check_double(s, &s->entries[n - 1], &s->entries[i]);
    else
      s->entries[n++] = s->entries[i];
  }
  s->n_entries = s->max_entries = n;
  s->entries = g_renew(Entry, s->entries, n);
  return e;
}

/* ------------------------------------------------------------------- looking */

static void record_file_free(gpointer data)
{
  RecordFile *f = data;
  g_free(f->path);
  g_free(f);
}

/* From where the last look ended; the end of the file may be a record that is not whole yet. */
static Error *look_into(Records *s, uint64_t index)
{
  RecordFile *file = s->files->pdata[index];
  Error *e = open_file(s, file);
  struct stat st;
  if (e || s->open_fd < 0) return e;
  if (fstat(s->open_fd, &st)) return unread(file->path);
  uint64_t at = file->seen_bytes, end = MIN((uint64_t)st.st_size, MOST_FILE_BYTES);
  if (!at) {
    const char *how = record_file_check(s->open_fd, end, &s->head, &at);
    if (how) return damaged(file->path, how);
    if (!at) return NULL;
  }
  while (at + RECORD_HEAD_BYTES <= end) {
    RecordHead head;
    const char *how = record_at(s->open_fd, at, &head, NULL);
    if (!how && !is_of_job(s, &head.record.key))
      how = "it has a lane or a stage that the run lacks";
    if (how) return damaged(file->path, how);
    uint64_t next = at + RECORD_HEAD_BYTES + head.len;
    if (next > end) break;
    add_entry(s, &head, index << 40 | at);
    at = next;
  }
  file->seen_bytes = at;
  return NULL;
}

static Error *find_files(Records *s)
{
  g_autoptr(GPtrArray) names = folder_names(s->path);
  if (!names) return unread(s->path);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    if (!g_str_has_suffix(name, RECORD_SUFFIX) || !strcmp(name, RECORD_JOB)) continue;
    g_autofree char *path = g_build_filename(s->path, name, NULL);
    if (g_hash_table_contains(s->known, path)) continue;
    if (s->files->len >= MOST_FILES) return damaged(s->path, "it holds too many files");
    RecordFile *file = g_new0(RecordFile, 1);
    file->path = g_steal_pointer(&path);
    g_hash_table_add(s->known, file->path);
    g_ptr_array_add(s->files, file);
  }
  return NULL;
}

Error *records_look(Records *s)
{
  if (!s->path) return NULL;
  Error *e = find_files(s);
  for (guint i = 0; i < s->files->len && !e; i++) e = look_into(s, i);
  return e ? e : sort_entries(s);
}

/* -------------------------------------------------------------------- asking */

bool records_has(const Records *s, const RecordKey *key) { return find(s, key) != NULL; }

Error *records_get(Records *s, const RecordKey *key, bool *out_found, Record *out,
                   Summary *out_bytes)
{
  RecordHead head;
  const Entry *entry = find(s, key);
  *out_found = entry != NULL;
  if (!entry) return NULL;
  Error *e = read_record(s, entry->at, &head, out_bytes);
  if (!e) *out = head.record;
  return e;
}

/* -------------------------------------------------------------------- adding */

static Error *make_own(Records *s)
{
  g_autofree char *path = g_build_filename(s->path, "XXXXXX" RECORD_SUFFIX, NULL);
  int fd = mkostemps(path, sizeof RECORD_SUFFIX - 1, O_CLOEXEC);
  if (fd < 0) return unwritten(s->path);
  s->own_fd = fd;
  s->own_path = g_steal_pointer(&path);
  s->own_bytes = sizeof s->head;
  return record_file_write(fd, (const char *)&s->head, sizeof s->head) ? NULL
                                                                       : unwritten(s->own_path);
}

/* With the lock held.  What was written of a record that does not fit goes: others may follow it. */
static Error *append(Records *s, const RecordHead *head, const Summary *bytes)
{
  if (bytes->len > UINT32_MAX || s->own_bytes + bytes->len >= MOST_FILE_BYTES - RECORD_HEAD_BYTES) {
    errno = EFBIG;
    return unwritten(s->path);
  }
  Error *e = s->own_fd < 0 ? make_own(s) : NULL;
  g_autofree char *text = NULL;
  size_t len = record_bytes(head, bytes, &text);
  if (e) return e;
  if (record_file_write(s->own_fd, text, len)) {
    s->own_bytes += len;
    return NULL;
  }
  e = unwritten(s->own_path);
  if (ftruncate(s->own_fd, (off_t)s->own_bytes)) error_why(e, "a cut record stays at its end");
  return e;
}

/* One that is there, from this process or another one, stays. */
static Error *check_same(Records *s, const Entry *entry, const Record *record, const Summary *bytes)
{
  RecordHead head;
  Summary there = { 0 }, ours;
  Error *e = read_record(s, entry->at, &head, &there);
  if (!e && (head.record.key.kind != record->key.kind || !same_bytes(&there, bytes))) {
    summary_set_bytes(&ours, bytes->bytes, bytes->len, NULL);
    e = s->job.differ(s->job.context, &record->key, &there, &ours);
    summary_clear(&ours);
  }
  summary_clear(&there);
  return e;
}

Error *records_put(Records *s, const Record *record, const Summary *bytes)
{
  const Entry *entry = find(s, &record->key);
  RecordHead head = { .record = *record, .len = (uint32_t)bytes->len };
  if (entry) return check_same(s, entry, record, bytes);
  if (!s->path) return NULL;
  pthread_mutex_lock(&s->lock);
  Error *e = append(s, &head, bytes);
  pthread_mutex_unlock(&s->lock);
  return e;
}

/* ------------------------------------------------------------------- opening */

Error *records_open(const char *path, const RecordsJob *job, bool make, Records **out)
{
  Records *s = *out = g_new0(Records, 1);
  s->job = *job;
  s->open_fd = s->own_fd = -1;
  s->files = g_ptr_array_new_with_free_func(record_file_free);
  s->known = g_hash_table_new(hash_text, g_str_equal);
  pthread_mutex_init(&s->lock, NULL);
  s->path = g_strdup(path);
  if (make && g_mkdir_with_parents(path, 0700)) return unwritten(path);
  if (!make && access(path, F_OK)) g_clear_pointer(&s->path, g_free);
  return s->path ? open_job(s, make) : NULL;
}

void records_free(Records *s)
{
  if (!s) return;
  if (s->open_fd >= 0) close(s->open_fd);
  if (s->own_fd >= 0) close(s->own_fd);
  pthread_mutex_destroy(&s->lock);
  g_hash_table_unref(s->known);
  g_ptr_array_unref(s->files);
  g_free(s->entries);
  g_free(s->own_path);
  g_free(s->path);
  g_free(s);
}
