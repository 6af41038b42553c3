/* Tests of torch/op-summary: what operators add up to.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define OP(name, ts, direct, subtree, kernels, category, row)                             \
  "X " name " " ts " 9us cat=cpu_op {tree_direct_ns=" direct ", tree_subtree_ns=" subtree \
  ", tree_kernels=" kernels ", tree_category=" category ", tree_row=\"" row "\"}"
#define ROW_MM "8:aten::mm4:GEMM7:forward13:[[2,3],[3,4]]18:['f','f','f','ff']0:0:"
#define ROW_MM2 "8:aten::mm4:GEMM8:backward13:[[5,5],[5,5]]0:0:0:"
#define ROW_FILL "11:aten::fill_11:elementwise7:forward0:0:0:0:"
#define ROW_FILL2 "11:aten::fill_5:other7:forward0:0:0:0:"
#define KERNEL(name, dur, row) "X " name " 50us " dur " p=1 t=7 cat=kernel {tree_row=\"" row "\"}"

static void nothing_is_no_number(void)
{
  given("X aten::mm 0 5us cat=cpu_op");
  expect_empty_table("ops");
  expect_metric("op_time", NULL, NULL);
  expect_notice(1, 1);
}

/* aten::mm: 10 + 30 us, with other arguments 20; aten::fill_ 25 and 15, by kernels of two kinds: of 100 us. */
static void two_names(void)
{
  given(OP("aten::mm", "7us", "10000", "11000", "1", "GEMM", ROW_MM),
        OP("aten::mm", "5us", "30000", "30000", "2", "GEMM", ROW_MM),
        OP("aten::mm", "8us", "20000", "20000", "1", "GEMM", ROW_MM2),
        OP("aten::fill_", "3us", "25000", "25000", "1", "other", ROW_FILL2),
        OP("aten::fill_", "1us", "15000", "15000", "1", "elementwise", ROW_FILL));
}

static void by_name(void)
{
  two_names();
  expect_table("ops", "aten::mm | GEMM | 3 | 60000 | 61000 | 4 | 60 | 60",
               "aten::fill_ | elementwise, other | 2 | 40000 | 40000 | 2 | 40 | 100");
  expect_table("ops-rank", "0 | aten::mm | GEMM | 3 | 60000 | 61000 | 4 | 60 | 60",
               "0 | aten::fill_ | elementwise, other | 2 | 40000 | 40000 | 2 | 40 | 100");
  expect_metric("op_time", NULL, "100000");
}

static void by_category(void)
{
  two_names();
  expect_table("ops-category", "GEMM | 3 | 60000 | 60 | 60", "other | 1 | 25000 | 25 | 85",
               "elementwise | 1 | 15000 | 15 | 100");
  expect_empty_table("modules");
}

/* 10 and 30 us: mean and median 20; squares of distances 2 * 100, / 1, root 14.142135624. */
static void by_arguments(void)
{
  two_names();
  expect_table(
      "ops-args",
      "aten::mm | GEMM | forward | [[2,3],[3,4]] | ['f','f','f','ff'] | | | 2 | 40000 | 20000 | "
      "20000 | 14142.135624 | 10000 | 30000 | 3 | | 40 | 5000",
      "aten::fill_ | other | forward | | | | | 1 | 25000 | 25000 | 25000 | - | 25000 | 25000 | 1 | "
      "| 25 | 3000",
      "aten::mm | GEMM | backward | [[5,5],[5,5]] | | | | 1 | 20000 | 20000 | 20000 | - | 20000 | "
      "20000 | 1 | | 20 | 8000",
      "aten::fill_ | elementwise | forward | | | | | 1 | 15000 | 15000 | 15000 | - | 15000 | 15000 "
      "| 1 | | 15 | 1000");
}

