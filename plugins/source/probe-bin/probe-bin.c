/* The probe-bin source: what probes of kernels recorded, a launch a file, and condensed accesses. */
/* SPDX-License-Identifier: MIT */
#include "probe-bin.h"

#include <string.h>

#include "base/folder.h"
#include "kit/read/input.h"
#include "kit/read/source-new.h"

#define HELD_MAX ((size_t)256 << 20)
#define TENSORS_MAX ((size_t)64 << 20)
#define LOG_MAX ((size_t)64 << 20)
#define PIECE ((size_t)256 << 10)
enum { FOLDERS_UP = 2 };

int probe_fail(const Source *s, uint32_t number, const char *what, const char *where)
{
  return input_fail(s->host->common, probe_bin_notices, number, MILL_BAD_INPUT, what, where, NULL);
}

static MillLane lane_of(const Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->host->common->lane(s->host->common, MILL_NO_LANE, &lane);
  return lane;
}

static bool has_ending(const char *path, const char *ending)
{
  size_t len = path ? name_plain_len(path) : 0, n = strlen(ending);
  return len >= n && !memcmp(path + len - n, ending, n);
}

/* --------------------------------------------------------------- the size */

static int64_t read_on(Source *s, GByteArray *to)
{
  g_autofree uint8_t *piece = g_malloc(PIECE);
  int64_t n, total = 0;
  while ((n = s->host->read(s->host, piece, PIECE)) > 0) {
    if (to) g_byte_array_append(to, piece, (guint)n);
    if (to && to->len > HELD_MAX) return probe_fail(s, PB_TOO_LONG, NULL, NULL);
    total += n;
  }
  return n < 0 ? n : total;
}

static int hold(Source *s)
{
  s->stream.held = g_byte_array_new();
  int64_t total = read_on(s, s->stream.held);
  if (total < 0) return (int)total;
  s->stream.at = s->stream.held->data;
  s->stream.len = s->stream.held->len;
  s->file_bytes = (uint64_t)total;
  return 0;
}

/* The size, and the first bytes; a file that is compressed is read once for it. */
static int look(Source *s, const uint8_t **out_head, size_t *out_len)
{
  const char *bytes = NULL;
  int64_t size = lane_of(s).path ? s->host->size_bytes(s->host) : 0;
  if (size == 0) {
    int status = hold(s);
    *out_head = s->stream.at;
    *out_len = s->stream.len;
    return status;
  }
  int64_t len = s->host->peek(s->host, false, &bytes);
  *out_len = (size_t)MAX(len, 0);
  *out_head = (const uint8_t *)bytes;
  if (size > 0) {
    s->file_bytes = (uint64_t)size;
    return 0;
  }
  /* Peeked bytes last until something is read. */
  *out_len = MIN(*out_len, PROBE_HEADER + PROBE_MAX_SECTIONS * PROBE_ENTRY);
  uint8_t *copy = s->host->common->scratch(s->host->common, *out_len + 1);
  if (!copy) return -MILL_LIMIT;
  if (*out_len) memcpy(copy, bytes, *out_len);
  *out_head = copy;
  size = read_on(s, NULL);
  s->file_bytes = (uint64_t)MAX(size, 0);
  return (int)MIN(size, 0);
}

/* ----------------------------------------------------------- beside the trace */

/* The file of that name beside the input or up to two folders above; its bytes live as long as the call. */
static int64_t read_beside(const Source *s, const char *name, size_t max, const char **out_bytes,
                           char **out_path)
{
  MillLane lane = lane_of(s);
  g_autofree char *folder = lane.path ? g_path_get_dirname(lane.path) : NULL;
  for (int up = 0; folder && up <= FOLDERS_UP; up++) {
    char *path = g_build_filename(folder, name, NULL);
    int64_t len = s->host->read_file(s->host, path, max, out_bytes);
    if (len >= 0) {
      *out_path = path;
      return len;
    }
    g_free(path);
    char *above = g_str_has_suffix(folder, "..") || !strcmp(folder, ".")
                      ? g_build_filename(folder, "..", NULL)
                      : g_path_get_dirname(folder);
    g_free(folder);
    folder = above;
  }
  return -1;
}

