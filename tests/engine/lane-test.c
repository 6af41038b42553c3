/* One lane through its segments: the order of stages, what they emit and drop, what is flushed, and how a stage or
 * source that fails ends it.  The units are lane.c and lanes.c. */
/* SPDX-License-Identifier: MIT */
#include "sched/lane.h"

#include "engine.h"
#include "model/lane-names.h"
#include "sched/lanes.h"

#define STAGE(name) "[{\"use\":\"" name "\"}]"

static void test_events(void)
{
  const EngineCase c = {
    .inputs = { { "a",
                  "rank 4\nmember before 1\ne b 10 5 7\ne c - 1\ne d 3 0\nmember after [2]\n" } },
    .stages = STAGE("tally")
  };
  engine_check_all(
      &c, "before: 1\n0 b 10 5 x=7\n0 c - 1\n0 d 3 0\nend\nafter: [2]\n",
      "lanes: rank,label,n,total\n  4,a,3,6\ngroups: n,lanes\n  3,a\ntotal [] = 6 ()\n");
}

/* What one stage emits goes through those after it, and nothing of what it dropped. */
static void test_emit_and_drop(void)
{
  const EngineCase c = { .inputs = { { "a", "e a 10 5\ne gone 11 1\ne b 12 1\n" } },
                         .stages = "[{\"use\":\"echo\"},{\"use\":\"tally\"}]" };
  engine_check_all(&c, "0 a 10 5\n0 echo 10 5\n0 b 12 1\n0 last 99 -1\nend\n", NULL);
}

/* Two that flush: what the first lets go passes the second before that is flushed. */
static void test_flush_order(void)
{
  const EngineCase c = { .inputs = { { "a", "e b 1 1\n" } },
                         .stages = "[{\"use\":\"echo\"},{\"use\":\"echo\",\"as\":\"again\"}]" };
  engine_check_all(&c, "0 b 1 1\n0 last 99 -1\n0 last 99 -1\nend\n", NULL);
}

/* At the start of each batch; the ordinal is that before the first event's. */
static void test_at_start(void)
{
  const EngineCase c = { .inputs = { { "a", "e b 1 1\ne c 2 1\ne d 3 1\n" } },
                         .stages = "[{\"use\":\"echo\",\"with\":{\"first\":true}}]",
                         .options = { .batch_events = 2 } };
  engine_check(&c, "0 first 1 1\n0 b 1 1\n0 c 2 1\n0 first 3 1\n0 d 3 1\n0 last 99 -1\nend\n",
               NULL);
}

static void test_lanes_of_one_input(void)
{
  const EngineCase c = { .inputs = { { "a",
                                       "rank 1\ne b 1 1\nnext\ne c 2 1\nnext\nnext\ne d 3 1\n" } },
                         .stages = STAGE("tally") };
  engine_check_all(&c, "0 b 1 1\nend\n--\n1 c 2 1\nend\n--\nend\n--\n3 d 3 1\nend\n", NULL);
}

static void test_failures(void)
{
  static const struct {
    const char *text, *code, *what;
  } rows[] = { { "e b 1 1\nfail no more\n", "LINES-02", "no more" },
               { "fail at once\n", "LINES-02", "at once" },
               { "e a 1 1\ne bad 2 1\ne c 3 1\n", "ECHO-00", "a bad event" } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const EngineCase c = { .inputs = { { "a", rows[i].text } }, .stages = STAGE("echo") };
    engine_fails(&c, EXIT_INPUT, rows[i].code, rows[i].what);
  }
}

/* Every lane is worked on once, whatever the number of threads. */
static _Atomic int worked[MAX_INPUTS];

static void work(Run *run, Lane *lane)
{
  CHECK(run_lane(run, lane->info->index) == lane);
  worked[lane->info->index]++;
}

static void test_each_lane(void)
{
  const EngineCase c = {
    .inputs = { { "a", "e b 1 1\n" }, { "b", "e b 1 1\n" }, { "c", "e b 1 1\n" } },
    .stages = STAGE("tally"),
    .options = { .jobs = 2 }
  };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
  if (!error) error = engine_plan(&e, &c);
  if (CHECK(error == NULL)) {
    run_each_lane(e.run, e.run->lanes.list, work);
    for (int l = 0; l < 3; l++) CHECK_INT(worked[l], 1);
    CHECK(run_lane(e.run, 3) == NULL);
    CHECK(!run_cancelled(e.run));
    run_cancel(e.run, EXIT_LIMIT);
    g_autoptr(Error) stopped = run_cancelled(e.run) ? run_stopped(e.run) : NULL;
    if (CHECK(stopped != NULL)) CHECK_STR(stopped->code, "RUN-10");
    g_autoptr(Error) again = run_execute(e.run);
    if (CHECK(again != NULL)) CHECK_INT(again->status, EXIT_LIMIT);
  }
  engine_end(&e);
}

static void test_tag_names(void)
{
  const EngineCase c = { .inputs = { { NULL, "tag b=1\ntag a=2\ne x 1 1\n" },
                                     { NULL, "tag a=1\ntag c=1\ne x 1 1\n" } },
                         .stages = STAGE("tally") };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
  if (CHECK(error == NULL)) {
    g_autofree char **names = lane_names_tags(e.run->inputs->lanes);
    g_autofree char *text = g_strjoinv(",", names);
    CHECK_STR(text, "b,a,c");
  }
  engine_end(&e);
}

TEST_MAIN({ "events and members", test_events }, { "emitted and dropped", test_emit_and_drop },
          { "flushed front to back", test_flush_order }, { "emitted at the start", test_at_start },
          { "several lanes of one input", test_lanes_of_one_input }, { "failures", test_failures },
          { "each lane once", test_each_lane }, { "names of tags", test_tag_names })
