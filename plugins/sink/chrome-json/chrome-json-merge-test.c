/* The trace sink with several lanes: times, processes and ids of their own in one document. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "chrome-json-test.h"

static const FakeLane ranked[] = { { .rank = 4, .base_ns = 1000 },
                                   { .rank = 3, .base_ns = 3500, .name = "b.json" },
                                   { .rank = -1, .base_ns = 1000, .name = "c.json" } };

/* Up to the rows that name processes. */
static char *events_only(const char *text)
{
  const char *end = strstr(text, ",\n{\"ph\":\"M\",\"name\":\"process_");
  return end ? g_strndup(text, (size_t)(end - text)) : g_strdup(text);
}

static MillEvent ranked_event(Sink *s, const char *raw)
{
  MillEvent e = raw_event(raw, raw);
  e.ts_ns = 10000;
  e.track = fake_track(&s->fake, mill_int(7), mill_int(9));
  return e;
}

/* Of lane 1, whose base is 2.5 us after that of lane 0; ts is 10 us, the id 5. */
static const struct {
  const char *raw;
  uint8_t id_kind;
  uint64_t id;
  const char *wanted;
} merge_rows[] = {
  { "{\"ph\":\"X\",\"pid\":7,\"ts\":10, \"tts\": 1,\"u\":{ \"pid\":7},\"args\":{ \"a\" : 1.50}}", 0,
    0,
    "{\"ph\":\"X\",\"pid\":20000007,\"ts\":12.500,\"tts\":1,\"u\":{ \"pid\":7},\"args\":{ \"a\" : "
    "1.50}}" },
  { "{\"ts\":10,\"tid\":9}", 0, 0, "{\"ts\":12.500,\"tid\":9,\"pid\":20000007}" },
  { "{\"pid\":7,\"ts\":10,\"id\":5}", MILL_ID_INT, 5,
    "{\"pid\":20000007,\"ts\":12.500,\"id\":1099511627781,\"args\":{\"original id\":5}}" },
  { "{\"pid\":7,\"ts\":10,\"id\":\"0x5\"}", MILL_ID_HEX, 5,
    "{\"pid\":20000007,\"ts\":12.500,\"id\":1099511627781,"
    "\"args\":{\"original id\":\"0x5\"}}" },
  { "{\"pid\":7,\"ts\":10,\"id\":\"0x7f0000001000\"}", MILL_ID_HEX, 0x7f0000001000,
    "{\"pid\":20000007,\"ts\":12.500,\"id\":\"0x80017f0000001000\","
    "\"args\":{\"original id\":\"0x7f0000001000\"}}" },
  { "{\"pid\":7,\"ts\":10,\"bind_id\":6,\"id2\":{\"global\":\"0x10\",\"x\":null}}", 0, 0,
    "{\"pid\":20000007,\"ts\":12.500,\"bind_id\":1099511627782,"
    "\"id2\":{\"global\":1099511627792,\"x\":null},"
    "\"args\":{\"original bind_id\":6,\"original id2\":{\"global\":\"0x10\",\"x\":null}}}" },
  { "{\"pid\":7,\"ts\":10,\"args\":{\"correlation\": 5 , \"External id\":0,\"other\":5}}", 0, 0,
    "{\"pid\":20000007,\"ts\":12.500,"
    "\"args\":{\"correlation\": 1099511627781 , \"External id\":1099511627776,\"other\":5,"
    "\"original correlation\":5,\"original External id\":0}}" },
  /* Merged before: what it was then counts. */
  { "{\"pid\":7,\"ts\":10,\"id\":9,\"args\":{\"correlation\":8,\"original id\":4,"
    "\"original correlation\":3}}",
    MILL_ID_INT, 9,
    "{\"pid\":20000007,\"ts\":12.500,\"id\":1099511627780,"
    "\"args\":{\"correlation\":1099511627779,\"original id\":4,\"original correlation\":3}}" },
  { "{\"pid\":7,\"ts\":10,\"args\":{\"correlation\":-1,\"External id\":\"5\"}}", 0, 0,
    "{\"pid\":20000007,\"ts\":12.500,\"args\":{\"correlation\":-1,\"External id\":\"5\"}}" },
  { "{\"pid\":7,\"ts\":10,\"args\":{\"correlation\":5,}}", 0, 0,
    "{\"pid\":20000007,\"ts\":12.500,\"args\":{\"correlation\":1099511627781,"
    "\"original correlation\":5}}" }, /* mended */
};

