/* Tests of torch/annotations. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

/* On the host 10 and 30 us: mean 20, squares of distances 200 / 1, root 14.1421356 us. */
static void by_side_and_name(void)
{
  given("X step 0 10us cat=user_annotation", "X step 50us 30us cat=user_annotation",
        "X step 60us 70us p=1 t=7 cat=gpu_user_annotation", "X aten::mm 0 5us cat=cpu_op",
        "i step 0 cat=user_annotation", "X open 9us - cat=user_annotation");
  expect_table("annotations",
               "0 | device | step | 1 | 70000 | 70000 | - | 70000 | 70000 | - | - | -",
               "0 | host | step | 2 | 40000 | 20000 | 14142.1356 | 10000 | 30000 | 0 | 0 | 0");
}

static void without_annotations(void)
{
  given("X k 0 5us cat=kernel");
  expect_empty_table("annotations");
}

/* Call 1 is in outer and inner, call 2 in outer alone, call 3 in nothing on its thread.  Outer: 10 + 20 + 5 us of work
 * from 50 to 140; inner: 10 us. */
static void work_within(void)
{
  given("X outer 0 40us t=1 cat=user_annotation", "X inner 10us 10us t=1 cat=user_annotation",
        "X launch 12us 2us t=1 cat=cuda_runtime {correlation=1}",
        "X launch 20us 2us t=1 cat=cuda_runtime {correlation=2}",
        "X launch 20us 2us t=2 cat=cuda_runtime {correlation=3}",
        "X k 50us 10us t=7 cat=kernel {correlation=1}",
        "X k 70us 20us t=7 cat=kernel {correlation=2}",
        "X k 100us 10us t=7 cat=kernel {correlation=3}",
        "X k 135us 5us t=7 cat=gpu_memcpy {correlation=2}");
  expect_table("annotations",
               "0 | host | outer | 1 | 40000 | 40000 | - | 40000 | 40000 | 35000 | 25000 | 90000",
               "0 | host | inner | 1 | 10000 | 10000 | - | 10000 | 10000 | 10000 | 10000 | 10000");
}

/* A range that is shown as an operator keeps its text here; one that overlaps another one, and does not enclose it, has
 * what was launched until it ends. */
static void whole_texts_and_overlaps(void)
{
  given("X aten::mm 0 30us t=1 cat=cpu_op {annotation=\"aten::mm, op_id = 7\"}",
        "X aten::add 5us 1us t=1 cat=cpu_op", "X late 20us 29us t=1 cat=user_annotation",
        "X launch 40us 2us t=1 cat=cuda_driver {correlation=4}",
        "X k 60us 10us t=7 cat=kernel {correlation=4}");
  expect_table("annotations",
               "0 | host | aten::mm, op_id = 7 | 1 | 30000 | 30000 | - | 30000 | 30000 | 0 | 0 | 0",
               "0 | host | late | 1 | 29000 | 29000 | - | 29000 | 29000 | 10000 | 10000 | 10000");
}

HARNESS_MAIN({ "work within", work_within },
             { "whole texts and overlaps", whole_texts_and_overlaps },
             { "by side and name", by_side_and_name },
             { "without annotations", without_annotations })
