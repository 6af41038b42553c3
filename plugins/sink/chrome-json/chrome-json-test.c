/* The trace sink: copying, rewriting and making events, and the document around them. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/words.h"
#include "base/json.h"
#include "check.h"
#include "chrome-json-test.h"

static void test_copies(void)
{
  static const char raw[] =
      "[ {\"ph\" : \"X\", \"odd\": 1.50 },\n\n {\"ph\":\"B\"} , {\"ph\":\"E\"}]";
  MillEvent e[] = { raw_event(raw, "{\"ph\" : \"X\", \"odd\": 1.50 }"),
                    raw_event(raw, "{\"ph\":\"B\"}"), raw_event(raw, "{\"ph\":\"E\"}") };
  MillBatch b = { .raw_ = raw };
  Sink s;
  e[1].flags = MILL_FLAG_DROPPED;
  sink_open(&s, one_lane, 1, 0, &default_options);
  CHECK_STR(write_events(&s, &b, e, 3), "{\"ph\" : \"X\", \"odd\": 1.50 },\n{\"ph\":\"E\"}");
  sink_close(&s);
}

static void test_repaired_text_is_in_own(void)
{
  static const char own[] = "{\"ph\":\"X\",\"name\":\"mended\"}";
  MillEvent e[] = { raw_event(own, own) };
  MillBatch b = { .raw_ = "garbage that must not be copied", .own_ = own };
  Sink s;
  e[0].flags = MILL_FLAG_OWN_RAW;
  sink_open(&s, one_lane, 1, 0, &default_options);
  CHECK_STR(write_events(&s, &b, e, 1), own);
  sink_close(&s);
}

typedef struct Rewrite {
  const char *raw;
  uint8_t dirty;
  const char *wanted;
} Rewrite;

/* The event of every row: kind f, name "n\"w", cat none, track (7, "stream 7"), ts 1.5 us,
 * dur 2 us, id 0x1f. */
static const Rewrite rewrites[] = {
  { "{\"ph\":\"X\", \"ts\": 1 , \"bp\":\"e\"}", MILL_DIRTY_TS,
    "{\"ph\":\"X\",\"ts\":1.500,\"bp\":\"e\"}" },
  { "{\"dur\":1,\"ph\":\"X\"}", MILL_DIRTY_DUR, "{\"dur\":2,\"ph\":\"X\"}" },
  { "{\"ph\":\"X\"}", MILL_DIRTY_DUR, "{\"ph\":\"X\",\"dur\":2}" },
  { "{}", MILL_DIRTY_DUR, "{\"dur\":2}" },
  { "{\"name\":\"old\",\"x\":[1, 2]}", MILL_DIRTY_NAME, "{\"name\":\"n\\\"w\",\"x\":[1, 2]}" },
  { "{\"n\\u0061me\":\"old\"}", MILL_DIRTY_NAME, "{\"name\":\"n\\\"w\"}" },
  { "{\"name\":\"a\",\"name\":\"b\"}", MILL_DIRTY_NAME, "{\"name\":\"n\\\"w\"}" },
  { "{\"ph\":\"X\",\"cat\":\"c\"}", MILL_DIRTY_CAT, "{\"ph\":\"X\"}" },
  { "{\"tid\":1,\"pid\":\"p\"}", MILL_DIRTY_TRACK, "{\"tid\":\"stream 7\",\"pid\":7}" },
  { "{\"id\":12,\"cname\":\"good\"}", MILL_DIRTY_ID, "{\"id\":\"0x1f\",\"cname\":\"good\"}" },
  { "{\"id2\":{\"local\":\"0x1\"},\"s\":\"g\"}", MILL_DIRTY_ID, "{\"s\":\"g\",\"id\":\"0x1f\"}" },
  { "{\"ph\":\"t\"}", MILL_DIRTY_KIND, "{\"ph\":\"f\",\"bp\":\"e\"}" },
  { "{\"ph\":\"t\",\"bp\":\"x\"}", MILL_DIRTY_KIND, "{\"ph\":\"f\",\"bp\":\"x\"}" },
  { "{\"ph\":\"X\",\"a\":12345678901234567890.10}", MILL_DIRTY_TS,
    "{\"ph\":\"X\",\"a\":12345678901234567890.10,\"ts\":1.500}" },
  { "{\"args\":{\"args\":{\"ts\":9}},\"ts\":1}", MILL_DIRTY_TS,
    "{\"args\":{\"args\":{\"ts\":9}},\"ts\":1.500}" },
  { "{\"ts\":\"5\",\"name\":\"old\"}", MILL_DIRTY_TS | MILL_DIRTY_NAME,
    "{\"ts\":1.500,\"name\":\"n\\\"w\"}" },
};

