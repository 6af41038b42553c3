/* The gate-log source: one folder of gate logs, a file a layer, or one such file. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gate-log.h"
#include "kit/read/input.h"
#include "kit/read/record.h"
#include "kit/read/source-new.h"

enum { KEY_LAYER, KEY_STEP, KEY_TOKENS, KEY_LOAD, N_KEYS };

#define LIST_PART 4096u /* loads in one record */

typedef struct File {
  char *path; /* NULL: standard input */
  int64_t layer;
} File;

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  GArray *files; /* of File */
  guint next_file;
  bool is_entered; /* the only file is the input itself, which is open */
  bool recover;
  RecordWriter writer;
  MillSym record;

  GateLog log; /* of the file before next_file */
  bool is_open;
  uint64_t row; /* its next one */
  const double *loads;
  size_t n_loads, n_given; /* of the row at hand */
  uint64_t n_records;      /* rows of the lane that were given */

  char *first_skipped; /* and why */
  uint32_t n_used, n_damaged, n_other, n_unreadable;
} Source;

static void clear_file(gpointer file) { g_free(((File *)file)->path); }

static const File *file_at_hand(const Source *s)
{
  return &g_array_index(s->files, File, s->next_file - 1);
}

static const char *path_of(const File *f) { return f->path ? f->path : "standard input"; }

/* -------------------------------------------------------------------- failing */

typedef struct Place {
  uint64_t line, column;
} Place;

/* Goes over the file once more, which is worth it as this happens once. */
static bool find_place(Source *s, const char *path, uint64_t at, Place *out)
{
  const char *why;
  GateText *t = &s->log.text;
  if (!path || s->host->enter(s->host, path, &why)) return false;
  *out = (Place){ 1, 1 };
  gate_text_start(t);
  for (; at > 0; at--) {
    if (t->p == t->end) gate_text_fill(t);
    if (t->p == t->end) return false;
    out->line += *t->p == '\n';
    out->column = *t->p == '\n' ? 1 : out->column + ((*t->p & 0xc0) != 0x80);
    t->p++;
  }
  return true;
}

static char *where_is(Source *s, uint64_t at)
{
  Place place;
  const char *path = file_at_hand(s)->path;
  if (!find_place(s, path, at, &place))
    return g_strdup_printf("%s, byte %" G_GUINT64_FORMAT, path_of(file_at_hand(s)), at);
  return input_place(path, place.line, place.column);
}

static int fail_at(Source *s, uint32_t number, const char *where, const char *why)
{
  bool saves = number == GATE_NOTHING && s->n_damaged && !s->recover;
  const MillNotice *row = gate_notices;
  while (row->number != number) row++;
  const MillFailure f = { .size = sizeof f,
                          .status = number == GATE_LONG_ROW ? MILL_LIMIT : MILL_BAD_INPUT,
                          .number = number,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = row->what,
                          .where = where,
                          .why = why,
                          .help = saves ? "add --recover to use their complete rows" : row->help };
  return s->common->fail(s->common, &f);
}

static int fail_value(Source *s)
{
  const char *why = s->log.why;
  uint32_t number = s->log.stop == GATE_STOP_LONG ? GATE_LONG_ROW : GATE_BAD_VALUE;
  g_autofree char *where = where_is(s, s->log.stop_at);
  return fail_at(s, number, where, why);
}

static int fail_nothing(Source *s)
{
  MillLane lane = { .size = sizeof lane };
  g_autoptr(GString) why = g_string_new(NULL);
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  if (s->n_damaged) g_string_append_printf(why, "%u cut short or damaged, ", s->n_damaged);
  if (s->n_other) g_string_append_printf(why, "%u without expert_loads, ", s->n_other);
  if (s->n_unreadable) g_string_append_printf(why, "%u that cannot be read, ", s->n_unreadable);
  g_string_append(why, s->first_skipped ? s->first_skipped : "no file is named gate_logs_*.json");
  return fail_at(s, GATE_NOTHING, lane.path ? lane.path : "standard input", why->str);
}

/* ------------------------------------------------------------------ reporting */

