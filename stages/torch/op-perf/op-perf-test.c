/* Tests of torch/op-perf: rates and rooflines.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
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

#define ROW_ATTENTION                                                                       \
  "23:vllm::unified_attention18:InferenceAttention7:forward25:[[3,2,8],[3,1,8],[3,1,8]]22:" \
  "['half','half','half']0:0:"
#define ATTEND(ts, row)                                                                      \
  "X vllm::unified_attention " ts " 9us cat=cpu_op {tree_model=true, tree_subtree_ns=1000, " \
  "tree_row=\"" row "\"}"
#define ATTENTION "vllm::unified_attention | SDPA | forward | matrix_fp16 | "
#define SHAPES " | [[3,2,8],[3,1,8],[3,1,8]] | ['half','half','half'] | 1 | "
#define RATE(time, tflops, tbps)                                                                \
  time " | " time " | - | " time " | " time " | " tflops " | " tflops " | " tflops              \
       " | - | " tflops " | " tflops " | " tbps " | " tbps " | " tbps " | - | " tbps " | " tbps \
       " | - | - | - | - | "
/* 100 pairs of 2 heads of 8 are 4 * 100 * 16 operations: those of the annotation around the operator.  Two prompts of
 * 10 and 30 in all are at most 300 pairs.  Outside of steps a token looks at itself at least. */
static void attention_by_the_annotation(void)
{
  given("X execute_context_0(0)_generation_3(sq3sk100sqsq3sqsk100) 0 10us cat=user_annotation",
        ATTEND("1us", ROW_ATTENTION),
        "X execute_context_2(sq10sk30)_generation_0(0) 20us 10us cat=user_annotation",
        ATTEND("21us", ROW_ATTENTION), ATTEND("40us", ROW_ATTENTION));
  expect_table(
      "op-perf",
      ATTENTION "T=3, pairs=100" SHAPES
                "6400 | 3392 | 1.88679245 | 1000 | " RATE("1000", "0.0064", "0.003392") "dims",
      ATTENTION "T=3, pairs=300" SHAPES
                "19200 | 1152 | 16.6666667 | 1000 | " RATE("1000", "0.0192", "0.001152") "upper",
      ATTENTION "T=3" SHAPES
                "192 | 288 | 0.666666667 | 1000 | " RATE("1000", "0.000192", "0.000288") "bound");
}

#define ROW_EXPERTS                                                             \
  "17:aiter::fused_moe_3:MoE7:forward35:[[5,4],[3,8,4],[3,4,4],[5,2],[5,2]]65:" \
  "['c10::BFloat16','c10::Float8_e4m3fn','c10::Float8_e4m3fn','int']0:0:"

/* 2 * 5 tokens * 2 experts * 48 weights; (2 * 20 * 2 + 3 * 48) bytes.  960 / 1e12 are 0.96 ns of fp8, whose peak it is. */
static void experts_by_the_peak_of_their_numbers(void)
{
  with("arch={\"mem_bw_gbps\": 1000, \"max_achievable_tflops\": {\"matrix_fp8\": 1, "
       "\"matrix_bf16\": 3}}");
  given(OP("aiter::fused_moe_", "10", ROW_EXPERTS));
  expect_table("op-perf",
               "aiter::fused_moe_ | MoE | forward | matrix_fp8 | T=5, E=3, top_k=2, weights=48 | "
               "[[5,4],[3,8,4],[3,4,4],[5,2],[5,2]] | "
               "['c10::BFloat16','c10::Float8_e4m3fn','c10::Float8_e4m3fn','int'] | 1 | 960 | 224 "
               "| 4.28571429 | 10 | 10 | 10 | - | 10 | 10 | 0.096 | 0.096 | 0.096 | - | 0.096 | "
               "0.096 | 0.0224 | 0.0224 | 0.0224 | - | 0.0224 | 0.0224 | 0.96 | compute | 9.6 | "
               "false | dims");
}

/* An operator within a graph launch: its step is that of the launch, on the track of its call. */
static void attention_within_a_graph(void)
{
  given("X execute_context_0(0)_generation_3(sq3sk100sqsq3sqsk100) 0 10us cat=user_annotation",
        "X k 50us 3us p=1 t=7 cat=kernel {tree_track=0, tree_call_start_ns=1000, "
        "tree_model_ns=1000, tree_model_row=\"" ROW_ATTENTION "\"}",
        "X k 60us 3us p=1 t=7 cat=kernel {tree_track=0, tree_call_start_ns=1000}");
  expect_table("op-perf", ATTENTION
               "T=3, pairs=100" SHAPES
               "6400 | 3392 | 1.88679245 | 1000 | " RATE("1000", "0.0064", "0.003392") "dims");
}

HARNESS_MAIN({ "experts by the peak of their numbers", experts_by_the_peak_of_their_numbers },
             { "attention within a graph", attention_within_a_graph },
             { "attention by the annotation", attention_by_the_annotation },
             { "rates of calls", rates_of_calls }, { "a known device", a_known_device },
             { "a device from a file", a_device_from_a_file },
             { "a file that is wrong", a_file_that_is_wrong },
             { "vectors, and kernels of a compiler", vectors_and_kernels_of_a_compiler },
             { "what is not known", what_is_not_known },
             { "the device of the trace", the_device_of_the_trace },
             { "faster than the device", faster_than_the_device },
             { "between what is reached and what is possible",
               between_what_is_reached_and_what_is_possible },
             { "more values than are kept", more_values_than_are_kept })
