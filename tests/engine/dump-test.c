/* --dump-after: the stream after a stage as JSON lines, one file for each lane. */
/* SPDX-License-Identifier: MIT */
#include "sched/dump.h"

#include "engine.h"

static void check_dump(const char *after, const char *file, const char *wanted)
{
  GPtrArray *stages = engine_list(after, NULL);
  const EngineCase c = { .inputs = { { "a", "e a 10 5 7\ne gone 11 1\ne \"q - -1\n" },
                                     { "b", "e a 1 1\n" } },
                         .stages = "[{\"use\":\"echo\"},{\"use\":\"tally\"}]",
                         .options = { .dump_after = stages } };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  if (CHECK(error == NULL)) {
    g_autofree char *text = engine_text(&e, file);
    CHECK_STR(text, wanted);
  }
  engine_end(&e);
  g_ptr_array_unref(stages);
}

/* With what the stage keeps to itself, and the ordinals of what it emitted. */
static void test_lines(void)
{
  check_dump(
      "echo", "dump/echo.0.jsonl",
      "{\"kind\":\"slice\",\"name\":\"a\",\"ts_ns\":10,\"dur_ns\":5,\"pid\":1,\"tid\":\"a\","
      "\"seq\":0,"
      "\"attrs\":[[\"x\",7],[\"secret\",1]]}\n"
      "{\"kind\":\"slice\",\"name\":\"echo\",\"ts_ns\":10,\"dur_ns\":5,\"pid\":1,\"tid\":\"a\","
      "\"seq\":0,"
      "\"sub\":1}\n"
      "{\"kind\":\"slice\",\"name\":\"\\\"q\",\"pid\":1,\"tid\":\"\\\"q\",\"seq\":2,\"attrs\":[["
      "\"secret\",1]]}\n"
      "{\"kind\":\"instant\",\"name\":\"last\",\"ts_ns\":99,\"pid\":1,\"tid\":null,\"seq\":3}\n");
  check_dump(
      "tally", "dump/tally.1.jsonl",
      "{\"kind\":\"slice\",\"name\":\"a\",\"ts_ns\":1,\"dur_ns\":1,\"pid\":1,\"tid\":\"a\",\"seq\":"
      "0}\n"
      "{\"kind\":\"slice\",\"name\":\"echo\",\"ts_ns\":1,\"dur_ns\":1,\"pid\":1,\"tid\":\"a\","
      "\"seq\":0,"
      "\"sub\":1}\n"
      "{\"kind\":\"instant\",\"name\":\"last\",\"ts_ns\":99,\"pid\":1,\"tid\":null,\"seq\":1}\n");
}

static void test_others(void)
{
  check_dump("echo", "dump/tally.0.jsonl", "");
  check_dump("nothing", "dump/echo.0.jsonl", "");
}

TEST_MAIN({ "lines", test_lines }, { "stages that nobody asked for", test_others })