static void test_rewrites(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(rewrites); i++) {
    const Rewrite *row = &rewrites[i];
    Sink s;
    sink_open(&s, one_lane, 1, 0, &default_options);
    MillValue thread = mill_sym(fake_symbol(&s.fake, "stream 7"));
    MillEvent e = raw_event(row->raw, row->raw);
    e.kind = MILL_FLOW_END;
    e.flags = MILL_FLAG_BIND_END;
    e.dirty = row->dirty;
    e.name = fake_symbol(&s.fake, "n\"w");
    e.track = fake_track(&s.fake, mill_int(7), thread);
    e.ts_ns = 1500;
    e.dur_ns = 2000;
    e.id_kind = MILL_ID_HEX;
    e.id = 0x1f;
    MillBatch b = { .raw_ = row->raw };
    if (!CHECK_STR(write_events(&s, &b, &e, 1), row->wanted)) CHECK_ROW(row->raw);
    sink_close(&s);
  }
}

static void test_absent_values_go(void)
{
  static const char raw[] =
      "{\"ph\":\"M\",\"ts\":1,\"dur\":2,\"id\":3,\"id2\":{},\"pid\":1,\"tid\":2}";
  Sink s;
  sink_open(&s, one_lane, 1, 0, &default_options);
  MillEvent e = raw_event(raw, raw);
  e.kind = MILL_META;
  e.flags = MILL_FLAG_NO_TS;
  e.dirty = MILL_DIRTY_TS | MILL_DIRTY_DUR | MILL_DIRTY_ID | MILL_DIRTY_TRACK;
  e.track = fake_track(&s.fake, mill_none(), mill_none());
  MillBatch b = { .raw_ = raw };
  CHECK_STR(write_events(&s, &b, &e, 1), "{\"ph\":\"M\"}");
  sink_close(&s);
}

static void test_unknown_phase_and_hashed_id_stay(void)
{
  static const char raw[] = "{\"ph\":\"Z\",\"id\":\"some id\",\"name\":\"a\"}";
  Sink s;
  sink_open(&s, one_lane, 1, 0, &default_options);
  MillEvent e = raw_event(raw, raw);
  e.kind = MILL_OTHER;
  e.id_kind = MILL_ID_HASH;
  e.id = 99;
  e.name = fake_symbol(&s.fake, "b");
  e.dirty = MILL_DIRTY_KIND | MILL_DIRTY_ID | MILL_DIRTY_NAME;
  MillBatch b = { .raw_ = raw };
  CHECK_STR(write_events(&s, &b, &e, 1), "{\"ph\":\"Z\",\"id\":\"some id\",\"name\":\"b\"}");
  sink_close(&s);
}

