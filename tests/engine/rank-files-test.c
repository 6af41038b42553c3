/* Files of one rank as one lane: which belong together (rank-files.c), by what time they come (join.c), and which job a slice is
 * of (job.c, of what spec.c keeps of an input). */
/* SPDX-License-Identifier: MIT */
#include "input/rank-files.h"

#include "engine.h"
#include "input/job.h"
#include "input/join.h"

#define JOINED(stages) stages ", \"join-ranks\": true"
#define TALLY JOINED("[{\"use\":\"tally\"}]")
#define J0 " jobname=in0.lines(0)"
#define J1 " jobname=in1.lines(1)"

/* By time, each file in its own order: "late" waits for "y", which stands before it.  Of equal times the first file's
 * goes first, and what has no time goes at once. */
static void test_order(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 7\ne x 1 1\ne y 30 1\ne late 2 1\n" },
                { NULL, "rank 7\ne - - 1\ne z 1 9\ne w 30 1\n" } },
    .stages = TALLY,
  };
  engine_check_all(&c,
                   "0 - - 1" J1 "\n0 x 1 1" J0 "\n0 z 1 9" J1 "\n0 y 30 1" J0 "\n0 late 2 1" J0
                   "\n0 w 30 1" J1 "\nend\n",
                   NULL);
}

/* Files that ran one after the other, three of them, the second one first; an empty one has no say. */
static void test_in_turn(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 0\ne d 40 1\ne e 50 1\n" },
                { NULL, "rank 0\ne a 1 1\ne b 2 1\n" },
                { NULL, "rank 0\n" },
                { NULL, "rank 0\ne c 30 1\n" } },
    .stages = TALLY,
  };
  engine_check_all(&c,
                   "0 a 1 1" J1 "\n0 b 2 1" J1 "\n0 c 30 1 jobname=in3.lines(3)\n0 d 40 1" J0
                   "\n0 e 50 1" J0 "\nend\n",
                   "lanes: rank,n,total\n  0,5,5\ngroups: n,lanes\n  5,?\ntotal [] = 5 ()\n");
}

/* Only rank 1 has two; another label is another experiment, and a file without a rank is a lane of its own. */
static void test_groups(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 1\ne a 5 1\n" },
                { NULL, "e b 1 1\n" },
                { NULL, "rank 1\ne c 2 1\n" },
                { "other", "rank 1\ne d 1 1\n" },
                { NULL, "rank 2\ne e 1 1\n" } },
    .stages = TALLY,
  };
  engine_check(&c,
               "0 c 2 1 jobname=in2.lines(1)\n0 a 5 1" J0
               "\nend\n--\n1 b 1 1 jobname=in1.lines(0)\nend\n--\n"
               "2 d 1 1 jobname=in3.lines(0)\nend\n--\n3 e 1 1 jobname=in4.lines(0)\nend\n",
               NULL);
}

/* 1,000 + 1 and 500 + 490: the second file's base is found at its end, and its times count from the first's. */
static void test_bases(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 0\nbase 1000\ne x 1 1\n" },
                { NULL, "rank 0\ne y 490 1\ne z 502 1\nlate-base 500\n" } },
    .stages = TALLY,
  };
  engine_check_all(&c, "0 y @990 1" J1 "\n0 x @1001 1" J0 "\n0 z @1002 1" J1 "\nend\n", NULL);
}

/* Members of all files, those of the first one where several have them. */
static void test_members(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 0\nmember k 1\ne x 1 1\n" },
                { NULL, "rank 0\nmember k 2\nmember other 3\ne y 2 1\n" } },
    .stages = TALLY,
  };
  engine_check_all(&c, "k: 1\nother: 3\n0 x 1 1" J0 "\n0 y 2 1" J1 "\nend\n", NULL);
}

/* A barrier holds the events: files that are joined are not read again.  Each lane votes for its largest time. */
static void test_barrier(void)
{
  const EngineCase c = {
    .inputs = { { NULL, "rank 0\ne x 1 1 3\n" }, { NULL, "rank 0\ne y 2 1 4\n" } },
    .stages = JOINED("[{\"use\":\"vote\"}]"),
  };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  CHECK(error == NULL);
  CHECK_INT(e.run->inputs->lanes->len, 1);
  CHECK_INT(e.run->inputs->list->len, 2);
  g_autofree char *events = engine_text(&e, "plain.txt"), *json = engine_text(&e, "run.json");
  CHECK(strstr(events, "0 x 1 1") && strstr(events, "0 y 2 1"));
  CHECK(strstr(json, "\"join_ranks\": true") != NULL);
  engine_end(&e);
}

/* What fails in one file fails the lane; a file of several runs cannot be part of one. */
static void test_failures(void)
{
  EngineCase c = { .inputs = { { NULL, "rank 0\ne x 1 1\n" }, { NULL, "rank 0\nfail now\n" } },
                   .stages = TALLY };
  engine_fails(&c, EXIT_INPUT, "LINES-02", "now");
  c.inputs[1].text = "rank 0\ne y 1 1\nnext\ne z 1 1\n";
  engine_fails(&c, EXIT_INPUT, "RUN-17", "in1.lines cannot be joined");
}

/* Without it nothing is joined, and nothing is added. */
static void test_apart(void)
{
  const EngineCase c = { .inputs = { { NULL, "rank 0\ne x 5 1\n" }, { NULL, "rank 0\ne y 1 1\n" } },
                         .stages = "[{\"use\":\"tally\"}]" };
  engine_check(&c, "0 x 5 1\nend\n--\n1 y 1 1\nend\n", NULL);
}

TEST_MAIN({ "order of events", test_order }, { "files one after the other", test_in_turn },
          { "which belong together", test_groups }, { "bases", test_bases },
          { "members", test_members }, { "barriers", test_barrier }, { "failures", test_failures },
          { "no joining", test_apart })