static int take_schemas(Source *s)
{
  const MillHost *common = s->host->common;
  const char *tag = common->tag(common, MILL_NO_LANE, "schema"), *bytes;
  g_autofree char *path = NULL;
  SchemaFault fault = { 0 };
  bool fine;
  if (tag) {
    fine = schemas_from_names(tag, s->schemas, &fault);
  } else {
    int64_t len = read_beside(s, "probe.toml", (size_t)4 << 20, &bytes, &path);
    if (len < 0) return probe_fail(s, PB_NO_SCHEMA, NULL, NULL);
    fine = schemas_from_toml(bytes, (size_t)len, path, s->schemas, &fault);
  }
  g_autofree char *what = fault.what, *where = fault.where;
  if (!fine) return probe_fail(s, fault.number, what, where);
  if (s->schemas->len == s->launch.n_sections) return 0;
  g_autofree char *why =
      g_strdup_printf("the trace has %u section%s, and there %s %u schema%s", s->launch.n_sections,
                      s->launch.n_sections == 1 ? "" : "s", s->schemas->len == 1 ? "is" : "are",
                      s->schemas->len, s->schemas->len == 1 ? "" : "s");
  return probe_fail(s, PB_MISFIT, why, path);
}

static void take_tensors(Source *s)
{
  const char *bytes;
  g_autofree char *path = NULL;
  int64_t len = read_beside(s, "tensor.trace", TENSORS_MAX, &bytes, &path);
  if (len >= 0) s->tensors = tensors_read(bytes, (size_t)len);
}

static void take_kernel(Source *s)
{
  const char *bytes;
  g_autofree char *path = NULL;
  MillLane lane = lane_of(s);
  if (!lane.path || !s->writer.wanted[KEY_KERNEL]) return;
  g_autofree char *file = g_path_get_basename(lane.path);
  int64_t len = read_beside(s, "event.log", LOG_MAX, &bytes, &path);
  if (len >= 0) s->kernel = kernel_of(bytes, (size_t)len, file);
}

/* ---------------------------------------------------------------- describing */

static void describe_facts(const Source *s)
{
  for (guint i = 0; i < s->schemas->len; i++) {
    const ProbeSchema *schema = &g_array_index(s->schemas, ProbeSchema, i);
    for (const char *const *f = schema_facts(schema->kind); *f; f++)
      input_describe(s->host, "fact", *f);
  }
}

static void note_oddities(const Source *s)
{
  const MillHost *common = s->host->common;
  bool partial = false, scheduled = false, turned = false;
  for (uint32_t i = 0; i < s->launch.n_sections; i++) {
    const ProbeSection *section = &s->launch.sections[i];
    partial |= section->capacity && section->level <= s->launch.n_threads &&
               s->launch.n_threads % section->level != 0;
    uint32_t kind = g_array_index(s->schemas, ProbeSchema, i).kind;
    bool schedule = kind <= SCHEMA_AMD, turns = kind == SCHEMA_ACC;
    if ((schedule && scheduled) || (turns && turned)) mill_note(common, PB_SECOND);
    scheduled |= schedule;
    turned |= turns;
    if (section->size_unknown) mill_note(common, PB_NO_SIZE);
    if (section->units_per_block == 0) mill_note(common, PB_NO_WARPS);
  }
  if (s->launch.shifted) mill_note(common, PB_SHIFTED);
  /* A section that has places is in the file: there are no more blocks than it has bytes. */
  for (uint64_t i = 0; partial && i < s->launch.n_blocks; i++) mill_note(common, PB_PARTIAL);
}

/* What the header and the sections are, if the file has so many bytes. */
static int tell_launch(Source *s, const uint8_t *head, size_t len, char **out_why,
                       uint32_t *out_number)
{
  bool fine = launch_read(&s->launch, head, len, s->file_bytes, out_why, out_number);
  int status = fine && s->schemas->len == 0 ? take_schemas(s) : 0;
  for (uint32_t i = 0; fine && status == 0 && i < s->launch.n_sections; i++)
    fine = launch_tell(&s->launch, &s->launch.sections[i],
                       &g_array_index(s->schemas, ProbeSchema, i), out_why, out_number);
  return status;
}

