/* Tests of gemm/gemm-variance: which rows, when, beside what, and groups.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(op, n) op "4:GEMM7:forward13:[[2,3],[3," n "]]11:[half,half]0:0:"
#define OP(time, gemm, row) \
  "X aten::mm 0 9us cat=cpu_op {tree_gemm=" gemm ", tree_subtree_ns=" time ", tree_row=\"" row "\"}"
#define PART(name, ts, dur, gemm) \
  "X " name " " ts " " dur " p=1 t=7 cat=kernel {tree_gemm=" gemm "}"
#define NCCL(name, ts, dur) \
  "X ncclKernel " ts " " dur " p=1 t=9 cat=kernel {Collective name=" name "}"
/* One call of one kernel. */
#define CALL(name, ts, dur, ns, gemm, row) OP(ns, gemm, row), PART(name, ts, dur, gemm)

#define FOUR ROW("8:aten::mm", "4")
#define FIVE ROW("8:aten::mm", "5")
#define CELLS(n) "aten::mm | 2 | " n " | 3 | 1 | false | | | half,half | | "

/* Of [2,3] x [3,4] calls of 10, 40 and 10 us; the longest is [100,130) and [120,140): 40 us.  Collectives: [90,110) beside 10,
 * [130,150) beside 10 (to 140), [135,136) beside 1, [140,145) touches.  25 %, twice; the first counts.  Covered: 100..110 and
 * 130..140 = 20.  The shortest begins first at 20, 80 us before.  Of [2,3] x [3,5] 7 and 9 us. */
static void given_calls(void)
{
  given(CALL("a", "20us", "10us", "10000", "0", FOUR), OP("40000", "1", FOUR),
        PART("a", "100us", "30us", "1"), PART("b", "120us", "20us", "1"),
        CALL("a", "200us", "10us", "10000", "2", FOUR),
        CALL("ab", "300us", "7us", "7000", "3", FIVE),
        CALL("ab", "320us", "9us", "9000", "4", FIVE), NCCL("allreduce", "90us", "20us"),
        NCCL("allgather", "130us", "20us"), NCCL("allreduce", "135us", "1us"),
        NCCL("broadcast", "140us", "5us"), "X Memset 0 1us p=1 t=7 cat=gpu_memset");
}

static void the_calls_of_a_row(void)
{
  given_lane("rank=0 tag.threads=256 tag.channels=28");
  given_calls();
  expect_table(
      "gemm-variance",
      "256 | 28 | 0 | " CELLS(
          "4") "a | 3 | 10000 | 40000 | 30000 | 20000 | 100000 | 80000 "
               "| 10000 | 40000 | 3 | allreduce;allgather;allreduce | 25 | allreduce | 20000 | -",
      "256 | 28 | 0 | " CELLS("5") "ab | 2 | 7000 | 9000 | 2000 | 300000 | 320000 | 20000 "
                                   "| 7000 | 9000 | 0 | | 0 | - | 0 | -");
  /* allreduce 10 + 1 us in one row. */
  expect_table("overlap-names", "allgather | 1 | 10000", "allreduce | 1 | 11000");
  expect_table("overlap-summary", "2 | 1 | 0 | 25 | 2");
  expect_metric("gemm_overlap", "mean", "12.5");
  expect_metric("gemm_spread", "max", "30000");
  expect_metric("gemm_spread", "mean", "16000");
  expect_metric("gemm_spread", "p50", "16000");
  expect_notice(1, 0);
}

/* Kernels that begin with "a" are "ab", too: the shortest of all is the 7 us of another GEMM, the longest the 30 us of one of
 * the row's two kernels: [100,130) lies beside [90,110), and [130,150) touches it.  Of 10 us 7 are off by more than 1 %, of 40
 * us 30 are, too; those of "ab" are right. */
