/* Fuzz target of every sink: whatever events and results it gets, what it writes is strictly valid, and no event is
 * lost unseen.  A new sink needs a row in `judges`. */
/* SPDX-License-Identifier: MIT */
#include "made-events.h"
#include "made-results.h"
#include "model/option.h"
#include "promise.h"
#include "strict-json.h"
#include "strict-results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_LANES = 2 };

typedef struct Judge {
  const char *format;
  const char *settings[4][2]; /* one of these options is set, or none */
  void (*judge)(const char *text, size_t len, uint64_t *n_events);
  bool slices_only; /* other events are not written */
  bool rare;        /* nor are those that are made here, but for a few */
} Judge;

/* ----------------------------------------------------------------- judges */

static void judge_json(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  PROMISE(strict_json(text, len, NULL));
}

static void judge_trace(const char *text, size_t len, uint64_t *n_events)
{
  uint64_t n = 0;
  PROMISE(strict_json(text, len, &n));
  *n_events += n;
}

/* Behind the cell: a comma, or CR LF. */
static const char *skip_cell(const char *p, const char *end)
{
  if (*p != '"') {
    while (p < end && !strchr(",\"\r\n", *p ? *p : 'x')) p++;
    return p;
  }
  for (p++; p < end; p++) {
    if (*p != '"') continue;
    if (p + 1 < end && p[1] == '"')
      p++;
    else
      return p + 1;
  }
  abort();
}

/* How many rows there are, each of so many cells. */
static uint64_t csv_rows(const char *text, size_t len, uint32_t n_cells)
{
  const char *p = text, *end = text + len;
  uint64_t rows = 0;
  PROMISE(strict_utf8(text, len) && !memchr(text, 0, len));
  for (; p < end; rows++) {
    uint32_t cells = 1;
    for (p = skip_cell(p, end); p < end && *p == ','; cells++) p = skip_cell(p + 1, end);
    PROMISE(end - p >= 2 && p[0] == '\r' && p[1] == '\n' && cells == n_cells);
    p += 2;
  }
  return rows;
}

static void judge_csv(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  csv_rows(text, len, G_N_ELEMENTS(made_columns));
}

/* A header, and a row for each slice. */
static void judge_events(const char *text, size_t len, uint64_t *n_events)
{
  uint64_t rows = csv_rows(text, len, 9);
  PROMISE(rows);
  *n_events += rows - 1;
}

static void judge_text(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  PROMISE(strict_utf8(text, len) && (!len || text[len - 1] == '\n'));
  for (const char *p = text; p < text + len; p = g_utf8_next_char(p)) {
    gunichar c = g_utf8_get_char(p);
    PROMISE(c == '\n' || !g_unichar_iscntrl(c));
    PROMISE(!(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069));
  }
}

static void judge_xlsx(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  PROMISE(strict_xlsx(text, len));
}

static void judge_sqlite(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  PROMISE(strict_sqlite(text, len));
}

static void judge_openmetrics(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  PROMISE(strict_utf8(text, len) && strict_openmetrics(text, len));
}

static void judge_markdown(const char *text, size_t len, uint64_t *n_events)
{
  judge_text(text, len, n_events);
  PROMISE(strict_markdown(text));
}

/* The page is whole, and nothing in its data ends the element that it stands in. */
static void judge_page(const char *text, size_t len, uint64_t *n_events)
{
  static const char begin[] = "<script type=\"application/json\" id=\"data\">";
  (void)n_events;
  PROMISE(!memchr(text, 0, len) && g_str_has_prefix(text, "<!doctype html>") &&
          g_str_has_suffix(text, "</html>\n"));
  const char *data = strstr(text, begin) + sizeof begin - 1, *end = strchr(data, '<');
  PROMISE(g_str_has_prefix(end, "</script>\n<script>"));
  PROMISE(strict_json(data, (size_t)(end - data), NULL));
}

/* A picture of one of its types. */
static void judge_plot(const char *text, size_t len, uint64_t *n_events)
{
  bool svg = g_str_has_prefix(text, "<?xml"), pdf = g_str_has_prefix(text, "%PDF-");
  (void)n_events;
  if (svg)
    PROMISE(strict_xml(text, len));
  else if (pdf)
    PROMISE(len > 6 && !memcmp(text + len - 6, "%%EOF\n", 6));
  else
    PROMISE(strict_png(text, len) || strict_utf8(text, len));
}

static uint64_t word_at(const char *p)
{
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return GUINT64_FROM_LE(v);
}