static int describe_launch(Source *s)
{
  uint8_t copy[PROBE_HEADER + PROBE_MAX_SECTIONS * PROBE_ENTRY];
  const uint8_t *head;
  size_t len;
  uint32_t number = 0;
  g_autofree char *why = NULL;
  int status = look(s, &head, &len);
  if (status < 0) return status;
  if (len > sizeof copy) len = sizeof copy;
  if (len) memcpy(copy, head, len);
  status = tell_launch(s, copy, len, &why, &number);
  /* A file may be compressed without its name saying so: then only its end says how long it is. */
  if (status == 0 && why && !s->stream.held) {
    int64_t total = read_on(s, NULL);
    if (total > 0 && (uint64_t)total != s->file_bytes) {
      g_clear_pointer(&why, g_free);
      s->file_bytes = (uint64_t)total;
      status = tell_launch(s, copy, len, &why, &number);
    }
  }
  if (status < 0) return status;
  if (why) return probe_fail(s, number, why, NULL);
  describe_facts(s);
  return 0;
}

static void tag_launch(const Source *s)
{
  MillLane lane = lane_of(s);
  g_autofree char *base = g_path_get_basename(lane.path ? lane.path : lane.name);
  if (has_ending(base, ".bin") || has_ending(base, ".dmat")) {
    base[name_plain_len(base)] = 0;
    *strrchr(base, '.') = 0;
  }
  g_autofree char *tag = g_strconcat("launch=", base, NULL);
  if (*base) input_describe(s->host, "tag", tag);
}

static int describe(void *instance)
{
  Source *s = instance;
  MillLane lane = lane_of(s);
  int status = 0;
  s->is_dmat = has_ending(lane.path ? lane.path : lane.name, ".dmat");
  tag_launch(s);
  if (s->is_dmat)
    input_describe(s->host, "fact", "probe.access");
  else
    status = describe_launch(s);
  return status;
}

/* -------------------------------------------------------------------- giving */

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = {
    "section",    "block",    "unit",   "place",  "grid_x",   "grid_y",     "grid_z", "block_x",
    "block_y",    "block_z",  "shared", "blocks", "sections", "schema",     "level",  "layout",
    "unit_bytes", "capacity", "units",  "offset", "bytes",    "fields",     "clock",  "page",
    "count",      "pointer",  "shape",  "name",   "function", "place_text", "kernel"
  };
  static const char *const names[] = { "probe.launch", "probe.section", "probe.unit",
                                       "probe.tensor", "probe.page" };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    s->names[i] = symbol_of(s->host->common, names[i]);
  bool accesses = s->is_dmat;
  for (guint i = 0; i < s->schemas->len; i++)
    accesses = accesses || g_array_index(s->schemas, ProbeSchema, i).kind == SCHEMA_DMAT;
  if (accesses) take_tensors(s);
  if (s->is_dmat) {
    s->giving = GIVE_TENSORS;
    return dmat_begin(s);
  }
  take_kernel(s);
  note_oddities(s);
  return 0;
}

static bool give_launch(Source *s, MillBatch *b)
{
  const ProbeLaunch *l = &s->launch;
  if (!record_begin(&s->writer, b, s->names[0], N_KEYS)) return false;
  for (uint32_t i = 0; i < 3; i++) record_int(&s->writer, b, KEY_GRID_X + i, l->grid[i]);
  for (uint32_t i = 0; i < 3; i++) record_int(&s->writer, b, KEY_BLOCK_X + i, l->block[i]);
  record_int(&s->writer, b, KEY_SHARED, l->shared);
  record_int(&s->writer, b, KEY_BLOCKS, (int64_t)l->n_blocks);
  record_int(&s->writer, b, KEY_SECTIONS, l->n_sections);
  record_int(&s->writer, b, KEY_BYTES, (int64_t)s->file_bytes);
  if (s->kernel) record_text(&s->writer, b, KEY_KERNEL, s->kernel, strlen(s->kernel));
  return true;
}

static void put_text(Source *s, MillBatch *b, uint32_t key, const char *text)
{
  if (*text) record_text(&s->writer, b, key, text, strlen(text));
}

