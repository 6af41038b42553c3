/* What instances reported, put together: columns that say where a row comes from, names of a stage that is used
 * twice, notices of all. */
/* SPDX-License-Identifier: MIT */
#include "results/collect.h"

#include "engine.h"
#include "model/engine.h"

/* Ranks are enough until one is missing or there twice; labels and tags have columns when some lane has one. */
static void test_lane_columns(void)
{
  static const struct {
    EngineInput inputs[2];
    const char *columns;
  } rows[] = {
    { { { NULL, "rank 0\n" }, { NULL, "rank 1\n" } }, "rank,n,total" },
    { { { NULL, "rank 1\n" }, { NULL, "rank 1\n" } }, "rank,input,n,total" },
    { { { NULL, "rank 0\n" }, { NULL, "" } }, "rank,input,n,total" },
    { { { NULL, "rank 0\n" }, { "l", "rank 1\n" } }, "rank,label,n,total" },
    { { { NULL, "rank 0\ntag b=1\n" }, { "l", "tag a=1\n" } }, "rank,input,label,b,a,n,total" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    EngineCase c = { .stages = "[{\"use\":\"tally\"}]" };
    Engine e;
    memcpy(c.inputs, rows[i].inputs, sizeof rows[i].inputs);
    engine_begin(&e);
    g_autoptr(Error) error = engine_execute(&e, &c);
    if (CHECK(error == NULL)) {
      g_autofree char *text = engine_text(&e, "results.txt");
      g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
      const char *names = strstr(lines[0], ": ");
      if (g_str_has_prefix(lines[0], "RUN-20")) names = strstr(lines[1], ": ");
      CHECK_STR(names ? names + 2 : NULL, rows[i].columns);
    }
    engine_end(&e);
  }
}

/* The second use has its id before its names. */
static void test_names(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 0\ne a 1 1\n" } },
    .stages = "[{\"use\":\"tally\"},{\"use\":\"echo\"},{\"use\":\"tally\",\"as\":\"after-echo\"}]"
  };
  engine_check_all(&c, NULL,
                   "lanes: rank,n,total\n  0,1,1\ngroups: n,lanes\n  1,?\n"
                   "after-echo-lanes: rank,n,total\n  0,3,1\nafter-echo-groups: n,lanes\n  3,?\n"
                   "total [] = 1 ()\nafter_echo_total [] = 1 ()\n");
}

/* The engine's, then sources', then stages' in their order; the example is that of the first lane and event. */
static void test_notices(void)
{
  const EngineCase c = { .inputs = { { NULL, "rank 5\nnote\nnote\ne a 1 1\ne odd 2 1\n" },
                                     { NULL, "rank 5\nnote\ne odd 1 1\ne odd 2 1\n" } },
                         .stages = "[{\"use\":\"tally\"}]" };
  for (uint32_t jobs = 1; jobs < 3; jobs++) {
    Engine e;
    EngineCase way = c;
    way.options.jobs = jobs;
    engine_begin(&e);
    g_autoptr(Error) error = engine_execute(&e, &way);
    if (CHECK(error == NULL)) {
      g_autofree char *text = engine_text(&e, "results.txt");
      const char *wanted =
          "RUN-20 1 input has the same rank as another input (first: in1.lines)\n"
          "LINES-01 3 lines are odd\n"
          "TALLY-01 3 events in 2 inputs (1 of in0.lines, 2 of in1.lines) are odd\n";
      CHECK(g_str_has_suffix(text, wanted) || !CHECK_ROW(text));
    }
    engine_end(&e);
  }
}

static void test_info(void)
{
  const EngineCase c = { .inputs = { { NULL, "tag m=1\ne a 1 1\nnext\ne a 1 1\n" },
                                     { NULL, "tag k=1\n" } },
                         .stages = "[{\"use\":\"tally\"}]" };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  if (CHECK(error == NULL)) {
    static const struct {
      const char *key, *wanted;
    } rows[] = {
      { "program", "stagemill" }, { "profile", "t" }, { "inputs", "2" }, { "lanes", "3" },
      { "events", "2" },          { "tags", "m,k" },  { "title", "" }
    };
    const MillResults *r = run_results(e.run);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
      const char *got = r->info(r, rows[i].key);
      CHECK_STR(got ? got : "", rows[i].wanted);
    }
    CHECK_INT(inputs_n_events(e.run->inputs), 2);
  }
  engine_end(&e);
}

/* A sum at the end of what its type holds went beyond it: in the row of the lane, and the metric. */
static void test_clipped(void)
{
  static const struct {
    const char *text;
    uint64_t count;
  } rows[] = { { "e a 1 9223372036854775807\n", 2 }, { "e a 1 9223372036854775806\n", 0 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const EngineCase c = { .inputs = { { NULL, rows[i].text } },
                           .stages = "[{\"use\":\"tally\"}]" };
    Engine e;
    engine_begin(&e);
    g_autoptr(Error) error = engine_execute(&e, &c);
    CHECK(error == NULL);
    CHECK_INT(e.run->aside.notices.counts[notices_find(engine_stage(), ENGINE_CLIPPED)].count,
              rows[i].count);
    engine_end(&e);
  }
}

TEST_MAIN({ "columns of lanes", test_lane_columns }, { "a stage used twice", test_names },
          { "notices", test_notices }, { "clipped sums", test_clipped },
          { "what is known of the run", test_info })
