/* Tests of torch/annotations. */
#include <stagemill/harness.h>

/* On the host 10 and 30 us: mean 20, squares of distances 200 / 1, root 14.1421356 us. */
static void by_side_and_name(void)
{
  given("X step 0 10us cat=user_annotation", "X step 50us 30us cat=user_annotation",
        "X step 60us 70us p=1 t=7 cat=gpu_user_annotation", "X aten::mm 0 5us cat=cpu_op",
        "i step 0 cat=user_annotation", "X open 9us - cat=user_annotation");
  expect_table("annotations", "0 | device | step | 1 | 70000 | 70000 | - | 70000 | 70000",
               "0 | host | step | 2 | 40000 | 20000 | 14142.1356 | 10000 | 30000");
}

static void without_annotations(void)
{
  given("X k 0 5us cat=kernel");
  expect_empty_table("annotations");
}

HARNESS_MAIN({ "by side and name", by_side_and_name },
             { "without annotations", without_annotations })