/* As many pages and clocks as it says, and no byte more. */
static void judge_dmat(const char *text, size_t len, uint64_t *n_events)
{
  (void)n_events;
  PROMISE(len >= 16 && word_at(text) <= (len - 16) / 8);
  size_t at = 16 + 8 * (size_t)word_at(text);
  for (uint64_t left = word_at(text + 8); left; left--) {
    PROMISE(len - at >= 16 && word_at(text + at + 8) <= (len - at - 16) / 12);
    at += 16 + 12 * (size_t)word_at(text + at + 8);
  }
  PROMISE(at == len);
}

static const Judge judges[] = {
  { "trace",
    { { "file", "{rank}.json" },
      { "split-size", "300" },
      { "split-time", "1ms" },
      { "pids", "keep" } },
    judge_trace },
  { "json", { { NULL } }, judge_json },
  { "cpp-table", { { "layout", "annotated" } }, judge_text },
  { "csv", { { NULL } }, judge_csv },
  { "dmat", { { "keep-empty", "true" } }, judge_dmat, .rare = true },
  { "gemm-csv", { { NULL } }, judge_text },
  { "nccl-tuner", { { NULL } }, judge_text },
  { "html", { { "max-rows", "1" }, { "max-rows", "0" }, { "max-size", "64KiB" } }, judge_page },
  { "text", { { "lines", "0" }, { "lines", "3" } }, judge_text },
  { "xlsx", { { NULL } }, judge_xlsx },
  { "sqlite", { { NULL } }, judge_sqlite },
  { "openmetrics", { { NULL } }, judge_openmetrics },
  { "markdown", { { NULL } }, judge_markdown },
  { "plot", { { "type", "svg" }, { "type", "text" }, { "type", "pdf" } }, judge_plot },
  { "tensorboard", { { "name", "x" } }, judge_trace },
  { "events", { { NULL } }, judge_events, .slices_only = true },
};

static const Judge *judge_of(const MillSink *sink)
{
  for (size_t i = 0; i < G_N_ELEMENTS(judges); i++)
    if (!strcmp(judges[i].format, sink->format)) return &judges[i];
  g_error("sink-fuzz.c needs a judge of what the sink \"%s\" writes", sink->name);
}

/* ---------------------------------------------------------------- one run */

typedef struct Run {
  FakeHost run, lanes[N_LANES];
  FakeLane rows[N_LANES];
  GString *names[N_LANES];
  const void *options;
  uint32_t n_lanes;
  uint64_t n_given; /* events that have to come out */
  const Judge *judge;
  bool failed;
} Run;

/* Results do not change what a trace holds: `mark` is where the run's part before the lanes ends. */
typedef struct Part {
  char *name;
  size_t mark;
} Part;

static void write_lane(Run *r, uint32_t index, Bytes *b)
{
  const MillSinkOps *ops = sink_under_test()->ops;
  FakeHost *f = &r->lanes[index];
  MadeEvents made;
  void *instance;
  r->failed |= fake_host_open(f, r->options, &instance) < 0;
  made_events_init(&made, f, b);
  made.batch.lane = index;
  if (!r->failed) r->failed |= ops->write(instance, &made.batch) < 0;
  if (!r->failed && ops->finish) r->failed |= ops->finish(instance) < 0;
  for (uint32_t i = 0; i < made.batch.n_events; i++)
    r->n_given += !r->judge->slices_only || made.batch.events[i].kind == MILL_SLICE;
  fake_host_close(instance);
  made_events_clear(&made);
}

static const FakeOutput *output_named(const FakeHost *f, const char *name)
{
  for (guint i = 0; i < f->outputs->len; i++) {
    const FakeOutput *o = f->outputs->pdata[i];
    if (!strcmp(o->name, name)) return o;
  }
  return NULL;
}

/* The run's part, every lane's with what joins two of them, and the run's again. */
static void judge_output(const Run *r, const char *name, size_t mark, const Judge *judge,
                         uint64_t *n)
{
  g_autoptr(GString) whole = g_string_new(NULL);
  const FakeOutput *of_run = output_named(&r->run, name);
  bool joins = false;
  if (of_run) g_string_append_len(whole, of_run->bytes->str, (gssize)MIN(mark, of_run->bytes->len));
  for (uint32_t i = 0; i < r->n_lanes; i++) {
    const FakeOutput *o = output_named(&r->lanes[i], name);
    if (!o || !o->bytes->len) continue;
    if (joins && o->join) g_string_append(whole, o->join);
    g_string_append_len(whole, o->bytes->str, (gssize)o->bytes->len);
    joins = true;
  }
  if (of_run && of_run->bytes->len > mark)
    g_string_append_len(whole, of_run->bytes->str + mark, (gssize)(of_run->bytes->len - mark));
  judge->judge(whole->str, whole->len, n);
}