/* Over two ranks: splitk 4 + 4 us, gemm 7; communication is no kernel of the row. */
static void the_kernel_with_the_largest_time(void)
{
  given_lane("rank=0");
  given(OP("aten::fill_", "9us", "9000", "9000", "2", "other", ROW_FILL2),
        KERNEL("gemm", "7us", ROW_FILL2), KERNEL("splitk", "4us", ROW_FILL2),
        KERNEL("ncclX", "100us", ROW_FILL2));
  given_lane("rank=1");
  given(OP("aten::fill_", "2us", "4000", "4000", "1", "other", ROW_FILL2),
        KERNEL("splitk", "4us", ROW_FILL2));
  expect_table("ops-args",
               "aten::fill_ | other | forward | | | | | 2 | 13000 | 6500 | 6500 | 3535.5339059 | "
               "4000 | 9000 | 3 | splitk | 100 | 2000");
  expect_table("ops-rank", "0 | aten::fill_ | other | 1 | 9000 | 9000 | 2 | 100 | 100",
               "1 | aten::fill_ | other | 1 | 4000 | 4000 | 1 | 100 | 100");
}

/* Five calls; two may be kept. */
static void more_calls_than_are_kept(void)
{
  with("exact-up-to=2");
  two_names();
  expect_notice(2, 1);
  harness_clear();
  with("exact-up-to=5");
  two_names();
  expect_notice(2, 0);
}

static void by_module(void)
{
  given("X aten::mm 0 9us cat=cpu_op {tree_direct_ns=3000, tree_kernels=1, tree_category=GEMM, "
        "tree_module=A/B, "
        "tree_row=\"" ROW_MM "\"}",
        "X aten::mm 0 9us cat=cpu_op {tree_direct_ns=1000, tree_kernels=1, tree_category=GEMM, "
        "tree_module=A, "
        "tree_row=\"" ROW_MM "\"}",
        "X aten::mm 0 9us cat=cpu_op {tree_direct_ns=4000, tree_kernels=1, tree_category=GEMM, "
        "tree_row=\"" ROW_MM "\"}");
  expect_table("modules", "A/B | 1 | 3000 | 75", "A | 1 | 1000 | 25");
}

static void groups_by_tag(void)
{
  with("by=threads");
  given_lane("rank=0 tag.threads=256");
  given(OP("aten::mm", "7us", "10000", "10000", "1", "GEMM", ROW_MM));
  given_lane("rank=0 tag.threads=512");
  given(OP("aten::mm", "7us", "30000", "30000", "1", "GEMM", ROW_MM));
  expect_table("ops-category", "256 | GEMM | 1 | 10000 | 100 | 100",
               "512 | GEMM | 1 | 30000 | 100 | 100");
}

/* Of 70 us of a region 30 are of a product and 40 of elementwise work, each with one call; beside an operator of 30 us.  A rule
 * of the file takes all of it. */
#define ROW_REGION "6:Region17:GEMM, elementwise7:forward0:0:0:0:"
#define PART(name, category, ns, more)                                               \
  "X " name " 50us 40us p=1 t=7 cat=kernel {tree_op=Region, tree_category=" category \
  ", tree_part_ns=" ns ", " more "tree_row=\"" ROW_REGION "\"}"
static void a_region(void)
{
  given(PART("t", "elementwise", "30000", "tree_part_first=true, "),
        "X Region 1us 9us cat=cpu_op {tree_direct_ns=70000, tree_subtree_ns=70000, tree_kernels=3, "
        "tree_split=true, tree_category=\"GEMM, elementwise\", tree_row=\"" ROW_REGION "\"}",
        PART("gemm", "GEMM", "30000", "tree_part_first=true, "),
        PART("t", "elementwise", "10000", ""), PART("ncclX", "communication", "-", ""),
        OP("aten::mm", "7us", "30000", "30000", "1", "GEMM", ROW_MM));
}

static void a_region_is_split(void)
{
  a_region();
  expect_table("ops-category", "GEMM | 2 | 60000 | 60 | 60", "elementwise | 1 | 40000 | 40 | 100");
  expect_table("ops", "Region | GEMM, elementwise | 1 | 70000 | 70000 | 3 | 70 | 70",
               "aten::mm | GEMM | 1 | 30000 | 30000 | 1 | 30 | 100");
  expect_metric("op_time", NULL, "100000");
  harness_clear();
  with("category-file=[{\"name\": \"Region\", \"category\": \"mine\"}]");
  a_region();
  expect_table("ops-category", "mine | 1 | 70000 | 70 | 70", "GEMM | 1 | 30000 | 30 | 100");
}