/* Attributes of every row: bytes set to 5, old removed, list set to [1,"t\n"], kept not changed. */
static const struct {
  const char *raw, *wanted;
} args_rows[] = {
  { "{\"ph\":\"X\",\"args\":{\"old\":1,\"x\":{\"a\": [1]},\"bytes\":\"4\",\"kept\":7}}",
    "{\"ph\":\"X\",\"args\":{\"x\":{\"a\": [1]},\"bytes\":5,\"kept\":7,\"list\":[1,\"t\\n\"]}}" },
  { "{\"ph\":\"X\"}", "{\"ph\":\"X\",\"args\":{\"bytes\":5,\"list\":[1,\"t\\n\"]}}" },
  { "{\"args\":null,\"ph\":\"X\"}", "{\"args\":{\"bytes\":5,\"list\":[1,\"t\\n\"]},\"ph\":\"X\"}" },
  { "{\"attr\":{\"bytes\":1}}", "{\"args\":{\"bytes\":5,\"list\":[1,\"t\\n\"]}}" },
  { "{\"attr\":{\"bytes\":1},\"args\":{\"old\":2}}",
    "{\"args\":{\"bytes\":5,\"list\":[1,\"t\\n\"]}}" },
  { "{\"attr\":{\"bytes\":1,\"x\":1},\"ph\":\"X\",\"args\":{\"x\":2,\"y\":3,\"old\":2}}",
    "{\"args\":{\"y\":3,\"bytes\":5,\"x\":1,\"list\":[1,\"t\\n\"]},\"ph\":\"X\"}" },
  { "{\"args\":{\"b\\u0079tes\":1,\"bytes\":2}}",
    "{\"args\":{\"bytes\":5,\"list\":[1,\"t\\n\"]}}" },
  { "{\"args\":{}}", "{\"args\":{\"bytes\":5,\"list\":[1,\"t\\n\"]}}" },
};

static void test_args(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(args_rows); i++) {
    const char *raw = args_rows[i].raw;
    Sink s;
    sink_open(&s, one_lane, 1, 0, &default_options);
    MillSym list = fake_symbol(&s.fake, "list");
    MillAttr attrs[] = {
      { .key = fake_symbol(&s.fake, "kept"), .type = MILL_INT, .u.i = 7 },
      { .key = fake_symbol(&s.fake, "bytes"), .type = MILL_INT | MILL_ATTR_SET, .u.i = 5 },
      { .key = fake_symbol(&s.fake, "old"), .type = MILL_NONE | MILL_ATTR_SET },
      { .key = list, .type = MILL_INT | MILL_ATTR_SET, .u.i = 1 },
      { .key = list, .type = MILL_TEXT | MILL_ATTR_SET | MILL_ATTR_OWN, .u.text = { 0, 2 } },
    };
    MillEvent e = raw_event(raw, raw);
    e.dirty = MILL_DIRTY_ATTRS;
    e.n_attrs = G_N_ELEMENTS(attrs);
    MillBatch b = { .raw_ = raw, .own_ = "t\n", .attrs = attrs, .n_attrs = e.n_attrs };
    if (!CHECK_STR(write_events(&s, &b, &e, 1), args_rows[i].wanted)) CHECK_ROW(raw);
    sink_close(&s);
  }
}

static void test_makes(void)
{
  Sink s;
  sink_open(&s, one_lane, 1, 0, &default_options);
  MillAttr attrs[] = {
    { .key = fake_symbol(&s.fake, "on"), .type = MILL_BOOL, .u.i = 1 },
    { .key = fake_symbol(&s.fake, "mhz"), .type = MILL_REAL, .u.r = 998.4 },
    { .key = fake_symbol(&s.fake, "who"), .type = MILL_SYM, .u.sym = fake_symbol(&s.fake, "me") },
    { .key = fake_symbol(&s.fake, "o"), .type = MILL_JSON | MILL_ATTR_OWN, .u.text = { 0, 7 } },
    { .key = fake_symbol(&s.fake, "bad"), .type = MILL_REAL, .u.r = 0.0 / 0.0 },
  };
  MillEvent e = { .ts_ns = 1712195495519689047,
                  .dur_ns = 1,
                  .kind = MILL_FLOW_END,
                  .flags = MILL_FLAG_BIND_END,
                  .id_kind = MILL_ID_INT,
                  .id = 5,
                  .name = fake_symbol(&s.fake, "x"),
                  .cat = fake_symbol(&s.fake, "c"),
                  .n_attrs = G_N_ELEMENTS(attrs) };
  e.track = fake_track(&s.fake, mill_int(-1), mill_int(INT64_MIN));
  MillBatch b = { .own_ = "{\"a\":1}", .attrs = attrs, .n_attrs = e.n_attrs };
  CHECK_STR(write_events(&s, &b, &e, 1),
            "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"x\",\"pid\":-1,\"tid\":-9223372036854775808,"
            "\"ts\":1712195495519689.047,\"dur\":0.001,\"id\":5,\"bp\":\"e\",\"args\":{\"on\":true,"
            "\"mhz\":998.4,"
            "\"who\":\"me\",\"o\":{\"a\":1},\"bad\":null}}");
  sink_close(&s);
}