static void note_of(const Source *s, uint32_t number, const char *path, const char *why)
{
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
  const MillNamed named[] = { { "file", mill_text(file, strlen(file)) },
                              { "why", mill_text(why ? why : "", why ? strlen(why) : 0) } };
  s->common->note(s->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static void note(const Source *s, uint32_t number, const char *why)
{
  note_of(s, number, path_of(file_at_hand(s)), why);
}

static char *why_damaged(const GateLog *g)
{
  if (g->text.status < 0) return g_strdup(g->why); /* it has the place */
  return g_strdup_printf("%s, at byte %" G_GUINT64_FORMAT, g->why, g->stop_at);
}

/* The file at hand gives nothing. */
static int skip(Source *s, uint32_t number, uint32_t *io_count, const char *why)
{
  note(s, number, why);
  if (!s->first_skipped)
    s->first_skipped = g_strdup_printf("the first is %s: %s", path_of(file_at_hand(s)), why);
  ++*io_count;
  return 0;
}

static bool has_other_length(const GateLog *g, const GateNumbers *v)
{
  return v->dropped > 0 || v->n != g->n_rows;
}

static void note_oddities(Source *s)
{
  const GateLog *g = &s->log;
  if (has_other_length(g, &g->step) || has_other_length(g, &g->tokens)) note(s, GATE_LENGTHS, NULL);
  for (uint32_t i = 0; i < g->n_twice; i++) note(s, GATE_TWICE, NULL);
  for (uint32_t i = 0; i < g->n_nan; i++) note(s, GATE_NAN, NULL);
}

/* --------------------------------------------------------------------- opening */

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->recover = host->recover(host);
  s->files = g_array_new(FALSE, FALSE, sizeof(File));
  g_array_set_clear_func(s->files, clear_file);
  gate_log_init(&s->log, host);
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  gate_log_clear(&s->log);
  g_array_free(s->files, TRUE);
  g_free(s->first_skipped);
}

static const char *const provides[] = { "input.gate-log", NULL };

static int describe(void *instance)
{
  const Source *s = instance;
  const MillSourceHost *host = s->host;
  MillLane lane = { .size = sizeof lane };
  MillEntryRows entries;
  input_describe(host, "dialect", "gate-log");
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  if (!lane.path || host->list(host, lane.path, &entries) >= 0) return 0;
  input_tag_file(host);
  return 0;
}

static void add_file(Source *s, char *path, int64_t otherwise)
{
  const File f = { path, gate_layer(path ? path : "", otherwise) };
  g_array_append_val(s->files, f);
}

static void find_files(Source *s)
{
  MillLane lane = { .size = sizeof lane };
  MillEntryRows entries = { 0 };
  const char *before = "";
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  s->is_entered = !lane.path || s->host->list(s->host, lane.path, &entries) < 0;
  if (s->is_entered) {
    add_file(s, g_strdup(lane.path), 0);
    return;
  }
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (!gate_is_log(e)) continue;
    if (gate_is_copy(e->name, before))
      note_of(s, GATE_COPY, e->name, NULL);
    else
      add_file(s, g_build_filename(lane.path, e->name, NULL), s->files->len);
    before = e->name;
  }
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "layer", "step", "tokens", "load" };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->record = symbol_of(s->common, "gate.step");
  find_files(s);
  return 0;
}

/* ----------------------------------------------------------------------- files */

static int fail_unreadable(const Source *s, const char *path, const char *why)
{
  const MillFailure f = { .size = sizeof f,
                          .status = MILL_BAD_INPUT,
                          .number = GATE_UNREADABLE,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = "a gate log cannot be read",
                          .where = path,
                          .why = why,
                          .help = "add --recover to use the other gate logs of its folder" };
  return s->common->fail(s->common, &f);
}

/* 1: it is open, 0: it is left out. */
static int enter(Source *s, const char *path)
{
  const char *why = NULL;
  if (!s->host->enter(s->host, path, &why)) return 1;
  return s->recover ? skip(s, GATE_UNREADABLE, &s->n_unreadable, why)
                    : fail_unreadable(s, path, why);
}

/* What came of reading: 1: rows may follow, 0: the file is left out. */
static int judge(Source *s)
{
  GateLog *g = &s->log;
  bool damaged = g->stop == GATE_STOP_DAMAGED, saved = s->recover && g->n_rows > 0;
  if (g->text.status < 0 && s->common->cancelled(s->common)) return g->text.status;
  if (g->stop == GATE_STOP_VALUE || g->stop == GATE_STOP_LONG) return fail_value(s);
  if (damaged) {
    g_autofree char *why = why_damaged(g);
    if (!saved) return skip(s, GATE_DAMAGED, &s->n_damaged, why);
    note(s, GATE_RECOVERED, why);
  }
  if (!g->loads.is_there) return skip(s, GATE_NO_LOADS, &s->n_other, "it has no expert_loads");
  s->n_used++;
  note_oddities(s);
  return 1;
}

