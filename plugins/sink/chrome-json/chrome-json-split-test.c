/* The trace sink: one trace in several parts, each a whole document. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "check.h"
#include "chrome-json-test.h"

typedef struct Row {
  char kind; /* M, X, or ? for one without time */
  int64_t ts_ns;
} Row;

static const Row rows[] = { { 'M', 0 },  { 'X', 5 },  { 'X', 15 }, { 'M', 0 }, { '?', 0 },
                            { 'X', -3 }, { 'X', 10 }, { 'M', 0 },  { 'X', 6 } };

static const FakeMember members[] = { { false, "first", "1" }, { true, "last", "{}" } };
static const FakeLane lanes[] = {
  { .rank = 4, .base_ns = MILL_NO_BASE, .name = "a", .members = members, .n_members = 2 },
  { .rank = 5, .base_ns = MILL_NO_BASE, .name = "b" }
};

static void write_rows(Sink *s, uint32_t n_rows, uint32_t batch)
{
  g_autoptr(GString) raw = g_string_new(NULL);
  MillEvent events[G_N_ELEMENTS(rows)];
  for (uint32_t i = 0; i < n_rows; i++) {
    events[i] = (MillEvent){ .ts_ns = rows[i].ts_ns, .dur_ns = -1, .raw_off = (uint32_t)raw->len };
    events[i].kind = rows[i].kind == 'M' ? MILL_META : MILL_SLICE;
    if (rows[i].kind == '?') events[i].flags = MILL_FLAG_NO_TS;
    g_string_append_printf(raw, "{\"%c\":%u}", rows[i].kind, i);
    events[i].raw_len = (uint32_t)raw->len - events[i].raw_off;
  }
  for (uint32_t at = 0; at < n_rows; at += batch) {
    MillBatch b = { .size = sizeof(b), .raw_ = raw->str, .events = events + at };
    b.n_events = MIN(batch, n_rows - at);
    CHECK_INT(sink_ops()->write(s->instance, &b), 0);
  }
  CHECK_INT(sink_ops()->finish(s->instance), 0);
}

static char *document(const char *events)
{
  return g_strdup_printf("{\n\"first\": 1,\n\"traceEvents\": [\n%s\n],\n\"last\": {}\n}\n", events);
}

static void check_part(const Sink *s, const char *name, const char *events)
{
  g_autofree char *wanted = document(events);
  if (!CHECK_STR(fake_output(&s->fake, name), wanted)) CHECK_ROW(name);
}

static void test_by_time(void)
{
  static const SinkOptions options = { .file = "t.json.gz", .split_time_ns = 10 };
  for (uint32_t batch = 1; batch <= G_N_ELEMENTS(rows); batch++) {
    Sink s;
    sink_open(&s, lanes, 1, 0, &options);
    write_rows(&s, G_N_ELEMENTS(rows), batch);
    check_part(&s, "t-001.json.gz", "{\"M\":0},\n{\"X\":1},\n{\"X\":8},\n{\"M\":3},\n{\"M\":7}");
    check_part(&s, "t-002.json.gz",
               "{\"M\":0},\n{\"X\":2},\n{\"M\":3},\n{\"?\":4},\n{\"X\":6},\n{\"M\":7}");
    check_part(&s, "t-003.json.gz", "{\"M\":0},\n{\"M\":3},\n{\"X\":5},\n{\"M\":7}");
    CHECK(fake_output(&s.fake, "t-004.json.gz") == NULL);
    sink_close(&s);
  }
}