static void test_unfit_events_are_counted(void)
{
  static const char raw[] = "{\"row\":1} {\"ph\":\"X\"}";
  MillEvent e[] = { raw_event(raw, "{\"row\":1}"),
                    { .kind = MILL_OTHER },
                    raw_event(raw, "{\"ph\":\"X\"}") };
  MillBatch b = { .raw_ = raw };
  Sink s;
  e[0].kind = MILL_RECORD;
  sink_open(&s, one_lane, 1, 0, &default_options);
  CHECK_STR(write_events(&s, &b, e, 3), "{\"ph\":\"X\"}");
  CHECK_INT(s.fake.notes[1], 2);
  sink_close(&s);
}

static const char *const broken[] = { "{\"ph\":\"X\",\"ts\":1,}",
                                      "{\"ph\":\"X\",\"ts\" 1}",
                                      "{\"ph\":\"X\"",
                                      "{",
                                      "nonsense",
                                      "{\"ts\":}",
                                      "{\"args\":{\"a\":1 2}}",
                                      "{\"args\":{\"a\"}}" };

static void test_broken_text_gives_valid_events(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
    Sink s;
    const char *at, *why;
    sink_open(&s, one_lane, 1, 0, &default_options);
    MillAttr attr = { .key = fake_symbol(&s.fake, "a"),
                      .type = MILL_INT | MILL_ATTR_SET,
                      .u.i = 2 };
    MillEvent e = raw_event(broken[i], broken[i]);
    e.name = fake_symbol(&s.fake, "n");
    e.dirty = MILL_DIRTY_TS | MILL_DIRTY_NAME | MILL_DIRTY_ATTRS;
    e.n_attrs = 1;
    e.track = fake_track(&s.fake, mill_int(1), mill_int(2));
    MillBatch b = { .raw_ = broken[i], .attrs = &attr, .n_attrs = 1 };
    const char *text = write_events(&s, &b, &e, 1);
    if (!CHECK(json_check(text, strlen(text), &at, &why))) CHECK_ROW(broken[i]);
    if (!CHECK(strstr(text, "\"name\":\"n\"") != NULL)) CHECK_ROW(text);
    sink_close(&s);
  }
}

/* What printf writes for numbers that JSON does not have, in events that no stage changed. */
static const struct {
  const char *raw, *wanted;
  uint32_t notes;
} words[] = {
  { "{\"ph\":\"X\",\"args\":{\"a\":nan}}", "{\"ph\":\"X\",\"args\":{\"a\":null}}", 1 },
  { "{\"ph\":\"X\",\"a\":[1,{\"b\":-inf}]}", "{\"ph\":\"X\",\"a\":[1,{\"b\":null}]}", 1 },
  { "{\"ph\":\"X\", \"dur\": -nan}", "{\"ph\":\"X\",\"dur\":null}", 1 },
  { "{\"ph\":\"X\", \"name\": \"nanosleep of info\"}",
    "{\"ph\":\"X\", \"name\": \"nanosleep of info\"}", 0 },
  { "{\"name\":\"inference\",\"a\":inf}", "{\"name\":\"inference\",\"a\":null}", 1 },
};