static void kernels_by_prefix(void)
{
  with("match=prefix");
  given_calls();
  expect_table("gemm-variance",
               "- | - | 0 | " CELLS(
                   "4") "a | 3 | 10000 | 40000 | 30000 | 300000 | 100000 | 200000 "
                        "| 7000 | 30000 | 1 | allreduce | 33.3333333 | allreduce | 10000 | -",
               "- | - | 0 | " CELLS("5") "ab | 2 | 7000 | 9000 | 2000 | 300000 | 320000 | 20000 | "
                                         "7000 | 9000 | 0 | | 0 | - | 0 | -");
  expect_notice(2, 1);
}

static void a_tolerance_of_the_difference(void)
{
  with("match=prefix", "tolerance=30");
  given_calls();
  expect_notice(2, 0);
}

/* A call that only fills: with match=prefix there is no kernel to be found. */
static void a_row_without_kernels(void)
{
  with("match=prefix");
  given(OP("1000", "0", FOUR), "X Memset 10us 1us p=1 t=7 cat=gpu_memset {tree_gemm=0}");
  expect_table("gemm-variance",
               "- | - | 0 | " CELLS("4") "Memset | 1 | 1000 | 1000 | 0 | - | - | - "
                                         "| - | - | 0 | | - | - | 0 | -");
  expect_table("overlap-summary", "1 | 0 | 0 | - | 0");
  expect_notice(3, 1);
}

/* Two calls of 5 us: sorted by duration the first of them is the shortest and the last the longest. */
static void equal_calls(void)
{
  given(CALL("a", "10us", "5us", "5000", "0", FOUR), CALL("a", "30us", "5us", "5000", "1", FOUR));
  expect_table("gemm-variance",
               "- | - | 0 | " CELLS("4") "a | 2 | 5000 | 5000 | 0 | 10000 | 30000 "
                                         "| 20000 | 5000 | 5000 | 0 | | 0 | - | 0 | -");
}

static void only_the_largest_of_a_rank(void)
{
  with("top-k=1");
  given_calls();
  expect_table("overlap-summary", "1 | 1 | 0 | 25 | 1");
  expect_table("variance-points", "rank | 0 | 30000");
}

#define TWO(dur, ns) \
  CALL("a", "10us", "1us", "1000", "0", FOUR), CALL("a", "300us", dur, ns, "1", FOUR)

/* Differences: 256/28 rank 0: 10, rank 1: 20; 256/56: 30; 512/28: 140 us.  Of 28: 10, 20, 140: quartiles 15 and 80, nothing
 * beyond 80 + 97.5.  Of threads 256: 10, 20, 30. */
static void given_sweep(void)
{
  given_lane("rank=0 tag.threads=256 tag.channels=28 name=a.json");
  given(TWO("11us", "11000"));
  given_lane("rank=1 tag.threads=256 tag.channels=28 name=b.json");
  given(TWO("21us", "21000"));
  given_lane("rank=0 tag.threads=256 tag.channels=56 name=c.json");
  given(TWO("31us", "31000"));
  given_lane("rank=0 tag.threads=512 tag.channels=28 name=d.json");
  given(TWO("141us", "141000"));
  given_lane("rank=1 tag.threads=512 tag.channels=28 name=e.json");
  given("X k 0 1us cat=kernel");
}