static bool give_section(Source *s, MillBatch *b)
{
  static const char *const layouts[] = { "total", "unit", "divisor" };
  const ProbeSection *section = &s->launch.sections[s->next];
  const ProbeSchema *schema = &g_array_index(s->schemas, ProbeSchema, s->next);
  if (!record_begin(&s->writer, b, s->names[1], N_KEYS)) return false;
  record_int(&s->writer, b, KEY_SECTION, s->next);
  put_text(s, b, KEY_SCHEMA, schema->name);
  record_int(&s->writer, b, KEY_LEVEL, section->level);
  put_text(s, b, KEY_LAYOUT, layouts[section->layout]);
  record_int(&s->writer, b, KEY_UNIT_BYTES, (int64_t)section->unit_bytes);
  record_int(&s->writer, b, KEY_CAPACITY, (int64_t)section->capacity);
  record_int(&s->writer, b, KEY_UNITS, (int64_t)(section->units_per_block * s->launch.n_blocks));
  record_int(&s->writer, b, KEY_OFFSET, (int64_t)section->offset);
  record_int(&s->writer, b, KEY_BYTES, (int64_t)section->extent);
  g_autoptr(GString) fields = g_string_new(NULL);
  for (uint32_t i = 0; i < schema->n_fields; i++)
    g_string_append_printf(fields, "%s%s:u%u", i ? "," : "", schema->fields[i].name,
                           schema->fields[i].bytes * 8);
  put_text(s, b, KEY_FIELDS, fields->str);
  return true;
}

static bool give_tensor(Source *s, MillBatch *b)
{
  const Tensor *t = s->tensors->pdata[s->next];
  if (!record_begin(&s->writer, b, s->names[3], N_KEYS)) return false;
  record_int(&s->writer, b, KEY_POINTER, t->pointer);
  record_int(&s->writer, b, KEY_BYTES, t->bytes);
  put_text(s, b, KEY_SHAPE, t->shape);
  put_text(s, b, KEY_NAME, t->name);
  put_text(s, b, KEY_FUNCTION, t->function);
  put_text(s, b, KEY_PLACE_TEXT, t->place);
  return true;
}

static uint32_t count_of(const Source *s)
{
  switch (s->giving) {
  case GIVE_LAUNCH: return 1;
  case GIVE_TENSORS: return s->tensors ? s->tensors->len : 0;
  case GIVE_UNITS: return s->is_dmat ? 1 : s->launch.n_sections;
  case GIVE_SECTIONS: return s->launch.n_sections;
  default: return 0;
  }
}

/* 0 when it was given, 1 when the batch is full, negative: failed. */
static int give_next(Source *s, MillBatch *b)
{
  switch (s->giving) {
  case GIVE_LAUNCH: return !give_launch(s, b);
  case GIVE_SECTIONS: return !give_section(s, b);
  case GIVE_TENSORS: return !give_tensor(s, b);
  default: return s->is_dmat ? dmat_give(s, b) : units_give(s, b);
  }
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  while (s->giving != GIVE_END) {
    while (s->next < count_of(s)) {
      int status = give_next(s, b);
      if (status) return status < 0 ? status : MILL_NEXT_MORE;
      s->next++;
      if (s->giving == GIVE_UNITS && !s->is_dmat && s->next < count_of(s)) units_begin(s);
    }
    s->next = 0;
    s->giving++;
    if (s->giving == GIVE_UNITS && !s->is_dmat) units_begin(s);
  }
  for (; s->n_full; s->n_full--) mill_note(s->host->common, PB_FULL);
  for (; s->n_unwritten; s->n_unwritten--) mill_note(s->host->common, PB_UNWRITTEN);
  for (; s->n_blank; s->n_blank--) mill_note(s->host->common, PB_BLANK);
  return MILL_NEXT_END;
}

/* -------------------------------------------------------------- the descriptor */

/* A trace has no magic number: what is damaged is to be called so, and not foreign. */
static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)bytes, (void)len;
  return has_ending(name, ".bin") || has_ending(name, ".dmat") ? 50 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->stream.host = host;
  s->schemas = g_array_new(FALSE, FALSE, sizeof(ProbeSchema));
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  g_array_unref(s->schemas);
  if (s->tensors) g_ptr_array_unref(s->tensors);
  g_free(s->kernel);
  stream_clear(&s->stream);
}

static const char *const provides[] = { "input.probe", NULL };
static const char *const may_provide[] = { "probe.sched", "probe.warps", "probe.access",
                                           "probe.counts", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .expand = probe_expand,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "probe-bin",
  .version = "1.0.0",
  .tag = "PROBE",
  .title = "Traces of kernels that a probe recorded",
  .help =
      "Reads the data that a probe saved in a launch: a .bin of any version of the writer, or the "
      "condensed accesses of a .dmat. probe.toml beside it or up to two folders above describes "
      "the records, or a tag does: schema=block_sched:FILE, with one name for each section, joined "
      "by +. In a folder, each folder with event.log or result/ is a trace.",
  .provides = provides,
  .may_provide = may_provide,
  .notices = MILL_ROWS(probe_bin_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