static void test_no_words_for_numbers(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    Sink s;
    sink_open(&s, one_lane, 1, 0, &default_options);
    MillEvent e = raw_event(words[i].raw, words[i].raw);
    e.track = fake_track(&s.fake, mill_int(1), mill_int(2));
    MillBatch b = { .raw_ = words[i].raw };
    if (!CHECK_STR(write_events(&s, &b, &e, 1), words[i].wanted)) CHECK_ROW(words[i].raw);
    CHECK_INT(s.fake.notes[2], words[i].notes);
    sink_close(&s);
  }
}

/* Wherever the word stands in the text, and however long that is. */
static void test_finds_words_at_every_place(void)
{
  for (size_t len = 3; len < 70; len++) {
    g_autofree char *text = g_strnfill(len, 'n');
    CHECK(!(words_find(text, len) & WORDS_NUMBER));
    for (size_t at = 0; at + 3 <= len; at++) {
      memcpy(text + at, at & 1 ? "nan" : "inf", 3);
      CHECK((words_find(text, len) & WORDS_NUMBER));
      CHECK(!(words_find(text, at + 2) & WORDS_NUMBER));
      memcpy(text + at, "tr\"", 3);
      CHECK_INT(words_find(text, len), WORDS_KEY);
      CHECK_INT(words_find(text, at + 2), 0);
      memset(text + at, 'n', 3);
    }
  }
}

static const FakeMember members_a[] = { { false, "schemaVersion", "1" },
                                        { false, "distributedInfo", "{\"rank\": 0}" },
                                        { false, "baseTimeNanoseconds", "100" },
                                        { true, "trace\"Name", "\"a\"" } };
static const FakeMember members_b[] = { { false, "schemaVersion", "2" },
                                        { false, "distributedInfo", "{\"rank\": 1}" },
                                        { false, "extra", "[]" },
                                        { true, "baseTimeNanoseconds", "200" } };
static const FakeLane two_lanes[] = {
  { .rank = 0, .base_ns = 100, .members = members_a, .n_members = G_N_ELEMENTS(members_a) },
  { .rank = 1, .base_ns = 200, .members = members_b, .n_members = G_N_ELEMENTS(members_b) },
};

#define WHOSE                                                                            \
  "\"stagemill\": {\"merged\": [{\"rank\": 0, \"pids\": [10000000,18999999], "           \
  "\"other_pids\": [19000000,19999999]},\n{\"rank\": 1, \"pids\": [20000000,28999999], " \
  "\"other_pids\": [29000000,29999999]}]},\n"

/* The parts in the order in which the program joins them. */
static char *document(const FakeLane *lanes, uint32_t n_lanes, const char *events)
{
  Sink s;
  sink_open(&s, lanes, n_lanes, MILL_NO_LANE, &default_options);
  CHECK_INT(sink_ops()->begin_run(s.instance), 0);
  g_autofree char *head = g_strdup(fake_output(&s.fake, "trace.json.gz"));
  CHECK_INT(sink_ops()->finish_run(s.instance), 0);
  const char *all = fake_output(&s.fake, "trace.json.gz");
  char *whole = g_strconcat(head, events, all + strlen(head), NULL);
  sink_close(&s);
  return whole;
}

