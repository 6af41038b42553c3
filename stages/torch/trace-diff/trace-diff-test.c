/* Tests of torch/trace-diff. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

/* mm: 10 us in two calls, 30 us in three: 20 us more.  The kernel k: 8 us against 3 us in one call each.  Of old and
 * fresh one side has one.  */
static void what_became_of_names(void)
{
  given_lane("rank=0 label=base");
  given("X aten::mm 0 4us cat=cpu_op", "X aten::mm 9us 6us cat=cpu_op", "X old 1us 7us cat=cpu_op",
        "X same 1us 2us cat=cuda_runtime", "X k 0 8us p=1 t=7 cat=kernel",
        "X mark 0 9us p=1 t=7 cat=gpu_user_annotation", "X wait 0 9us p=1 t=7 cat=cuda_sync",
        "X open 9us - cat=cpu_op", "i aten::mm 0 cat=cpu_op");
  given_lane("rank=0 label=new");
  given("X aten::mm 0 10us cat=cpu_op", "X aten::mm 20us 10us cat=cpu_op",
        "X aten::mm 40us 10us cat=cpu_op", "X same 1us 2us cat=cuda_runtime",
        "X k 0 3us p=1 t=7 cat=kernel", "X fresh 0 1us p=1 t=7 cat=gpu_memcpy");
  expect_table(
      "trace-diff",
      "CPU | old | 1 | 0 | 7000 | 0 | 7000 | 0 | - | - | -1 | -7000 | -7000 | deleted",
      "CPU | same | 1 | 1 | 2000 | 2000 | 2000 | 2000 | - | - | 0 | 0 | 0 | unchanged",
      "CPU | aten::mm | 2 | 3 | 10000 | 30000 | 8000 | 28000 | - | - | 1 | 20000 | 20000 | slower",
      "GPU | k | 1 | 1 | 8000 | 3000 | 8000 | 3000 | - | - | 0 | -5000 | -5000 | faster",
      "GPU | fresh | 0 | 1 | 0 | 1000 | 0 | 1000 | - | - | 1 | 1000 | 1000 | added");
  expect_table("trace-diff-totals", "CPU | 4 | 4 | 17000 | 30000 | 13000 | 0 | 0 | - | - | slower",
               "GPU | 1 | 2 | 8000 | 4000 | -4000 | 0 | 0 | - | - | faster");
}

/* Ranks of a side add up: a name is on both sides of the device apart from that of the host. */
static void ranks_add_up(void)
{
  given_lane("rank=0 label=base");
  given("X n 0 4us cat=cpu_op");
  given_lane("rank=1 label=base");
  given("X n 0 5us cat=cpu_op", "X n 0 1us cat=kernel");
  given_lane("rank=0 label=new");
  given("X n 0 2us cat=cpu_op");
  expect_table("trace-diff",
               "CPU | n | 2 | 1 | 9000 | 2000 | 9000 | 2000 | - | - | -1 | -7000 | -7000 | faster",
               "GPU | n | 1 | 0 | 1000 | 0 | 1000 | 0 | - | - | -1 | -1000 | -1000 | deleted");
}

/* Base has one step, new two: k takes 8 us a step, and then 2 * 8.04 (0.5 % more, as much as not), c 6 us and then 2 * 5.  A clock
 * that begins before zero makes no difference. */
static void a_step_against_a_step(void)
{
  given_lane("rank=0 label=base");
  given("X ProfilerStep#1 -9ms 20us cat=user_annotation", "X c -8999us 6us cat=cuda_runtime",
        "X k -9ms 8us p=1 t=7 cat=kernel");
  given_lane("rank=0 label=new");
  given("X ProfilerStep#4 0 20us cat=user_annotation",
        "X ProfilerStep#5 20us 20us cat=user_annotation", "X c 1us 5us cat=cuda_runtime",
        "X c 21us 5us cat=cuda_runtime", "X k 0 8040ns p=1 t=7 cat=kernel",
        "X k 20us 8040ns p=1 t=7 cat=kernel");
  expect_table(
      "trace-diff",
      "CPU | ProfilerStep#N | 1 | 2 | 20000 | 40000 | 14000 | 30000 | 14000 | 15000 | 1 | 20000 | "
      "16000 | slower",
      "CPU | c | 1 | 2 | 6000 | 10000 | 6000 | 10000 | 6000 | 5000 | 1 | 4000 | 4000 | faster",
      "GPU | k | 1 | 2 | 8000 | 16080 | 8000 | 16080 | 8000 | 8040 | 1 | 8080 | 8080 | unchanged");
  expect_table("trace-diff-totals",
               "CPU | 2 | 4 | 20000 | 40000 | 20000 | 1 | 2 | 20000 | 20000 | unchanged",
               "GPU | 1 | 2 | 8000 | 16080 | 8080 | 1 | 2 | 8000 | 8040 | unchanged");
}

static void without_labels(void)
{
  given("X n 0 4us cat=cpu_op");
  expect_notice(1, 1);
}

static void another_label(void)
{
  given_lane("rank=0 label=old");
  given("X n 0 4us cat=cpu_op");
  expect_notice(1, 1);
}

static void one_side_alone(void)
{
  given_lane("rank=0 label=new");
  given("X n 0 4us cat=cpu_op");
  expect_notice(1, 1);
}

static void a_side_that_has_a_rank_twice(void)
{
  given_lane("rank=0 label=base");
  given("X n 0 4us cat=cpu_op");
  given_lane("rank=0 label=base");
  given("X n 0 4us cat=cpu_op");
  given_lane("rank=0 label=new");
  given("X n 0 4us cat=cpu_op");
  expect_notice(1, 1);
}

HARNESS_MAIN({ "what became of names", what_became_of_names }, { "ranks add up", ranks_add_up },
             { "a step against a step", a_step_against_a_step },
             { "without labels", without_labels }, { "another label", another_label },
             { "one side alone", one_side_alone },
             { "a side that has a rank twice", a_side_that_has_a_rank_twice })
