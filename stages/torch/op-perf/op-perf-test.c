/* Tests of torch/op-perf: rates and rooflines.  Events come as torch/host-tree leaves them. */
#include <stagemill/harness.h>

/* 2 * 200 * 300 * 400 = 48e6 operations; (60e3 + 120e3 + 80e3) * 2 = 520e3 bytes. */
#define ROW_MM "8:aten::mm4:GEMM7:forward21:[[200,300],[300,400]]20:['half','c10::Half']0:0:"
#define ROW_STRIDES \
  "8:aten::mm4:GEMM7:forward21:[[200,300],[300,400]]20:['half','c10::Half']5:[1,1]0:"
#define ROW_ADD "9:aten::add11:elementwise8:backward18:[[1000],[1000],[]]17:['float','float']0:0:"
#define ROW_BARE "8:aten::mm4:GEMM7:forward0:0:0:0:"
#define ROW_TRITON "18:triton_poi_fused_06:triton7:forward8:[[1000]]9:['float']0:0:"
#define OP(name, subtree, row) \
  "X " name " 0 9us cat=cpu_op {tree_model=true, tree_subtree_ns=" subtree ", tree_row=\"" row "\"}"

/* In 10 and 30 us: 4.8 and 1.6 TFLOP/s, mean 3.2, std 2.2627417; 0.052 and 0.0173333 TB/s, mean 0.0346667, std
 * 0.0245130.  Strides make no difference. */
static void products(void)
{
  given(OP("aten::mm", "10000", ROW_MM), OP("aten::mm", "30000", ROW_STRIDES),
        "X aten::mm 0 9us cat=cpu_op {tree_subtree_ns=5, tree_row=\"" ROW_MM "\"}");
}

#define MM_CELLS                                                                                  \
  "aten::mm | GEMM | forward | matrix_fp16 | M=200, N=400, K=300, bias=false | "                  \
  "[[200,300],[300,400]] | "                                                                      \
  "['half','c10::Half'] | 2 | 48000000 | 520000 | 92.3076923 | 40000 | 20000 | 20000 | "          \
  "14142.1356 | 10000 | "                                                                         \
  "30000 | 2.4 | 3.2 | 3.2 | 2.26274170 | 1.6 | 4.8 | 0.026 | 0.0346666666665 | 0.0346666666665 " \
  "| "                                                                                            \
  "0.0245130350813 | "                                                                            \
  "0.017333333333 | 0.052 | "

static void rates_of_calls(void)
{
  products();
  expect_table("op-perf", MM_CELLS "- | - | - | - | dims");
  expect_notice(2, 1);
}

/* MI300X: 48e6 / 654e12 = 73.394 ns of operations, 520e3 / 5300e9 = 98.113 ns of bytes: bound by memory, 0.4906 % of
 * 20 us. */
static void a_known_device(void)
{
  with("arch=MI300X");
  products();
  expect_table("op-perf", MM_CELLS "98.1132075 | memory | 0.490566038 | false | dims");
  expect_notice(2, 0);
}

/* 10 TFLOP/s: 4800 ns, 1000 GB/s: 520 ns. */
static void a_device_from_a_file(void)
{
  with("arch={\"name\": \"x\", \"mem_bw_gbps\": 1000, \"max_achievable_tflops\": {\"matrix_fp16\": "
       "10}}");
  products();
  expect_table("op-perf", MM_CELLS "4800 | compute | 24 | false | dims");
}

static void a_file_that_is_wrong(void)
{
  static const char *const files[] = {
    "arch={\"mem_bw_gbps\": \"fast\"}",
    "arch={\"max_achievable_tflops\": {}}",
    "arch={\"mem_bw_gbps\": 1, \"max_achievable_tflops\": {\"bf16\": 1}}",
    "arch={\"mem_bw_gbps\": 1",
    "arch=MI999",
    "arch={\"mem_bw_gbps\": 0}",
    "arch={} x"
  };
  for (uint32_t i = 0; i < MILL_COUNT(files); i++) {
    harness_clear();
    with(files[i]);
    given("M m -");
    expect_status(MILL_STAGE_FAILED);
  }
}

/* 1000 operations, 12000 bytes in 2 us: 0.0005 TFLOP/s and 0.006 TB/s.  A vector type that is not named has the peak of
 * fp32: 1000 / 163.4e12 s.  Triton has bytes alone: 8000 in 4 us. */