static void test_documents(void)
{
  g_autofree char *bare = document(one_lane, 1, "{}");
  CHECK_STR(bare, "{\n\"traceEvents\": [\n{}\n]\n}\n");
  g_autofree char *one = document(two_lanes, 1, "{}");
  CHECK_STR(one, "{\n\"schemaVersion\": 1,\n\"distributedInfo\": {\"rank\": "
                 "0},\n\"baseTimeNanoseconds\": 100,\n"
                 "\"traceEvents\": [\n{}\n],\n\"trace\\\"Name\": \"a\"\n}\n");
  g_autofree char *two = document(two_lanes, 2, "{}");
  CHECK_STR(two,
            "{\n" WHOSE
            "\"schemaVersion\": 1,\n\"baseTimeNanoseconds\": 100,\n\"traceEvents\": [\n{}\n],\n"
            "\"trace\\\"Name\": \"a\",\n\"extra\": [],\n"
            "\"distributedInfoOfRanks\": [\n{\"rank\": 0},\n{\"rank\": 1}\n]\n}\n");
  FakeLane moved = two_lanes[0];
  moved.base_ns = -7;
  g_autofree char *based = document(&moved, 1, "{}");
  CHECK(strstr(based, "\n\"baseTimeNanoseconds\": -7,\n") != NULL);
  static const FakeMember quoted[] = { { false, "baseTimeNanoseconds", "\"100\"" } };
  moved.members = quoted;
  moved.n_members = 1;
  g_autofree char *unquoted = document(&moved, 1, "{}");
  CHECK(strstr(unquoted, "\n\"baseTimeNanoseconds\": -7,\n") != NULL);
  g_autofree char *empty = document(one_lane, 1, "");
  const char *at, *why;
  CHECK(json_check(empty, strlen(empty), &at, &why));
}

/* As of an input in another format: the base is written all the same, once, and only if it is known. */
static void test_base_without_a_member(void)
{
  FakeLane lanes[] = { { .rank = 0, .base_ns = 1712195495519689047 }, { .rank = 1, .base_ns = 5 } };
#define BASED "\"traceEvents\": [\n{}\n],\n\"baseTimeNanoseconds\": 1712195495519689047\n}\n"
  g_autofree char *one = document(lanes, 1, "{}"), *two = document(lanes, 2, "{}");
  CHECK_STR(one, "{\n" BASED);
  CHECK_STR(two, "{\n" WHOSE BASED);
  lanes[0].base_ns = MILL_NO_BASE;
  g_autofree char *second = document(lanes, 2, "{}");
  CHECK_STR(second, "{\n" WHOSE "\"traceEvents\": [\n{}\n],\n\"baseTimeNanoseconds\": 5\n}\n");
  lanes[1].base_ns = MILL_NO_BASE;
  g_autofree char *unknown = document(lanes, 2, "{}");
  CHECK_STR(unknown, "{\n" WHOSE "\"traceEvents\": [\n{}\n]\n}\n");
}

/* Members that become known only after the head was written follow the events. */
static void test_late_members(void)
{
  FakeLane lane = { .rank = 0, .base_ns = MILL_NO_BASE };
  Sink s;
  sink_open(&s, &lane, 1, MILL_NO_LANE, &default_options);
  CHECK_INT(sink_ops()->begin_run(s.instance), 0);
  lane.members = members_a;
  lane.n_members = 1;
  CHECK_INT(sink_ops()->finish_run(s.instance), 0);
  CHECK_STR(fake_output(&s.fake, "trace.json.gz"),
            "{\n\"traceEvents\": [\n\n],\n\"schemaVersion\": 1\n}\n");
  sink_close(&s);
}

/* Text above what the sink keeps between pieces. */
static void test_huge_event(void)
{
  enum { LEN = 3 << 20 };
  g_autofree char *filler = g_strnfill(LEN, 'x');
  g_autofree char *raw = g_strdup_printf("{\"ts\":1,\"args\":{\"long\":\"%s\"}}", filler);
  g_autofree char *wanted = g_strdup_printf("{\"ts\":2,\"args\":{\"long\":\"%s\"}}", filler);
  MillEvent e[] = { raw_event(raw, raw), raw_event(raw, raw) };
  MillBatch b = { .raw_ = raw };
  Sink s;
  e[0].ts_ns = 2000;
  e[0].dirty = MILL_DIRTY_TS;
  sink_open(&s, one_lane, 1, 0, &default_options);
  g_autofree char *both = g_strconcat(wanted, ",\n", raw, NULL);
  CHECK(!strcmp(write_events(&s, &b, e, 2), both));
  sink_close(&s);
}