/* The file again, for its rows. */
static int begin_second_pass(Source *s)
{
  const char *path = file_at_hand(s)->path, *why = NULL;
  if (!path)
    return mill_fail(s->common, MILL_LIMIT, "a gate log on standard input is too large",
                     "write it into a file: large ones are read twice");
  if (s->host->enter(s->host, path, &why)) return fail_at(s, GATE_CHANGED, path, why);
  return gate_log_second_pass(&s->log) ? 1 : fail_at(s, GATE_CHANGED, path, NULL);
}

/* 1: a file is open, 0: there are no more. */
static int open_next(Source *s)
{
  while (s->next_file < s->files->len) {
    const char *path = g_array_index(s->files, File, s->next_file++).path;
    int status = s->is_entered ? 1 : enter(s, path);
    if (status < 0) return status;
    if (status == 0) continue;
    gate_log_read(&s->log);
    status = judge(s);
    if (status > 0 && s->log.two_passes) status = begin_second_pass(s);
    if (status < 0) return status;
    if (status == 0) continue;
    s->is_open = true;
    s->row = 0;
    return 1;
  }
  return s->n_used ? 0 : fail_nothing(s);
}

/* 1: the next row is at hand, and may be empty; 0: the file has no more. */
static int open_row(Source *s)
{
  GateLog *g = &s->log;
  if (s->row == g->n_rows) {
    s->is_open = false;
    return 0;
  }
  if (g->two_passes && !gate_log_row(g))
    return g->text.status < 0 ? g->text.status
                              : fail_at(s, GATE_CHANGED, file_at_hand(s)->path, g->why);
  size_t from = g->two_passes || s->row == 0 ? 0 : g->row_ends[s->row - 1];
  s->loads = g->loads.at ? g->loads.at + from : NULL; /* none of the rows has a load */
  s->n_loads = g->two_passes ? g->loads.n : g->row_ends[s->row] - from;
  s->n_given = 0;
  s->row++;
  s->n_records += s->n_loads > 0;
  return 1;
}

/* --------------------------------------------------------------------- records */

static void put_entry(const Source *s, MillBatch *b, uint32_t key, const GateNumbers *v)
{
  uint64_t row = s->row - 1;
  if (v->dropped == 0 ? row < v->n : row < GATE_KEPT)
    record_int(&s->writer, b, key, (int64_t)v->at[row]);
}

static void put_loads(const Source *s, MillBatch *b, size_t n)
{
  if (!s->writer.wanted[KEY_LOAD]) return;
  const MillSym key = s->writer.keys[KEY_LOAD];
  MillAttr *a = record_reserve(b, n);
  const double *loads = s->loads + s->n_given;
  for (size_t i = 0; i < n; i++) {
    a[i].key = key;
    a[i].type = MILL_REAL;
    a[i].u.r = loads[i];
  }
}

/* The next part of the row at hand; a long row goes on in further records of its id.  False:
 * the batch is full. */
static bool give_part(Source *s, MillBatch *b)
{
  size_t n = MIN(s->n_loads - s->n_given, LIST_PART);
  MillEvent *e = record_begin(&s->writer, b, s->record, n + KEY_LOAD);
  if (!e) return false;
  e->id = s->n_records - 1;
  e->id_kind = MILL_ID_INT;
  record_int(&s->writer, b, KEY_LAYER, file_at_hand(s)->layer);
  if (s->n_given == 0) {
    put_entry(s, b, KEY_STEP, &s->log.step);
    put_entry(s, b, KEY_TOKENS, &s->log.tokens);
  }
  put_loads(s, b, n);
  s->n_given += n;
  return true;
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  for (;;) {
    int status = 1;
    if (s->n_given < s->n_loads) {
      if (!give_part(s, b)) return MILL_NEXT_MORE;
    } else if (s->is_open) {
      status = open_row(s);
    } else {
      status = open_next(s);
      if (status == 0) return MILL_NEXT_END;
    }
    if (status < 0) return status;
  }
}

/* -------------------------------------------------------------- the descriptor */

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = gate_probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillMagic magic[] = {
  { 0, 1, "{" },  { 0, 1, "\n" }, { 0, 1, " " },
  { 0, 1, "\r" }, { 0, 1, "\t" }, { 0, 3, "\xef\xbb\xbf" },
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "gate-log",
  .version = "0.1.0",
  .tag = "GATE",
  .title = "Expert loads by layer and step, as a patched MoE gate logs them",
  .help = "Reads a folder gates_logs_RUN with one file gate_logs_LAYER.json per layer, or one such "
          "file. Each forward step of a layer becomes a record gate.step with the loads of its "
          "experts. A file that was cut short is left out whole, and counted; --recover keeps its "
          "complete rows.",
  .provides = provides,
  .notices = MILL_ROWS(gate_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
