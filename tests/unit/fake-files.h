/* A host for one source that reads by itself, with files held in memory. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_FAKE_FILES_H
#define TESTS_UNIT_FAKE_FILES_H

#include <string.h>

#include "base/num.h"
#include "fake-host.h"

typedef struct FakeFile {
  const char *path; /* folders are those of the paths */
  const char *bytes;
  size_t len; /* 0: up to the NUL */
} FakeFile;

/* Rows of a program that knows more than the source. */
typedef struct FakeRead {
  MillRead read;
  uint64_t newer;
} FakeRead;

typedef struct FakeEntry {
  MillEntry entry;
  uint64_t newer;
} FakeEntry;

typedef struct FakeFiles {
  FakeHost fake; /* first; its sink is unused */
  MillSourceHost source;
  const char *path; /* of the input; NULL: standard input, which is the first file */
  const FakeFile *files;
  size_t n_files;
  const MillRead *reads;
  uint32_t n_reads;
  bool is_strict, is_recover;
  size_t max_read;    /* bytes that one read gives; 0: all that fit */
  const char *broken; /* path: reading fails after its bytes, with read_why; or NULL */
  const char *why;
  uint32_t max_events; /* of a batch; 0: 1024 */
  const FakeFile *entered;
  size_t at;
  uint64_t n_events; /* given so far */
  bool failed;
  GString *produced;  /* what came, a line each: events, failure */
  GString *noted;     /* notices, a line each */
  GString *described; /* "key=value;" */
  GString *inputs;    /* added by expand: "source path hint ...;" */
  GString *own;       /* texts of the batch at hand */
  GPtrArray *scratches;
} FakeFiles;

static FakeFiles *fake_files_of(const MillHost *host) { return (FakeFiles *)(gpointer)host; }

static size_t fake_file_len(const FakeFile *f) { return f->len ? f->len : strlen(f->bytes); }

static const FakeFile *fake_file_at(const FakeFiles *f, const char *path)
{
  for (size_t i = 0; i < f->n_files; i++)
    if (!strcmp(f->files[i].path, path)) return &f->files[i];
  return NULL;
}

static void *fake_files_scratch(const MillHost *host, size_t bytes)
{
  void *p = g_malloc0(MAX(bytes, 1));
  g_ptr_array_add(fake_files_of(host)->scratches, p);
  return p;
}

/* Files are expected in the order of their paths, so that entries come sorted. */
static int fake_files_list(const MillSourceHost *host, const char *folder, MillEntryRows *out)
{
  FakeFiles *f = fake_files_of(host->common);
  FakeEntry *entries = fake_files_scratch(host->common, (f->n_files + 1) * sizeof *entries);
  size_t len = strlen(folder);
  uint32_t n = 0;
  for (size_t i = 0; i < f->n_files; i++) {
    const char *path = f->files[i].path, *rest = path + len + 1;
    if (strncmp(path, folder, len) || path[len] != '/') continue;
    size_t name_len = strcspn(rest, "/");
    const char *last = n ? entries[n - 1].entry.name : "";
    if (!strncmp(last, rest, name_len) && !last[name_len]) continue;
    char *name = fake_files_scratch(host->common, name_len + 1);
    memcpy(name, rest, name_len);
    entries[n++].entry = (MillEntry){ name, fake_file_len(&f->files[i]), rest[name_len] == '/', 0 };
  }
  *out = (MillEntryRows){ &entries->entry, n, sizeof *entries };
  return n ? 0 : -1;
}

static int fake_files_enter(const MillSourceHost *host, const char *path, const char **out_why)
{
  FakeFiles *f = fake_files_of(host->common);
  const FakeFile *file = fake_file_at(f, path);
  *out_why = "there is no such file";
  if (!file || !file->bytes) return -1;
  f->entered = file;
  f->at = 0;
  return 0;
}

static int64_t fake_files_read(const MillSourceHost *host, void *buffer, size_t max)
{
  FakeFiles *f = fake_files_of(host->common);
  if (!f->entered) f->entered = f->path ? fake_file_at(f, f->path) : &f->files[0];
  size_t n = MIN(max, fake_file_len(f->entered) - f->at);
  if (f->max_read) n = MIN(n, f->max_read);
  memcpy(buffer, f->entered->bytes + f->at, n);
  f->at += n;
  bool fails = n == 0 && f->broken && !strcmp(f->broken, f->entered->path);
  return fails ? -MILL_BAD_INPUT : (int64_t)n;
}

static int64_t fake_files_peek(const MillSourceHost *host, bool from_end, const char **out_bytes)
{
  const FakeFiles *f = fake_files_of(host->common);
  const FakeFile *file = f->path ? fake_file_at(f, f->path) : &f->files[0];
  size_t len = fake_file_len(file), n = MIN(len, (size_t)64 << 10);
  *out_bytes = file->bytes + (from_end ? len - n : 0);
  return (int64_t)n;
}