/* The first rule that fits wins over what the name or the kernels say, in all tables. */
static void categories_from_a_file(void)
{
  with("category-file=[{\"name\": \"fill\", \"category\": \"mine\"}, {\"name\": \"aten\", "
       "\"category\": \"all\"}]");
  given(
      OP("aten::mm", "7us", "10000", "10000", "1", "GEMM", ROW_MM2),
      OP("aten::fill_", "3us", "30000", "30000", "1", "other", ROW_FILL2),
      OP("hipMemcpy", "1us", "60000", "60000", "1", "other", "9:hipMemcpy5:other7:forward0:0:0:0:"),
      KERNEL("k", "10us", ROW_MM2));
  expect_table("ops-category", "other | 1 | 60000 | 60 | 60", "mine | 1 | 30000 | 30 | 90",
               "all | 1 | 10000 | 10 | 100");
  expect_table("ops-args",
               "hipMemcpy | other | forward | | | | | 1 | 60000 | 60000 | 60000 | - | 60000 | "
               "60000 | 1 | | 60 | 1000",
               "aten::fill_ | mine | forward | | | | | 1 | 30000 | 30000 | 30000 | - | 30000 | "
               "30000 | 1 | | 30 | 3000",
               "aten::mm | all | backward | [[5,5],[5,5]] | | | | 1 | 10000 | 10000 | 10000 | - | "
               "10000 | 10000 | 1 | k | 10 | 7000");
}

static void a_category_file_that_is_wrong(void)
{
  static const char *const files[] = {
    "category-file={}",
    "category-file=[1]",
    "category-file=[{\"name\": \"(\", \"category\": \"x\"}]",
    "category-file=[{\"name\": \"x\"}]",
    "category-file=[{\"name\": \"x\", \"category\": 1}]",
    "category-file=[{\"nam\": \"x\"}]",
    "category-file=[",
    "category-file=none.json",
    "category-file=[] 1",
    "category-file=[{\"name\": \"x\", \"name\": \"y\", \"category\": \"z\"}]"
  };
  for (uint32_t i = 0; i < MILL_COUNT(files); i++) {
    harness_clear();
    with(files[i]);
    given("M m -");
    expect_status(MILL_STAGE_FAILED);
  }
}

/* Within a graph launch the first kernel stands for its operator: 8 + 4 us of a product, in one call of two kernels. */
static void operators_within_a_graph_launch(void)
{
  given("X gemm 50us 8us p=1 t=7 cat=kernel {tree_op=aten::mm, tree_category=GEMM, "
        "tree_module=Net, tree_direct_ns=11000, tree_subtree_ns=12000, tree_kernels=2, "
        "tree_row=\"" ROW_MM "\"}",
        "X splitk 55us 4us p=1 t=7 cat=kernel {tree_op=aten::mm, tree_category=GEMM, "
        "tree_row=\"" ROW_MM "\"}");
  expect_table("ops", "aten::mm | GEMM | 1 | 11000 | 12000 | 2 | 100 | 100");
  expect_table("ops-args", "aten::mm | GEMM | forward | [[2,3],[3,4]] | ['f','f','f','ff'] | | | 1 "
                           "| 11000 | 11000 | 11000 | - | 11000 | 11000 | 2 | gemm | 100 | 50000");
  expect_table("modules", "Net | 1 | 11000 | 100");
}

HARNESS_MAIN({ "operators within a graph launch", operators_within_a_graph_launch },
             { "nothing is no number", nothing_is_no_number }, { "by name", by_name },
             { "by category", by_category }, { "by arguments", by_arguments },
             { "the kernel with the largest time", the_kernel_with_the_largest_time },
             { "more calls than are kept", more_calls_than_are_kept }, { "by module", by_module },
             { "groups by tag", groups_by_tag }, { "a region is split", a_region_is_split },
             { "categories from a file", categories_from_a_file },
             { "a category file that is wrong", a_category_file_that_is_wrong })