static void test_one_file_a_rank(void)
{
  static const char raw[] = "{\"ph\":\"X\"}";
  static const FakeLane lanes[] = { { .rank = 3, .base_ns = MILL_NO_BASE },
                                    { .rank = 5, .base_ns = MILL_NO_BASE },
                                    { .rank = 5, .base_ns = MILL_NO_BASE },
                                    { .rank = -1, .base_ns = MILL_NO_BASE } };
  static const char *const names[] = { "rank3.json", "rank5-lane1.json", "rank5-lane2.json",
                                       "rank-lane3.json" };
  for (uint32_t lane = 0; lane < 4; lane++) {
    MillEvent e = raw_event(raw, raw);
    MillBatch b = { .raw_ = raw, .lane = lane };
    Sink s;
    sink_open(&s, lanes, 4, lane, &rank_options);
    write_events(&s, &b, &e, lane == 0 ? 0 : 1);
    if (!CHECK_STR(fake_output(&s.fake, names[lane]),
                   lane == 0 ? "{\n\"traceEvents\": [\n\n]\n}\n"
                             : "{\n\"traceEvents\": [\n{\"ph\":\"X\"}\n]\n}\n"))
      CHECK_ROW(names[lane]);
    sink_close(&s);
  }
}

/* Then the run level has nothing to write. */
static void test_run_beside_files_of_ranks(void)
{
  Sink s;
  sink_open(&s, two_lanes, 2, MILL_NO_LANE, &rank_options);
  CHECK_INT(sink_ops()->begin_run(s.instance), 0);
  CHECK_INT(sink_ops()->finish_run(s.instance), 0);
  CHECK_INT(s.fake.output_calls, 0);
  sink_close(&s);
}

static void test_refused_memory(void)
{
  Sink s;
  fake_host_init(&s.fake, one_lane, 1, 0);
  s.fake.memory.refuses = true;
  CHECK_INT(fake_host_open(&s.fake, &default_options, &s.instance), -MILL_LIMIT);
  CHECK(s.instance == NULL);
  sink_close(&s);
}

static void test_big_pieces_and_failures(void)
{
  enum { N = 20000 };
  static const char raw[] = "{\"ph\":\"X\",\"name\":\"a name of some length\"}";
  MillEvent *e = g_new(MillEvent, N);
  for (uint32_t i = 0; i < N; i++) e[i] = raw_event(raw, raw);
  MillBatch b = { .raw_ = raw };
  Sink s;
  sink_open(&s, one_lane, 1, 0, &default_options);
  CHECK_INT(strlen(write_events(&s, &b, e, N)), N * (strlen(raw) + 2) - 2);
  CHECK(s.fake.output_calls >= 2 && s.fake.output_calls < 20);
  s.fake.fail_output = -MILL_OUTPUT_FAILED;
  CHECK_INT(sink_ops()->write(s.instance, &b), -MILL_OUTPUT_FAILED);
  sink_close(&s);
  g_free(e);
}

TEST_MAIN({ "copies what is unchanged", test_copies },
          { "takes repaired text from own", test_repaired_text_is_in_own },
          { "rewrites changed members", test_rewrites },
          { "leaves absent values out", test_absent_values_go },
          { "keeps what only the text holds", test_unknown_phase_and_hashed_id_stay },
          { "rebuilds args", test_args }, { "makes events", test_makes },
          { "counts what has no form", test_unfit_events_are_counted },
          { "survives broken text", test_broken_text_gives_valid_events },
          { "writes no words for numbers", test_no_words_for_numbers },
          { "finds words at every place", test_finds_words_at_every_place },
          { "writes documents", test_documents },
          { "a base without a member", test_base_without_a_member },
          { "puts late members behind", test_late_members },
          { "passes huge events", test_huge_event },
          { "writes one file per rank", test_one_file_a_rank },
          { "leaves those files to the ranks", test_run_beside_files_of_ranks },
          { "gives up without memory", test_refused_memory },
          { "writes in big pieces", test_big_pieces_and_failures })