/* The head has 31 bytes, an event 7, and 2 are between two: a row and two events go beyond 50. */
static void test_by_size(void)
{
  static const SinkOptions options = { .file = "r{rank}.json", .split_size = 50 };
  for (uint32_t batch = 1; batch <= G_N_ELEMENTS(rows); batch++) {
    Sink s;
    sink_open(&s, lanes, 2, 0, &options);
    write_rows(&s, G_N_ELEMENTS(rows), batch);
    check_part(&s, "r4-001.json", "{\"M\":0},\n{\"X\":1},\n{\"X\":2},\n{\"M\":3},\n{\"M\":7}");
    check_part(&s, "r4-002.json", "{\"M\":0},\n{\"M\":3},\n{\"?\":4},\n{\"M\":7}");
    check_part(&s, "r4-003.json", "{\"M\":0},\n{\"M\":3},\n{\"X\":5},\n{\"M\":7}");
    CHECK(fake_output(&s.fake, "r4-006.json") == NULL);
    sink_close(&s);
  }
}

/* One part holds what the whole would hold; a lane without events is one part too. */
static void test_one_part(void)
{
  static const SinkOptions options = { "v1.2/out", 1 << 20, 0 };
  Sink s;
  sink_open(&s, lanes, 1, 0, &options);
  write_rows(&s, 4, 2);
  check_part(&s, "v1.2/out-001", "{\"M\":0},\n{\"X\":1},\n{\"X\":2},\n{\"M\":3}");
  sink_close(&s);
  sink_open(&s, lanes, 1, 0, &options);
  write_rows(&s, 0, 1);
  check_part(&s, "v1.2/out-001", "");
  sink_close(&s);
}

static void test_names(void)
{
  static const char *const names[][2] = {
    { "a.json", "a-001.json" },     { "a.json.zst", "a-001.json.zst" },
    { "a.b.json", "a.b-001.json" }, { ".hidden", ".hidden-001" },
    { "x.y/a.gz", "x.y/a-001.gz" }, { "a", "a-001" }
  };
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    SinkOptions options = { names[i][0], 100, 0 };
    Sink s;
    sink_open(&s, lanes, 1, 0, &options);
    write_rows(&s, 1, 1);
    if (!CHECK(fake_output(&s.fake, names[i][1]) != NULL)) CHECK_ROW(names[i][0]);
    sink_close(&s);
  }
}

static int write_events_of(Sink *s, uint32_t n, uint8_t kind, const char *raw)
{
  int status = 0;
  for (uint32_t i = 0; i < n && !status; i++) {
    MillEvent e = raw_event(raw, raw);
    MillBatch b = { .size = sizeof(b), .raw_ = raw, .events = &e, .n_events = 1 };
    e.kind = kind;
    e.ts_ns = i;
    status = sink_ops()->write(s->instance, &b);
  }
  return status;
}

static void test_limits(void)
{
  static const SinkOptions each = { "t.json", 0, 1 }, size = { "t.json", 1 << 30, 0 };
  Sink s;
  sink_open(&s, lanes, 1, 0, &each);
  CHECK_INT(write_events_of(&s, 1000, MILL_SLICE, "{}"), 0);
  CHECK(write_events_of(&s, 1001, MILL_SLICE, "{}") < 0);
  sink_close(&s);
  g_autofree char *row = g_strnfill(1 << 20, ' ');
  memcpy(row, "{", 1);
  row[(1 << 20) - 1] = '}';
  sink_open(&s, lanes, 1, 0, &size);
  CHECK_INT(write_events_of(&s, 6, MILL_META, row), 0);
  CHECK_INT(s.fake.notes[3], 2);
  sink_close(&s);
}

static void test_refusals(void)
{
  static const struct {
    SinkOptions options;
    uint32_t n_lanes;
  } bad[] = { { { "t.json", 1, 1 }, 1 }, { { "-", 1, 0 }, 1 }, { { "t.json", 1, 0 }, 2 } };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    Sink s;
    fake_host_init(&s.fake, lanes, bad[i].n_lanes, 0);
    CHECK(fake_host_open(&s.fake, &bad[i].options, &s.instance) < 0);
    sink_close(&s);
  }
}

TEST_MAIN({ "by time", test_by_time }, { "by size", test_by_size }, { "one part", test_one_part },
          { "names", test_names }, { "limits", test_limits }, { "refusals", test_refusals })