static size_t mark_of(const FakeHost *run, const size_t *marks, guint n_marks, const char *name)
{
  for (guint i = 0; i < n_marks; i++)
    if (!strcmp(((FakeOutput *)run->outputs->pdata[i])->name, name)) return marks[i];
  return 0;
}

static void judge_all(const Run *r, const size_t *marks, guint n_marks, const Judge *judge)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  uint64_t n = 0, unfit = 0;
  for (uint32_t k = 0; k <= r->n_lanes; k++) {
    const FakeHost *f = k < r->n_lanes ? &r->lanes[k] : &r->run;
    unfit += f->notes[1];
    for (guint i = 0; i < f->outputs->len; i++) {
      const char *name = ((FakeOutput *)f->outputs->pdata[i])->name;
      if (!g_hash_table_add(seen, (gpointer)name)) continue;
      judge_output(r, name, mark_of(&r->run, marks, n_marks, name), judge, &n);
    }
  }
  /* Rows about processes, and metadata that each part of a split trace has, come on top. */
  if (sink_under_test()->ops->write && !judge->rare) PROMISE(n + unfit >= r->n_given);
  if (judge->slices_only) PROMISE(n == r->n_given);
}

static void write_run(Run *r, Bytes *b, const Judge *judge)
{
  const MillSinkOps *ops = sink_under_test()->ops;
  size_t marks[8] = { 0 };
  void *instance;
  r->judge = judge;
  r->failed |= fake_host_open(&r->run, r->options, &instance) < 0;
  if (!r->failed && ops->begin_run) r->failed |= ops->begin_run(instance) < 0;
  guint n_marks = r->run.outputs->len;
  PROMISE(n_marks <= G_N_ELEMENTS(marks));
  for (guint i = 0; i < n_marks; i++)
    marks[i] = ((FakeOutput *)r->run.outputs->pdata[i])->bytes->len;
  for (uint32_t i = 0; ops->write && i < r->n_lanes; i++) write_lane(r, i, b);
  MadeResults made;
  made_results_init(&made, &r->run, b);
  if (!r->failed && ops->results) r->failed |= ops->results(instance, &made.fake.results) < 0;
  if (!r->failed && ops->finish_run) r->failed |= ops->finish_run(instance) < 0;
  fake_host_close(instance);
  fake_host_take_placed(&r->run);
  if (!r->failed) judge_all(r, marks, n_marks, judge);
  made_results_clear(&made);
}

static OptionValues *options_of(const MillSink *sink, const Judge *judge, Bytes *b)
{
  const char *const *setting = judge->settings[bytes_pick(b, G_N_ELEMENTS(judge->settings))];
  OptionValues *values = option_values_new(sink->options.at, sink->options.n, sink->options_size);
  const MillOption *row =
      *setting ? option_find(sink->options.at, sink->options.n, *setting) : NULL;
  if (row) PROMISE(!option_values_set(values, row, setting[1]));
  PROMISE(!option_values_complete(values));
  return values;
}

static void make_lanes(Run *r, Bytes *b)
{
  static const FakeMember members[] = { { false, "displayTimeUnit", "\"ms\"" },
                                        { false, "distributedInfo", "{\"rank\":0}" },
                                        { true, "odd \xc3\xa9", "[{}, 1.50]" } };
  r->n_lanes = bytes_pick(b, N_LANES + 1);
  for (uint32_t i = 0; i < N_LANES; i++) {
    r->names[i] = bytes_text(b, 20, false);
    r->rows[i] = (FakeLane){ .rank = (int64_t)bytes_pick(b, 3) - 1,
                             .base_ns = bytes_pick(b, 2) ? MILL_NO_BASE : bytes_int(b),
                             .name = r->names[i]->str,
                             .label = i ? r->names[0]->str : "",
                             .dialect = "d",
                             .members = members,
                             .n_members = bytes_pick(b, G_N_ELEMENTS(members) + 1) };
  }
  fake_host_init(&r->run, r->rows, r->n_lanes, MILL_NO_LANE);
  for (uint32_t i = 0; i < N_LANES; i++) fake_host_init(&r->lanes[i], r->rows, r->n_lanes, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > 1u << 13) return 0;
  const MillSink *sink = sink_under_test();
  const Judge *judge = judge_of(sink);
  Bytes b = { data, data + size };
  Run r = { .n_given = 0 };
  OptionValues *options = options_of(sink, judge, &b);
  r.options = option_values_struct(options);
  make_lanes(&r, &b);
  write_run(&r, &b, judge);
  fake_host_clear(&r.run);
  for (uint32_t i = 0; i < N_LANES; i++) {
    fake_host_clear(&r.lanes[i]);
    g_string_free(r.names[i], TRUE);
  }
  option_values_free(options);
  return 0;
}