/* What is compressed has no known length, as it is read. */
static int64_t fake_files_size(const MillSourceHost *host)
{
  const FakeFiles *f = fake_files_of(host->common);
  const FakeFile *file = f->path ? fake_file_at(f, f->path) : &f->files[0];
  bool packed = g_str_has_suffix(file->path, ".gz") || g_str_has_suffix(file->path, ".zst");
  return packed ? -1 : (int64_t)fake_file_len(file);
}

static const char *fake_files_read_why(const MillSourceHost *host)
{
  return fake_files_of(host->common)->why;
}

static bool fake_files_cancelled(const MillHost *host)
{
  (void)host;
  return false;
}

static int64_t fake_files_load(const MillSourceHost *host, const char *path, size_t max,
                               const char **out_bytes)
{
  const FakeFile *file = fake_file_at(fake_files_of(host->common), path);
  *out_bytes = file && file->bytes ? file->bytes : "there is no such file";
  if (!file || !file->bytes || fake_file_len(file) > max) return -1;
  return (int64_t)fake_file_len(file);
}

static int fake_files_add(const MillSourceHost *host, const MillInput *input)
{
  GString *inputs = fake_files_of(host->common)->inputs;
  g_string_append_printf(inputs, "%s %s", input->source ? input->source : "-", input->path);
  for (const char *const *hint = input->hints; hint && *hint; hint++)
    g_string_append_printf(inputs, " %s", *hint);
  g_string_append_c(inputs, ';');
  return 0;
}

static void fake_files_lane(const MillHost *host, uint32_t index, MillLane *out)
{
  const FakeFiles *f = fake_files_of(host);
  *out = (MillLane){ .size = sizeof *out,
                     .index = index,
                     .rank = -1,
                     .base_ns = MILL_NO_BASE,
                     .name = "input",
                     .label = "",
                     .dialect = "",
                     .path = f->path };
}

/* Nobody gave any. */
static const char *fake_files_tag(const MillHost *host, uint32_t lane, const char *name)
{
  (void)host, (void)lane, (void)name;
  return NULL;
}

static void fake_files_note(const MillHost *host, uint32_t number, const MillBatch *b,
                            uint32_t index, const MillNamed *named, uint32_t n)
{
  GString *noted = fake_files_of(host)->noted;
  (void)b, (void)index;
  g_string_append_printf(noted, "note %u", number);
  for (uint32_t i = 0; i < n; i++)
    if (named[i].value.type == MILL_REAL)
      g_string_append_printf(noted, " %s=%.1f", named[i].name, named[i].value.u.r);
    else
      g_string_append_printf(noted, " %s=%.*s", named[i].name, (int)named[i].value.len,
                             named[i].value.u.text);
  g_string_append_c(noted, '\n');
}

static int fake_files_fail(const MillHost *host, const MillFailure *f)
{
  fake_files_of(host)->failed = true;
  g_string_append_printf(fake_files_of(host)->produced, "fail %u: %s | %s\n", f->number,
                         f->where ? f->where : "", f->why ? f->why : "");
  return -(int)f->status;
}

static void fake_files_describe(const MillSourceHost *host, const char *key, MillValue v)
{
  GString *described = fake_files_of(host->common)->described;
  g_string_append_printf(described, "%s=%.*s;", key, (int)v.len, v.u.text);
}

static uint32_t fake_files_track(const MillSourceHost *host, MillValue process, MillValue thread)
{
  return fake_track(&fake_files_of(host->common)->fake, process, thread);
}

static uint32_t fake_files_own_text(const MillSourceHost *host, MillBatch *b, const char *text,
                                    size_t len)
{
  GString *own = fake_files_of(host->common)->own;
  uint32_t off = (uint32_t)own->len;
  g_string_append_len(own, text, (gssize)len);
  b->own_ = own->str;
  return off;
}

static bool fake_files_grow(const MillSourceHost *host, MillBatch *b)
{
  (void)host;
  if (b->n_events && b->max_attrs >= 64) return false;
  b->max_attrs = MAX(b->max_attrs * 2, 8u);
  b->attrs = g_renew(MillAttr, b->attrs, b->max_attrs);
  return true;
}

/* The only part of its input. */
static int64_t fake_files_part(const MillSourceHost *host)
{
  (void)host;
  return 0;
}

static void fake_files_divide(const MillSourceHost *host, uint32_t n_parts)
{
  (void)host, (void)n_parts;
}