static void test_merges(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(merge_rows); i++) {
    Sink s;
    sink_open(&s, ranked, 3, 1, &default_options);
    MillEvent e = ranked_event(&s, merge_rows[i].raw);
    e.id_kind = merge_rows[i].id_kind;
    e.id = merge_rows[i].id;
    MillBatch b = { .raw_ = merge_rows[i].raw, .lane = 1 };
    g_autofree char *text = events_only(write_events(&s, &b, &e, 1));
    if (!CHECK_STR(text, merge_rows[i].wanted)) CHECK_ROW(merge_rows[i].raw);
    sink_close(&s);
  }
}

/* Times move only between two known bases, of which 0 is one. */
static void test_unknown_bases(void)
{
  static const char raw[] = "{\"ts\":10}";
  static const struct {
    int64_t first_ns, own_ns;
    const char *wanted;
  } rows[] = {
    { 0, MILL_NO_BASE, "{\"ts\":10,\"pid\":20000007}" },
    { MILL_NO_BASE, -1000, "{\"ts\":10,\"pid\":20000007}" },
    { MILL_NO_BASE, MILL_NO_BASE, "{\"ts\":10,\"pid\":20000007}" },
    { 0, 3000, "{\"ts\":13,\"pid\":20000007}" },
    { 3000, 0, "{\"ts\":7,\"pid\":20000007}" },
    { -1, INT64_MAX, "{\"ts\":10,\"pid\":20000007}" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const FakeLane lanes[] = { { .rank = 0, .base_ns = rows[i].first_ns },
                               { .rank = 1, .base_ns = rows[i].own_ns } };
    Sink s;
    sink_open(&s, lanes, 2, 1, &default_options);
    MillEvent e = ranked_event(&s, raw);
    MillBatch b = { .raw_ = raw, .lane = 1 };
    g_autofree char *text = events_only(write_events(&s, &b, &e, 1));
    if (!CHECK_STR(text, rows[i].wanted)) CHECK_ROW(rows[i].wanted);
    sink_close(&s);
  }
}

/* A first lane of unknown base does not take the known offset between the others; the document's base is theirs. */
static void test_first_base_unknown(void)
{
  static const char raw[] = "{\"ts\":10}";
  static const FakeMember base[] = { { true, "baseTimeNanoseconds", "500" } };
  static const FakeMember later[] = { { true, "baseTimeNanoseconds", "3500" } };
  const FakeLane lanes[] = {
    { .rank = 0, .base_ns = MILL_NO_BASE },
    { .rank = 1, .base_ns = 500, .members = base, .n_members = 1 },
    { .rank = 2, .base_ns = 3500, .members = later, .n_members = 1 },
  };
  static const char *const wanted[] = { "{\"ts\":10,\"pid\":10000007}",
                                        "{\"ts\":10,\"pid\":20000007}",
                                        "{\"ts\":13,\"pid\":30000007}" };
  for (uint32_t l = 0; l < G_N_ELEMENTS(lanes); l++) {
    Sink s;
    sink_open(&s, lanes, G_N_ELEMENTS(lanes), l, &default_options);
    MillEvent e = ranked_event(&s, raw);
    MillBatch b = { .raw_ = raw, .lane = l };
    g_autofree char *text = events_only(write_events(&s, &b, &e, 1));
    CHECK_STR(text, wanted[l]);
    sink_close(&s);
  }
  Sink run;
  sink_open(&run, lanes, G_N_ELEMENTS(lanes), MILL_NO_LANE, &default_options);
  CHECK_INT(sink_ops()->begin_run(run.instance), 0);
  CHECK_INT(sink_ops()->finish_run(run.instance), 0);
  CHECK(strstr(fake_output(&run.fake, "trace.json.gz"), "\"baseTimeNanoseconds\": 500\n") != NULL);
  sink_close(&run);
}

/* The first lane keeps its times and small ids as they were. */
static void test_merges_first_lane(void)
{
  static const char raw[] = "{\"pid\":7,\"ts\":1e1,\"id\":5}";
  Sink s;
  sink_open(&s, ranked, 3, 0, &default_options);
  MillEvent e = ranked_event(&s, raw);
  e.id_kind = MILL_ID_INT;
  e.id = 5;
  MillBatch b = { .raw_ = raw };
  g_autofree char *text = events_only(write_events(&s, &b, &e, 1));
  CHECK_STR(text, "{\"pid\":10000007,\"ts\":1e1,\"id\":5}");
  sink_close(&s);
}

static void test_merges_changed_args(void)
{
  static const char raw[] = "{\"pid\":7,\"args\":{\"External id\":1,\"correlation\":2,\"x\":3}}";
  Sink s;
  sink_open(&s, ranked, 3, 1, &default_options);
  MillAttr attr = { .key = fake_symbol(&s.fake, "correlation"),
                    .type = MILL_INT | MILL_ATTR_SET,
                    .u.i = 8 };
  MillEvent e = ranked_event(&s, raw);
  e.flags = MILL_FLAG_NO_TS;
  e.dirty = MILL_DIRTY_ATTRS;
  e.n_attrs = 1;
  MillBatch b = { .raw_ = raw, .lane = 1, .attrs = &attr, .n_attrs = 1 };
  g_autofree char *text = events_only(write_events(&s, &b, &e, 1));
  CHECK_STR(text, "{\"pid\":20000007,\"args\":{\"External id\":1099511627777,"
                  "\"correlation\":1099511627784,\"x\":3,\"original External id\":1}}");
  sink_close(&s);
}

static MillEvent row_event(Sink *s, const char *all, const char *raw, const char *name,
                           MillValue pid)
{
  MillEvent e = raw_event(all, raw);
  e.kind = MILL_META;
  e.name = fake_symbol(&s->fake, name);
  e.flags = MILL_FLAG_NO_TS;
  e.track = fake_track(&s->fake, pid, mill_none());
  return e;
}

#define ORDER "{\"name\":\"process_sort_index\",\"pid\":7,\"args\":{\"sort_index\":50}}"
#define DEVICE "{\"name\":\"process_labels\",\"pid\":7,\"args\":{\"labels\":\"GPU 2\"}}"
#define NAME "{\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"py\\u0074hon3\"}}"
#define AGAIN "{\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"other\"}}"
#define STREAM "{\"name\":\"thread_name\",\"pid\":7,\"tid\":1,\"args\":{\"name\":\"stream 7 \"}}"
#define SPANS "{\"pid\":\"Spans\"}"

/* One row names a process, with its rank, and comes after all events of its lane. */
static void test_names_processes(void)
{
  static const char raw[] = ORDER NAME AGAIN DEVICE STREAM SPANS;
  Sink s;
  sink_open(&s, ranked, 3, 1, &default_options);
  MillValue text = mill_sym(fake_symbol(&s.fake, "Spans"));
  MillEvent e[] = { row_event(&s, raw, ORDER, "process_sort_index", mill_int(7)),
                    row_event(&s, raw, NAME, "process_name", mill_int(7)),
                    row_event(&s, raw, AGAIN, "process_name", mill_int(7)),
                    row_event(&s, raw, DEVICE, "process_labels", mill_int(7)),
                    row_event(&s, raw, STREAM, "thread_name", mill_int(7)),
                    row_event(&s, raw, SPANS, "x", text) };
  MillBatch b = { .raw_ = raw, .lane = 1 };
  CHECK_STR(write_events(&s, &b, e, 6),
            "{\"name\":\"thread_name\",\"pid\":20000007,\"tid\":1,"
            "\"args\":{\"name\":\"Rank 3: GPU stream 7\",\"original name\":\"stream 7 \"}},\n"
            "{\"pid\":29000000},\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":29000000,"
            "\"args\":{\"name\":\"Rank 3: Spans\",\"original pid\":\"Spans\"}},\n"
            "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":29000000,"
            "\"args\":{\"sort_index\":3000}},\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":20000007,"
            "\"args\":{\"name\":\"Rank 3: GPU 2 (python3)\",\"original name\":\"python3\","
            "\"original pid\":7}},\n"
            "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":20000007,"
            "\"args\":{\"labels\":\"GPU 2\"}},\n"
            "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":20000007,"
            "\"args\":{\"sort_index\":3001}}");
  sink_close(&s);
}

static void test_lane_without_rank(void)
{
  static const char raw[] = "{\"pid\":7}";
  Sink s;
  sink_open(&s, ranked, 3, 2, &default_options);
  MillEvent e = ranked_event(&s, raw);
  MillBatch b = { .raw_ = raw, .lane = 2 };
  const char *text = write_events(&s, &b, &e, 1);
  CHECK(strstr(text, "\"name\":\"c.json: pid 7\"") != NULL);
  CHECK(strstr(text, "\"sort_index\":1048575000}") != NULL);
  sink_close(&s);
}

static void test_lanes_of_one_rank(void)
{
  static const char raw[] = "{\"pid\":7}";
  static const FakeLane lanes[] = { { .rank = 3, .name = "x/a.json" },
                                    { .rank = 3, .name = "x/b.json" } };
  Sink s;
  sink_open(&s, lanes, 2, 1, &default_options);
  MillEvent e = ranked_event(&s, raw);
  MillBatch b = { .raw_ = raw, .lane = 1 };
  CHECK(strstr(write_events(&s, &b, &e, 1), "\"name\":\"Rank 3, b.json: pid 7\"") != NULL);
  sink_close(&s);
}

/* Viewers take numbers only.  All else of the trace is copied. */
static void test_text_pid_of_one_lane(void)
{
  static const char raw[] =
      "{\"pid\":\"Spans\",\"x\":1},{\"pid\": 7 },{\"pid\":\"\"},{\"pid\":\"8\"}" NAME;
  Sink s;
  sink_open(&s, one_lane, 1, 0, &default_options);
  MillValue spans = mill_sym(fake_symbol(&s.fake, "Spans")),
            empty = mill_sym(fake_symbol(&s.fake, "")), eight = mill_sym(fake_symbol(&s.fake, "8"));
  MillEvent e[] = { row_event(&s, raw, "{\"pid\":\"Spans\",\"x\":1}", "a", spans),
                    row_event(&s, raw, "{\"pid\": 7 }", "a", mill_int(7)),
                    row_event(&s, raw, "{\"pid\":\"\"}", "a", empty),
                    row_event(&s, raw, NAME, "process_name", empty),
                    row_event(&s, raw, "{\"pid\":\"8\"}", "a", eight) };
  MillBatch b = { .raw_ = raw };
  CHECK_STR(
      write_events(&s, &b, e, 5),
      "{\"pid\":4000000000,\"x\":1},\n{\"pid\": 7 },\n{\"pid\":4000000001},\n"
      "{\"name\":\"process_name\",\"pid\":4000000001,\"args\":{\"name\":\"py\\u0074hon3\"}},\n"
      "{\"pid\":\"8\"},\n"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4000000000,"
      "\"args\":{\"name\":\"Spans\",\"original pid\":\"Spans\"}}");
  sink_close(&s);
}

/* Lanes of the merged stream come from tracks; ids of the whole run stay. */
static void test_merged_stream(void)
{
  static const char raw[] = "{\"pid\":7,\"id\":5}";
  enum { MERGED = 3 };
  Sink s;
  sink_open(&s, ranked, 3, MERGED, &default_options);
  MillEvent e[3] = { raw_event(raw, raw),
                     raw_event(raw, raw),
                     { .dur_ns = -1, .kind = MILL_FLOW_START } };
  for (uint32_t i = 0; i < 3; i++) {
    e[i].flags = MILL_FLAG_NO_TS;
    e[i].id_kind = i == 2 ? MILL_ID_PAIR : MILL_ID_INT;
    e[i].id = 5;
    e[i].track = fake_track(&s.fake, mill_int(7), mill_int(i));
    g_array_index(s.fake.tracks, MillTrack, e[i].track).lane = i ? 2 : 0;
  }
  MillBatch b = { .raw_ = raw, .lane = MERGED };
  const char *text = write_events(&s, &b, e, 3);
  g_autofree char *events = events_only(text);
  CHECK_STR(events, "{\"pid\":10000007,\"id\":5},\n{\"pid\":30000007,\"id\":2199023255557,"
                    "\"args\":{\"original id\":5}},\n"
                    "{\"ph\":\"s\",\"name\":\"\",\"pid\":30000007,\"tid\":2,\"id\":5}");
  CHECK(strstr(text, "\"Rank 4: pid 7\"") != NULL);
  CHECK(strstr(text, "\"c.json: pid 7\"") != NULL);
  sink_close(&s);
}

/* One lane that went through a merged stream is still one lane. */
static void test_merged_stream_of_one(void)
{
  static const char raw[] = "{\"pid\":7, \"id\":5}";
  MillEvent e = raw_event(raw, raw);
  MillBatch b = { .raw_ = raw, .lane = 1 };
  Sink s;
  sink_open(&s, one_lane, 1, 1, &default_options);
  CHECK_STR(write_events(&s, &b, &e, 1), raw);
  sink_close(&s);
  sink_open(&s, one_lane, 1, 1, &rank_options);
  write_events(&s, &b, &e, 1);
  CHECK(fake_output(&s.fake, "rank0.json") != NULL);
  sink_close(&s);
}

/* More processes than a lane's share of pids: still no pid twice. */
static void test_many_processes(void)
{
  static const char raw[] = "{\"pid\":7}";
  Sink s;
  sink_open(&s, ranked, 3, 1, &default_options);
  for (uint32_t i = 0; i < 1000001; i++) {
    MillTrack t = {
      .size = sizeof(t), .lane = 1, .process = mill_int(-1 - (int64_t)i), .thread = mill_int(0)
    };
    g_array_append_val(s.fake.tracks, t);
  }
  MillEvent *e = g_new(MillEvent, 1000001);
  for (uint32_t i = 0; i < 1000001; i++) {
    e[i] = raw_event(raw, raw);
    e[i].flags = MILL_FLAG_NO_TS;
    e[i].track = i;
  }
  MillBatch b = { .raw_ = raw, .lane = 1 };
  const char *text = write_events(&s, &b, e, 1000001);
  CHECK(strstr(text, "{\"pid\":29999999}") != NULL);
  CHECK(strstr(text, "{\"pid\":30000000}") == NULL);
  g_free(e);
  sink_close(&s);
}

TEST_MAIN({ "merges lanes", test_merges }, { "moves between known bases", test_unknown_bases },
          { "counts from the first known base", test_first_base_unknown },
          { "merges the first lane", test_merges_first_lane },
          { "merges changed args", test_merges_changed_args },
          { "names the processes of lanes", test_names_processes },
          { "names lanes without rank", test_lane_without_rank },
          { "tells lanes of one rank apart", test_lanes_of_one_rank },
          { "makes numbers of texts", test_text_pid_of_one_lane },
          { "writes the merged stream", test_merged_stream },
          { "writes the merged stream of one", test_merged_stream_of_one },
          { "merges many processes", test_many_processes })
