/* Tests of torch/trace-diff. */
#include <stagemill/harness.h>

/* mm: 10 us in two calls, 30 us in three: 20 us more.  The kernel k: 8 us against 3 us in one call each.  Of old and
 * fresh one side has one.  */
static void what_became_of_names(void)
{
  given_lane("rank=0 label=base");
  given("X aten::mm 0 4us cat=cpu_op", "X aten::mm 9us 6us cat=cpu_op", "X old 1us 7us cat=cpu_op",
        "X same 1us 2us cat=cuda_runtime", "X k 0 8us p=1 t=7 cat=kernel",
        "X mark 0 9us p=1 t=7 cat=gpu_user_annotation", "X open 9us - cat=cpu_op",
        "i aten::mm 0 cat=cpu_op");
  given_lane("rank=0 label=new");
  given("X aten::mm 0 10us cat=cpu_op", "X aten::mm 20us 10us cat=cpu_op",
        "X aten::mm 40us 10us cat=cpu_op", "X same 1us 2us cat=cuda_runtime",
        "X k 0 3us p=1 t=7 cat=kernel", "X fresh 0 1us p=1 t=7 cat=gpu_memcpy");
  expect_table("trace-diff", "CPU | old | 1 | 0 | 7000 | 0 | -1 | -7000 | deleted",
               "CPU | same | 1 | 1 | 2000 | 2000 | 0 | 0 | unchanged",
               "CPU | aten::mm | 2 | 3 | 10000 | 30000 | 1 | 20000 | increased",
               "GPU | k | 1 | 1 | 8000 | 3000 | 0 | -5000 | unchanged",
               "GPU | fresh | 0 | 1 | 0 | 1000 | 1 | 1000 | added");
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
  expect_table("trace-diff", "CPU | n | 2 | 1 | 9000 | 2000 | -1 | -7000 | decreased",
               "GPU | n | 1 | 0 | 1000 | 0 | -1 | -1000 | deleted");
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
             { "without labels", without_labels }, { "another label", another_label },
             { "one side alone", one_side_alone },
             { "a side that has a rank twice", a_side_that_has_a_rank_twice })
