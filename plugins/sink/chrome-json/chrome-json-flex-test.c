/* The trace sink on what FLEX writes: arguments under attr, and ranks that keep their processes' numbers. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "chrome-json-test.h"

/* ------------------------------------------------------------ args and attr */
/* Of events that no stage touched. */
static const struct {
  const char *raw, *wanted;
} attr_rows[] = {
  { "{\"ph\":\"X\", \"attr\": {\"TS1\" : \"0x10\"},\"ts\":1}",
    "{\"ph\":\"X\",\"args\":{\"TS1\" : \"0x10\"},\"ts\":1}" },
  { "{\"args\":{\"a\":1,\"b\":[2]},\"attr\":{\"a\":3,\"c\":4}}",
    "{\"args\":{\"b\":[2],\"a\":3,\"c\":4}}" },
  { "{\"attr\":{\"a\":3},\"ph\":\"X\",\"args\":{\"\\u0061\":1,\"b\":2}}",
    "{\"args\":{\"b\":2,\"a\":3},\"ph\":\"X\"}" },
  { "{\"args\":{},\"attr\":{\"a\":3}}", "{\"args\":{\"a\":3}}" },
  { "{\"args\":null,\"attr\":{\"a\":3}}", "{\"args\":{\"a\":3}}" },
  { "{\"args\":{\"a\":1},\"attr\":{}}", "{\"args\":{\"a\":1}}" },
  { "{\"attr\":{}}", "{\"args\":{}}" },
  /* What has no place in args stays where it is. */
  { "{\"args\":5,\"attr\":{\"a\":3}}", "{\"args\":5,\"attr\":{\"a\":3}}" },
  { "{\"args\":{\"a\":1},\"attr\":7}", "{\"args\":{\"a\":1},\"attr\":7}" },
  { "{\"args\": {\"attr\": {\"a\": 1}}}", "{\"args\":{\"attr\": {\"a\": 1}}}" },
  { "{\"name\": \"attr\", \"x\": 1}", "{\"name\":\"attr\",\"x\":1}" },
  /* Not even looked at. */
  { "{\"name\": \"str\", \"x\": 1}", "{\"name\": \"str\", \"x\": 1}" },
};

static void test_attr(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(attr_rows); i++) {
    Sink s;
    const char *raw = attr_rows[i].raw;
    sink_open(&s, one_lane, 1, 0, &default_options);
    MillEvent e = raw_event(raw, raw);
    MillBatch b = { .raw_ = raw };
    if (!CHECK_STR(write_events(&s, &b, &e, 1), attr_rows[i].wanted)) CHECK_ROW(raw);
    sink_close(&s);
  }
}

/* ---------------------------------------------------------------- pids=keep */
static const FakeLane aiu[] = { { .rank = 0, .base_ns = 0, .dialect = "aiu" },
                                { .rank = 7, .base_ns = 0, .dialect = "aiu" },
                                { .rank = 1007, .base_ns = 0, .dialect = "aiu" },
                                { .rank = 5, .base_ns = 0, .dialect = "kineto" },
                                { .rank = 9, .base_ns = 0 },
                                { .rank = 9, .base_ns = 0 } };

/* The pid that an event of this process is written with. */
static void expect_pid(uint32_t lane, MillValue process, const char *wanted)
{
  static const char raw[] = "{\"pid\":0}";
  Sink s;
  sink_open(&s, aiu, G_N_ELEMENTS(aiu), lane, &keep_options);
  MillEvent e = raw_event(raw, raw);
  e.track = fake_track(&s.fake, process, mill_int(1));
  MillBatch b = { .raw_ = raw, .lane = lane };
  const char *text = write_events(&s, &b, &e, 1);
  g_autofree char *start = g_strdup_printf("{\"pid\":%s}", wanted);
  if (!CHECK(g_str_has_prefix(text, start))) CHECK_ROW(text);
  sink_close(&s);
}

/* 1007 is both rank 7's host and rank 1007; two lanes are rank 9; PyTorch numbers alike. */
static void test_kept_pids(void)
{
  expect_pid(0, mill_int(0), "0");
  expect_pid(0, mill_int(1000), "1000");
  expect_pid(1, mill_int(7), "7");
  expect_pid(1, mill_int(1007), "20001007");
  expect_pid(2, mill_int(1007), "30001007");
  expect_pid(2, mill_int(2007), "2007");
  expect_pid(0, mill_int(7), "10000007");
  expect_pid(0, mill_int(-1), "19000000");
  expect_pid(3, mill_int(5), "40000005");
  expect_pid(4, mill_int(9), "50000009");
  expect_pid(5, mill_int(9), "60000009");
  expect_pid(0, mill_none(), "0");
}

static const char device_row[] =
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"flex\"}}";

/* Names of processes that keep their numbers stay too; those that a stage gave win. */
static void test_kept_names(void)
{
  Sink s;
  sink_open(&s, aiu, 2, 1, &keep_options);
  MillSym name = fake_symbol(&s.fake, "process_name"),
          sort = fake_symbol(&s.fake, "process_sort_index");
  MillAttr attrs[] = {
    { .key = fake_symbol(&s.fake, "name"),
      .type = MILL_SYM,
      .u.sym = fake_symbol(&s.fake, "Host7") },
    { .key = fake_symbol(&s.fake, "sort_index"), .type = MILL_INT, .u.i = 21 },
  };
  MillEvent e[4];
  e[0] = raw_event(device_row, device_row);
  e[0].kind = MILL_META;
  e[0].name = name;
  e[0].track = fake_track(&s.fake, mill_int(7), mill_int(0));
  e[1] = (MillEvent){ .kind = MILL_META, .name = name, .n_attrs = 1 };
  e[1].track = fake_track(&s.fake, mill_int(1007 + 0), mill_int(0));
  e[2] = (MillEvent){ .kind = MILL_META, .name = sort, .attrs = 1, .n_attrs = 1 };
  e[2].track = e[1].track;
  e[3] = e[0];
  e[3].track = e[1].track; /* what the input says of it comes later, and does not count */
  MillBatch b = { .raw_ = device_row, .lane = 1, .attrs = attrs, .n_attrs = 2 };
  CHECK_STR(
      write_events(&s, &b, e, 4),
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"flex\"}},\n"
      "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":7,\"args\":{\"sort_index\":7000}},\n"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1007,\"args\":{\"name\":\"Host7\"}},\n"
      "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":1007,\"args\":{\"sort_index\":21}}");
  sink_close(&s);
}

TEST_MAIN({ "attr", test_attr }, { "kept pids", test_kept_pids }, { "kept names", test_kept_names })