static MillReadRows fake_files_wanted(const MillSourceHost *host)
{
  const FakeFiles *f = fake_files_of(host->common);
  FakeRead *reads = fake_files_scratch(host->common, f->n_reads * sizeof *reads);
  for (uint32_t i = 0; i < f->n_reads; i++) reads[i].read = f->reads[i];
  return (MillReadRows){ &reads->read, f->n_reads, sizeof *reads };
}

static bool fake_files_strict(const MillSourceHost *host)
{
  return fake_files_of(host->common)->is_strict;
}

static bool fake_files_recover(const MillSourceHost *host)
{
  return fake_files_of(host->common)->is_recover;
}

static void fake_files_init(FakeFiles *f, const char *path, const FakeFile *files, size_t n_files)
{
  static const MillRead all[] = { { "*", MILL_AS_ANY, 0 } };
  memset(f, 0, sizeof *f);
  fake_host_init(&f->fake, NULL, 0, 0);
  f->path = path;
  f->files = files;
  f->n_files = n_files;
  f->reads = all;
  f->n_reads = 1;
  f->produced = g_string_new(NULL);
  f->noted = g_string_new(NULL);
  f->described = g_string_new(NULL);
  f->inputs = g_string_new(NULL);
  f->own = g_string_new(NULL);
  f->scratches = g_ptr_array_new_with_free_func(g_free);
  MillHost *common = &f->fake.common;
  common->lane = fake_files_lane;
  common->tag = fake_files_tag;
  common->note = fake_files_note;
  common->fail = fake_files_fail;
  common->cancelled = fake_files_cancelled;
  common->scratch = fake_files_scratch;
  f->source = (MillSourceHost){ .size = sizeof(MillSourceHost),
                                .common = common,
                                .read = fake_files_read,
                                .read_why = fake_files_read_why,
                                .peek = fake_files_peek,
                                .size_bytes = fake_files_size,
                                .describe = fake_files_describe,
                                .track = fake_files_track,
                                .wanted = fake_files_wanted,
                                .grow_attrs = fake_files_grow,
                                .own_text = fake_files_own_text,
                                .strict = fake_files_strict,
                                .recover = fake_files_recover,
                                .list = fake_files_list,
                                .read_file = fake_files_load,
                                .add_input = fake_files_add,
                                .enter = fake_files_enter,
                                .part = fake_files_part,
                                .divide = fake_files_divide };
}

static void fake_files_clear(FakeFiles *f)
{
  fake_host_clear(&f->fake);
  g_string_free(f->produced, TRUE);
  g_string_free(f->noted, TRUE);
  g_string_free(f->described, TRUE);
  g_string_free(f->inputs, TRUE);
  g_string_free(f->own, TRUE);
  g_ptr_array_free(f->scratches, TRUE);
}

/* Name, id, and attributes; the values of a list after its key. */
static void fake_files_tell(FakeFiles *f, const MillBatch *b, const MillEvent *e)
{
  char buf[NUM_BUF];
  MillSym last = 0;
  const MillHost *common = &f->fake.common;
  g_string_append_printf(f->produced, "%s %d", common->symbol_text(common, e->name, NULL),
                         (int)e->id);
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    size_t len = 0;
    const char *text = mill_attr_text(b, a, &len);
    if (a->key == last)
      g_string_append_c(f->produced, ',');
    else
      g_string_append_printf(f->produced, " %s=", common->symbol_text(common, a->key, NULL));
    last = a->key;
    if ((a->type & MILL_ATTR_TYPE) == MILL_REAL)
      num_format_real(buf, a->u.r);
    else
      num_format_int(buf, a->u.i);
    g_string_append_len(f->produced, text ? text : buf, text ? (gssize)len : (gssize)strlen(buf));
  }
  g_string_append_c(f->produced, '\n');
}

/* Open, describe, start, next to the end, close: 0 or the negative status. */
static int fake_files_run(FakeFiles *f, bool silent)
{
  const MillSource *source = source_under_test();
  const MillSourceOps *ops = source->ops;
  static const int64_t no_options[32] = { 0 };
  void *instance = NULL;
  MillBatch b = { .size = sizeof b, .max_events = f->max_events ? f->max_events : 1024 };
  b.events = g_new(MillEvent, b.max_events);
  int status = ops->open(source, &f->source, no_options, &instance);
  if (!status && ops->describe) status = ops->describe(instance);
  if (!status && ops->start) status = ops->start(instance);
  for (bool more = status == 0; more; more = status > 0) {
    b.n_events = b.n_attrs = 0;
    g_string_truncate(f->own, 0);
    status = ops->next(instance, &b);
    f->n_events += b.n_events;
    for (uint32_t i = 0; i < b.n_events && status >= 0 && !silent; i++)
      fake_files_tell(f, &b, &b.events[i]);
  }
  if (instance && ops->close) ops->close(instance);
  g_free(b.events_);
  g_free(b.attrs_);
  return status;
}

#endif
