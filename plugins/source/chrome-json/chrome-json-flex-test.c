/* The chrome-json source: what accelerator traces have of their own, in FLEX's form and in PyTorch's. */
/* SPDX-License-Identifier: MIT */
#include "chrome-json-test.h"

static const MillRead stamps[] = {
  { "TS1", MILL_AS_INT, MILL_KIND(MILL_SLICE) },   { "TS2", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "TS3", MILL_AS_INT, MILL_KIND(MILL_SLICE) },   { "TS4", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "TS5", MILL_AS_INT, MILL_KIND(MILL_SLICE) },   { "Power", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "bytes", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static void expect_stamps(const char *text, const char *wanted)
{
  expect_run(text, stamps, G_N_ELEMENTS(stamps), "", wanted);
}

/* 16 = 0x10; 4294967295 = 0xffffffff, the largest value of the counter. */
static void test_forms(void)
{
  expect_stamps(
      "[{\"ph\":\"X\",\"args\":{\"TS1\":16,\"TS2\":\"17\",\"TS3\":\"0x12\",\"TS4\":\"0xFFFFFFFF\","
      "\"TS5\":4294967295.0,\"Power\":\"0x9c4\"}}]",
      "X  p=- t=- TS1=16 TS2=17 TS3=18 TS4=4294967295 TS5=4294967295 Power=2500\n");
  static const MillRead real[] = { { "Power", MILL_AS_REAL, 0 } };
  expect_run("[{\"args\":{\"Power\":\"0x10\"}},{\"args\":{\"Power\":\"2.5\"}},{\"args\":{"
             "\"charge\":\"7\"}}]",
             real, 1, "", "?  p=- t=- Power=16.0\n?  p=- t=- Power=2.5\n?  p=- t=- Power=7.0\n");
}

static void test_cycles(void)
{
  expect_stamps("[{\"ph\":\"X\",\"args\":{\"cycles_ts\":[1, 2,\"3\",\"0x4\" ,5],\"charge\":6}}]",
                "X  p=- t=- TS1=1 TS2=2 TS3=3 TS4=4 TS5=5 Power=6\n");
  expect_stamps("[{\"args\":{\"charge\":\"0xff\",\"cycles_ts\":[1,2,3,4,5]},\"ph\":\"X\"}]",
                "X  p=- t=- TS1=1 TS2=2 TS3=3 TS4=4 TS5=5 Power=255\n");
  expect_stamps("[{\"ph\":\"i\",\"args\":{\"cycles_ts\":[1,2,3,4,5]}}]", "i  p=- t=-\n");
}

/* A stage that asks for some stamps, or for the list too, gets what it asks for. */
static void test_some_stamps(void)
{
  static const MillRead two[] = { { "TS2", MILL_AS_INT, 0 },
                                  { "cycles_ts", MILL_AS_INT, 0 },
                                  { "TS4", MILL_AS_REAL, 0 } };
  const char *text = "[{\"ph\":\"X\",\"args\":{\"cycles_ts\":[1,2,3,4,5],\"charge\":9}}]";
  expect_run(text, two, 1, "", "X  p=- t=- TS2=2\n");
  expect_run(
      text, two, 3, "",
      "X  p=- t=- cycles_ts=1 cycles_ts=2 cycles_ts=3 cycles_ts=4 cycles_ts=5 TS2=2 TS4=4.0\n");
  static const MillRead all[] = { { "*", MILL_AS_ANY, 0 } };
  expect_run(text, all, 1, "", "X  p=- t=- cycles_ts=`[1,2,3,4,5]` charge=9\n");
}

/* What an event calls by its own name counts, before the list or after it. */
static void test_own_names(void)
{
  const char *wanted = "X  p=- t=- TS3=30 Power=8 TS1=1 TS2=2 TS4=4 TS5=5\n";
  expect_stamps(
      "[{\"ph\":\"X\",\"args\":{\"cycles_ts\":[1,2,3,4,5],\"TS3\":30,\"charge\":7,\"Power\":8}}]",
      wanted);
  expect_stamps(
      "[{\"ph\":\"X\",\"args\":{\"TS3\":30,\"Power\":8,\"charge\":7,\"cycles_ts\":[1,2,3,4,5]}}]",
      wanted);
}

static void test_bad_cycles(void)
{
  static const char *const lists[] = {
    "[]", "[1,2,3,4]", "[1,2,3,4,5,6]", "\"1\"",          "null", "[1,2,null,4,5]",
    "{}", "7",         "[[1],2,3,4,5]", "[1,2,3,4,\"x\"]"
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
    g_autofree char *text = g_strdup_printf(
        "[{\"ph\":\"X\",\"args\":{\"cycles_ts\":%s,\"TS1\":4}},{\"ph\":\"X\"}]", lists[i]);
    expect_stamps(text, "X  p=- t=- TS1=4\nX  p=- t=-\nnote 40: 1\n");
  }
}

/* Of an event with both, attr wins, and nothing of args is lost. */
static void test_both(void)
{
  const char *wanted = "X  p=- t=- TS2=2 bytes=64 TS1=16\n";
  expect_stamps(
      "[{\"ph\":\"X\",\"args\":{\"TS1\":1,\"TS2\":2,\"bytes\":64},\"attr\":{\"TS1\":\"0x10\"}}]",
      wanted);
  expect_stamps(
      "[{\"ph\":\"X\",\"attr\":{\"TS1\":\"0x10\"},\"args\":{\"TS1\":1,\"TS2\":2,\"bytes\":64}}]",
      wanted);
  expect_stamps(
      "[{\"attr\":{\"TS1\":\"0x10\"},\"args\":{\"TS1\":1,\"TS2\":2,\"bytes\":64},\"ph\":\"X\"}]",
      wanted);
  expect_stamps(
      "[{\"ph\":\"X\",\"args\":null,\"attr\":{\"TS1\":1}},{\"ph\":\"X\",\"attr\":5,\"args\":{"
      "\"TS1\":2}},"
      "{\"ph\":\"X\",\"args\":{\"TS1\":3},\"attr\":\"x\"},{\"ph\":\"X\",\"args\":{},\"attr\":{}}]",
      "X  p=- t=- TS1=1\nX  p=- t=- TS1=2\nX  p=- t=- TS1=3\nX  p=- t=-\n");
  expect_stamps("[{\"ph\":\"X\",\"args\":{\"cycles_ts\":[1,2,3,4,5]},\"attr\":{\"TS5\":50}}]",
                "X  p=- t=- TS1=1 TS2=2 TS3=3 TS4=4 TS5=50\n");
}

/* The same with shapes that were learnt: each form comes often. */
static void test_both_often(void)
{
  g_autoptr(GString) text = g_string_new("["), wanted = g_string_new(NULL);
  for (unsigned i = 0; i < 40; i++) {
    g_string_append_printf(
        text, "%s{\"ph\":\"X\",\"args\":{\"bytes\":%u},\"attr\":{\"TS1\":%u},\"ts\":%u}",
        i ? "," : "", i, 100 + i, i);
    g_string_append_printf(wanted, "X  ts=%u p=- t=- bytes=%u TS1=%u\n", 1000 * i, i, 100 + i);
  }
  g_string_append_c(text, ']');
  expect_stamps(text->str, wanted->str);
}

#define WRITTEN_BY "\"otherData\":{\"Application\":\"Acelyzer: Trace Post-Processing Tool\"}"

/* Nothing of a processed trace is read, however broken the rest of it is. */
static void test_left_out(void)
{
  expect_run("{\"traceEvents\":[{\"ph\":\"X\"}]," WRITTEN_BY "}", NULL, 0, "d", "note 41: 1\n");
  expect_run("{" WRITTEN_BY ",\"a\":1,\"traceEvents\":[{\"ph\":\"X\"}", NULL, 0, "d",
             "note 41: 1\n");
  expect_run("{\"traceEvents\":[{\"ph\":\"X\"}],\"otherData\":{\"Application\":\"x\"}}", NULL, 0,
             "d", "X  p=- t=-\n>otherData={\"Application\":\"x\"}\n");
}

/* Known too late: they were read. */
static void test_known_late(void)
{
  expect_run("{\"traceEvents\":[{\"ph\":\"X\"}]," WRITTEN_BY "}", NULL, 0, "",
             "X  p=- t=-\n>otherData={\"Application\":\"Acelyzer: Trace Post-Processing "
             "Tool\"}\nnote 42: 1\n");
}

TEST_MAIN({ "forms of numbers", test_forms }, { "cycles_ts and charge", test_cycles },
          { "some stamps", test_some_stamps }, { "own names", test_own_names },
          { "bad lists", test_bad_cycles }, { "args and attr", test_both },
          { "args and attr often", test_both_often }, { "left out", test_left_out },
          { "known late", test_known_late })