static void groups_of_a_sweep(void)
{
  given_sweep();
  expect_table("variance-points", "channels | 28 | 10000", "channels | 28 | 20000",
               "channels | 28 | 140000", "channels | 56 | 30000", "rank | 0 | 10000",
               "rank | 0 | 30000", "rank | 0 | 140000", "rank | 1 | 20000", "threads | 256 | 10000",
               "threads | 256 | 20000", "threads | 256 | 30000", "threads | 512 | 140000");
  expect_table(
      "variance-groups",
      "channels | 28 | 3 | 56666.6667 | 20000 | 10000 | 140000 | 15000 | 80000 | 10000 | 140000 | "
      "0",
      "channels | 56 | 1 | 30000 | 30000 | 30000 | 30000 | 30000 | 30000 | 30000 | 30000 | 0",
      "rank | 0 | 3 | 60000 | 30000 | 10000 | 140000 | 20000 | 85000 | 10000 | 140000 | 0",
      "rank | 1 | 1 | 20000 | 20000 | 20000 | 20000 | 20000 | 20000 | 20000 | 20000 | 0",
      "threads | 256 | 3 | 20000 | 20000 | 10000 | 30000 | 15000 | 25000 | 10000 | 30000 | 0",
      "threads | 512 | 1 | 140000 | 140000 | 140000 | 140000 | 140000 | 140000 | 140000 | 140000 | "
      "0");
  expect_table("variance-interaction", "256 | 28 | 2 | 15000", "256 | 56 | 1 | 30000",
               "512 | 28 | 1 | 140000");
  expect_notice(1, 1);
}

static void what_was_read(void)
{
  given_sweep();
  expect_table("sweep", "0 | a.json | 2 | 2 | 1 | used", "1 | b.json | 2 | 2 | 1 | used",
               "0 | c.json | 2 | 2 | 1 | used", "0 | d.json | 2 | 2 | 1 | used",
               "1 | e.json | 1 | 0 | 0 | no-gemm");
}

/* Two traces of one rank, and no tags: their names tell their rows apart. */
static void equal_ranks(void)
{
  given_lane("rank=0 name=a.json");
  given(TWO("2us", "2000"));
  given_lane("rank=0 name=b.json");
  given(TWO("3us", "3000"));
  expect_table("gemm-variance",
               "- | - | 0 | " CELLS("4") "a | 2 | 1000 | 3000 | 2000 | 10000 | 300000 | 290000 | "
                                         "1000 | 3000 | 0 | | 0 | - | 0 | b.json",
               "- | - | 0 | " CELLS("4") "a | 2 | 1000 | 2000 | 1000 | 10000 | 300000 | 290000 | "
                                         "1000 | 2000 | 0 | | 0 | - | 0 | a.json");
}

/* 1, 2, 3, 4 and 100 us: quartiles 2 and 4, whiskers up to 4 + 3: 1 to 4, and 100 beyond. */
static void outliers(void)
{
  static const char *const lanes[] = { "rank=0", "rank=0 name=b", "rank=0 name=c", "rank=0 name=d",
                                       "rank=0 name=e" };
  given_lane(lanes[0]);
  given(TWO("2us", "2000"));
  given_lane(lanes[1]);
  given(TWO("3us", "3000"));
  given_lane(lanes[2]);
  given(TWO("4us", "4000"));
  given_lane(lanes[3]);
  given(TWO("5us", "5000"));
  given_lane(lanes[4]);
  given(TWO("101us", "101000"));
  expect_table("variance-groups",
               "rank | 0 | 5 | 22000 | 3000 | 1000 | 100000 | 2000 | 4000 | 1000 | 4000 | 1");
}

static void nothing_is_no_row(void)
{
  given(NCCL("allreduce", "0", "1us"));
  expect_empty_table("gemm-variance");
  expect_empty_table("overlap-summary");
  expect_empty_table("variance-groups");
  expect_metric("gemm_spread", "max", NULL);
  expect_metric("gemm_overlap", "mean", NULL);
  expect_notice(1, 1);
}

HARNESS_MAIN({ "the calls of a row", the_calls_of_a_row },
             { "kernels by prefix", kernels_by_prefix },
             { "a tolerance of the difference", a_tolerance_of_the_difference },
             { "a row without kernels", a_row_without_kernels }, { "equal calls", equal_calls },
             { "only the largest of a rank", only_the_largest_of_a_rank },
             { "groups of a sweep", groups_of_a_sweep }, { "what was read", what_was_read },
             { "equal ranks", equal_ranks }, { "outliers", outliers },
             { "nothing is no row", nothing_is_no_row })