static void vectors_and_kernels_of_a_compiler(void)
{
  with("arch=MI300X");
  given(OP("aten::add", "2000", ROW_ADD), OP("triton_poi_fused_0", "4000", ROW_TRITON));
  expect_table(
      "op-perf",
      "triton_poi_fused_0 | triton | forward | | | [[1000]] | ['float'] | 1 | - | 8000 | - | 4000 "
      "| 4000 | 4000 | - | 4000 | 4000 | - | - | - | - | - | - | 0.002 | 0.002 | 0.002 | - | 0.002 "
      "| 0.002 | 1.50943396 | memory | 0.0377358491 | - | dims",
      "aten::add | binary | backward | vector_fp32 | E=1000 | [[1000],[1000],[]] | "
      "['float','float'] | 1 | 1000 | 12000 | 0.0833333333 | 2000 | 2000 | 2000 | - | 2000 | 2000 "
      "| 0.0005 | 0.0005 | 0.0005 | - | 0.0005 | 0.0005 | 0.006 | 0.006 | 0.006 | - | 0.006 | "
      "0.006 | 2.26415094 | memory | 0.113207547 | false | dims");
  /* 1/12 of an operation for a byte of 5.3 TB/s; the ridge is at 163.4 / 5.3. */
  expect_table("roofs", "roof vector_fp32 | 0.0416666667 | 0.220833333",
               "roof vector_fp32 | 30.8301887 | 163.4", "roof vector_fp32 | 61.6603774 | 163.4");
}

static void more_values_than_are_kept(void)
{
  with("exact-up-to=1");
  products();
  expect_notice(3, 1);
}

/* Without dims the time counts, and nothing else; so do calls of no time. */
static void what_is_not_known(void)
{
  given_lane("rank=0");
  given(OP("aten::mm", "7000", ROW_BARE));
  given_lane("rank=1");
  given(OP("aten::mm", "1000", ROW_BARE), OP("aten::mm", "0", ROW_BARE));
  expect_table("op-perf",
               "aten::mm | GEMM | forward | | | | | 3 | - | - | - | 8000 | 2666.66667 | 1000 | "
               "3785.93890 | 0 | 7000 | - | - | - | - | - | - | - | - | - | - | - | - | - | - | - "
               "| - | none");
  expect_notice(1, 3);
}

/* The device is named in the trace: as with arch=MI300X above.  A rank that names another one, or two devices, leaves it open;
 * one that names none does not. */
static void the_device_of_the_trace(void)
{
  given_lane("rank=0 member.deviceProperties=[{\"id\":0,\"name\":\"AMD_Instinct\"}]");
  products();
  expect_notice(2, 1);
  harness_clear();
  given_lane(
      "rank=0 member.deviceProperties=[{\"name\":\"MI300X\"},{\"a\":[{}],\"name\":\"MI300X\"}]");
  products();
  given_lane("rank=1");
  expect_table("op-perf", MM_CELLS "98.1132075 | memory | 0.490566038 | false | dims");
  expect_notice(2, 0);
  harness_clear();
  given_lane("rank=0 member.deviceProperties=[{\"name\":\"MI300X\"},{\"name\":\"MI325X\"}]");
  products();
  expect_table("op-perf", MM_CELLS "- | - | - | - | dims");
  expect_notice(2, 1);
  harness_clear();
  given_lane("rank=0 member.deviceProperties=[{\"name\":\"MI300X\"}]");
  products();
  given_lane("rank=1 member.deviceProperties=[{\"name\":\"B200\"}]");
  given(OP("aten::mm", "1000", ROW_BARE));
  expect_notice(2, 1);
}

/* 4.8 TFLOP/s of the shorter call are more than 4.7, and less than 4.9. */
static void faster_than_the_device(void)
{
  with("arch={\"mem_bw_gbps\": 1000, \"max_achievable_tflops\": {\"matrix_fp16\": 4.7}}");
  products();
  expect_table("op-perf", MM_CELLS "10212.7660 | compute | 51.0638298 | true | dims");
  expect_notice(4, 1);
  harness_clear();
  with("arch={\"mem_bw_gbps\": 1000, \"max_achievable_tflops\": {\"matrix_fp16\": 4.9}}");
  products();
  expect_notice(4, 0);
}

/* Kernels reach 654 TFLOP/s on MI300X, and its data sheet says 1307.4: 48e6 operations in 60 ns are 800, in 30 ns 1600. */
static void between_what_is_reached_and_what_is_possible(void)
{
  with("arch=MI300X");
  given(OP("aten::mm", "60", ROW_MM));
  expect_notice(4, 0);
  harness_clear();
  with("arch=MI300X");
  given(OP("aten::mm", "30", ROW_MM));
  expect_notice(4, 1);
  harness_clear();
  with("arch={\"mem_bw_gbps\": 1, \"max_achievable_tflops\": {\"matrix_fp16\": 4}, "
       "\"peak_tflops\": {\"matrix_fp16\": 4.9}}");
  products();
  expect_notice(4, 0);
}

HARNESS_MAIN({ "rates of calls", rates_of_calls }, { "a known device", a_known_device },
             { "a device from a file", a_device_from_a_file },
             { "a file that is wrong", a_file_that_is_wrong },
             { "vectors, and kernels of a compiler", vectors_and_kernels_of_a_compiler },
             { "what is not known", what_is_not_known },
             { "the device of the trace", the_device_of_the_trace },
             { "faster than the device", faster_than_the_device },
             { "between what is reached and what is possible",
               between_what_is_reached_and_what_is_possible },
             { "more values than are kept", more_values_than_are_kept })
