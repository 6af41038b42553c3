/* Tests of torch/host-tree: what launched what, told by attributes that a stage of the test's own reads. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

#include "kit/trace/tree-attrs.h"

/* The attributes of the n-th event, without "tree_", as "direct_ns=40000;kernels=2"; it has no others but its row. */
static void told(uint32_t n, const char *wanted)
{
  static const char *const keys[] = { TREE_DIRECT,   TREE_SUBTREE,   TREE_KERNELS,  TREE_MODULE,
                                      TREE_MODEL,    TREE_CATEGORY,  TREE_STEP,     TREE_LINK,
                                      TREE_LAUNCHER, TREE_OP,        TREE_OP_START, TREE_CALL_START,
                                      TREE_CALL_DUR, TREE_LIST,      TREE_GEMM,     TREE_SPLIT,
                                      TREE_PART,     TREE_PART_FIRST };
  for (uint32_t k = 0; k < MILL_COUNT(keys); k++) {
    char pair[64], value[256] = "";
    sprintf(pair, ";%s=", keys[k] + strlen("tree_"));
    char all[512] = ";";
    strcat(all, wanted);
    const char *at = strstr(all, pair);
    if (at) sscanf(at + strlen(pair), "%255[^;]", value);
    expect_attr(n, keys[k], at ? value : NULL);
  }
}

#define OP(name, ts, dur, ...) "X " name " " ts " " dur " cat=cpu_op" __VA_ARGS__
#define CALL(name, ts, dur, id) "X " name " " ts " " dur " cat=cuda_runtime {correlation=" id "}"
#define KERNEL(name, ts, dur, id) \
  "X " name " " ts " " dur " p=1 t=7 cat=kernel {correlation=" id "}"
#define STEP(n, ts, dur) "X ProfilerStep#" n " " ts " " dur " cat=user_annotation"

/* aten::linear 0..100 us has aten::addmm 10..60, which launches two kernels that overlap: [200,230) and [220,240) us,
 * a union of 40 us; and then launches a copy itself: [300,310). */
static void work_belongs_to_the_nearest_operator(void)
{
  given(KERNEL("gemm", "200us", "30us", "1"), KERNEL("splitk", "220us", "20us", "2"),
        "X Memcpy 300us 10us p=1 t=7 cat=gpu_memcpy {correlation=3}",
        CALL("cudaLaunchKernel", "20us", "5us", "1"), CALL("cudaLaunchKernel", "30us", "5us", "2"),
        CALL("cudaMemcpyAsync", "70us", "8us", "3"), OP("aten::addmm", "10us", "50us"),
        OP("aten::linear", "0", "100us"));
  told(0, "category=GEMM;link=correlation;launcher=operator;op=aten::addmm;"
          "op_start_ns=10000;call_start_ns=20000;call_dur_ns=5000;list=gemm, splitk;gemm=3");
  told(1, "category=GEMM;link=correlation;launcher=operator;op=aten::addmm;"
          "op_start_ns=10000;call_start_ns=30000;call_dur_ns=5000;list=gemm, splitk;gemm=3");
  told(2, "category=memory;link=correlation;launcher=operator;op=aten::linear;op_start_ns=0;"
          "call_start_ns=70000;call_dur_ns=8000;list=Memcpy");
  told(6, "direct_ns=40000;subtree_ns=40000;kernels=2;model=true;category=GEMM;gemm=3");
  told(7, "direct_ns=10000;subtree_ns=50000;kernels=1;category=memory");
  expect_attr(0, TREE_OUTER, "aten::linear");
  expect_attr(2, TREE_OUTER, "aten::linear");
  expect_attr(0, TREE_OUTER_MODULE, NULL);
  expect_table("links", "0 | correlation | operator | 3 | 60000 | 100");
}

/* A compiled region may do anything: a product of 30 us, elementwise work that begins 10 us before its end and lasts 40 us, 10 us
 * more of it: of the union of 70 us, 30 are of one category and 40 of the other.  Communication is of neither. */
static void a_compiled_region_is_split_by_its_kernels(void)
{
  given(OP("\"Torch-Compiled Region: 0/0\"", "0", "100us"),
        CALL("cudaLaunchKernel", "20us", "5us", "1"), CALL("cudaLaunchKernel", "30us", "5us", "2"),
        CALL("cudaLaunchKernel", "40us", "5us", "3"), CALL("cudaLaunchKernel", "50us", "5us", "4"),
        KERNEL("sm80_xmma_gemm", "200us", "30us", "1"),
        "X triton_poi_fused_add_0 220us 40us p=1 t=8 cat=kernel {correlation=2}",
        KERNEL("triton_poi_fused_mul_1", "260us", "10us", "3"),
        KERNEL("ncclDevKernel", "265us", "30us", "4"));
#define REGION                                                                             \
  "link=correlation;launcher=operator;op=Torch-Compiled Region: 0/0;op_start_ns=0;"        \
  "call_dur_ns=5000;list=sm80_xmma_gemm, triton_poi_fused_add_0, triton_poi_fused_mul_1, " \
  "ncclDevKernel;"
  told(0, "direct_ns=70000;subtree_ns=70000;kernels=3;category=GEMM, elementwise;split=true");
  told(5, REGION "category=GEMM;call_start_ns=20000;part_ns=30000;part_first=true");
  told(6, REGION "category=elementwise;call_start_ns=30000;part_ns=30000;part_first=true");
  told(7, REGION "category=elementwise;call_start_ns=40000;part_ns=10000");
  told(8, REGION "category=communication;call_start_ns=50000");
}

/* The pass is that of the operator; of one category nothing is split. */
static void one_category_is_the_regions(void)
{
  given(OP("CompiledFunctionBackward", "0", "100us", " {Fwd thread id=1}"),
        CALL("cudaLaunchKernel", "20us", "5us", "1"), CALL("cudaLaunchKernel", "30us", "5us", "2"),
        KERNEL("triton_red_fused_native_layer_norm_0", "200us", "30us", "1"),
        KERNEL("triton_per_fused_native_layer_norm_backward_1", "230us", "30us", "2"));
  expect_attr(0, TREE_CATEGORY, "NORM_bwd");
  expect_attr(0, TREE_SPLIT, NULL);
  expect_attr(3, TREE_CATEGORY, "NORM_bwd");
  expect_attr(3, TREE_PART, NULL);
}

/* Communication has an operator, which has no time of it. */
static void communication_is_no_time_of_operators(void)
{
  given(OP("record_param_comms", "0", "50us"), CALL("cudaLaunchKernel", "20us", "5us", "1"),
        KERNEL("ncclDevKernel_AllReduce", "200us", "30us", "1"));
  told(2, "category=record_param_comms;link=correlation;launcher=operator;"
          "op=record_param_comms;op_start_ns=0;call_start_ns=20000;call_dur_ns=5000;"
          "list=ncclDevKernel_AllReduce");
}

/* Without an operator the call is the launcher; under a graph launch all its kernels; 10 + 20 of 60 us by the
 * graph, 30 without any call. */
static void calls_and_graphs_and_nothing(void)
{
  given(CALL("hipMemcpyAsync", "0", "5us", "1"), CALL("cudaGraphLaunch", "10us", "5us", "2"),
        KERNEL("a", "100us", "10us", "2"), KERNEL("b", "110us", "20us", "2"),
        KERNEL("c", "150us", "30us", "9"), KERNEL("d", "190us", "20us", "0"),
        "X Memcpy 250us 20us p=1 t=7 cat=gpu_memcpy {correlation=1}");
  expect_table("links", "0 | correlation | call | 1 | 20000 | 20",
               "0 | correlation | graph | 2 | 30000 | 30", "0 | none | none | 2 | 50000 | 50");
  expect_metric("unlinked_time", NULL, "50");
  expect_metric("graph_time", NULL, "30");
  expect_notice(3, 0);
  expect_notice(4, 1);
  expect_notice(8, 1);
}

/* 5 of 100 us have no call, which is common; 5.1 of 100.1 are more than that. */
static void a_little_without_a_call_is_no_warning(void)
{
  given(CALL("hipMemcpyAsync", "0", "5us", "1"), KERNEL("a", "100us", "95us", "1"),
        KERNEL("b", "200us", "5us", "9"));
  expect_notice(3, 1);
  expect_notice(8, 0);
  harness_clear();
  given(CALL("hipMemcpyAsync", "0", "5us", "1"), KERNEL("a", "100us", "95us", "1"),
        KERNEL("b", "200us", "5100", "9"));
  expect_notice(3, 0);
  expect_notice(8, 1);
}

/* Flow 5 begins in the call and ends where the kernel does; External id 8 is that of the operator. */
static void flows_and_external_ids(void)
{
  given(OP("aten::a", "0", "50us", " {External id=8}"),
        "X cudaLaunchKernel 20us 5us cat=cuda_runtime", "s ac2g 22us id=5 cat=ac2g",
        "f ac2g 100us p=1 t=7 id=5 cat=ac2g bp=e", "X k1 100us 10us p=1 t=7 cat=kernel",
        "X k2 120us 10us p=1 t=7 cat=kernel {External id=8}",
        "X k3 140us 10us p=1 t=7 cat=kernel {External id=9}");
  told(0, "direct_ns=20000;subtree_ns=20000;kernels=2;category=other");
  told(4, "category=other;link=flow;launcher=operator;op=aten::a;op_start_ns=0;"
          "call_start_ns=20000;call_dur_ns=5000;list=k1, k2");
  told(5, "category=other;link=external;launcher=operator;op=aten::a;op_start_ns=0;"
          "list=k1, k2");
  told(6, "link=none;launcher=none");
}

/* The driver's call lies in the runtime's: it is the one. */
static void of_calls_with_one_correlation_the_innermost(void)
{
  given("X cuLaunchKernel 22us 2us cat=cuda_driver {correlation=1}",
        CALL("cudaLaunchKernel", "20us", "5us", "1"), KERNEL("k", "100us", "10us", "1"));
  told(0, "direct_ns=10000;subtree_ns=10000;kernels=1;category=other");
  told(1, "");
  told(2, "category=other;link=correlation;launcher=call;call_start_ns=22000;"
          "call_dur_ns=2000;list=k");
}

static void an_operator_that_only_runs_others_is_passed_by(void)
{
  given(OP("forward", "0", "50us"), OP("execute", "10us", "30us"),
        CALL("cudaLaunchKernel", "20us", "5us", "1"), OP("execute", "60us", "30us"),
        CALL("cudaLaunchKernel", "70us", "5us", "2"), KERNEL("k", "100us", "10us", "1"),
        KERNEL("k", "110us", "30us", "2"));
  expect_table("links", "0 | correlation | operator | 1 | 10000 | 25",
               "0 | correlation | call | 1 | 30000 | 75");
}

/* Step 3 launches k1 [100,130) and nccl [120,150) us, and copies [160,170): busy 50 + 10, computation 30, 20 us of
 * communication exposed, idle 10.  k0 was launched at the very end of the step, and so in the next one. */
static void steps_have_what_they_launched(void)
{
  given(STEP("3", "0", "50us"), STEP("4", "50us", "50us"),
        CALL("cudaLaunchKernel", "10us", "5us", "1"), CALL("cudaLaunchKernel", "20us", "5us", "2"),
        CALL("cudaMemcpyAsync", "30us", "5us", "3"), CALL("cudaLaunchKernel", "50us", "5us", "4"),
        KERNEL("k1", "100us", "30us", "1"), KERNEL("ncclKernel", "120us", "30us", "2"),
        "X Memcpy 160us 10us p=1 t=7 cat=gpu_memcpy {correlation=3}",
        KERNEL("k0", "180us", "10us", "4"),
        "X ProfilerStep#3 100us 70us p=1 t=7 cat=gpu_user_annotation");
  expect_table("steps",
               "0 | 3 | 0 | 50000 | 60000 | 30000 | 30000 | 20000 | 10000 | 100000 | 70000 | 50000",
               "0 | 4 | 50000 | 50000 | 10000 | 10000 | 0 | 0 | 0 | 180000 | 10000 | -");
  expect_metric("step_time", "mean", "50000");
  expect_metric("step_period", "mean", "50000");
  expect_notice(4, 0);
}

/* Two threads write step 1; step 2 comes three times, and stands for 0.2 ms of which 150 us are no step. */
static void steps_of_one_number(void)
{
  given(STEP("1", "0", "50us"), STEP("1", "10us", "50us"), STEP("2", "100us", "20us"),
        STEP("2", "200us", "20us"), STEP("2", "290us", "10us"));
  expect_table("steps", "0 | 1 | 0 | 60000 | 0 | 0 | 0 | 0 | 0 | - | - | 100000",
               "0 | 2 | 100000 | 200000 | 0 | 0 | 0 | 0 | 0 | - | - | -");
  expect_notice(9, 1);
}

/* No device work in step 7; step 6 is not in the trace, so that 5 has no period.  8 begins 70 us after 7.  Times before zero
 * are as good as others. */
static void steps_that_lack_something(void)
{
  given(STEP("5", "-200us", "50us"), STEP("7", "-100us", "50us"), STEP("8", "-30us", "20us"),
        CALL("cudaLaunchKernel", "-190us", "5us", "1"),
        CALL("cudaLaunchKernel", "-20us", "5us", "2"), KERNEL("k", "-180us", "30us", "1"),
        KERNEL("k", "-10us", "20us", "2"));
  expect_table("steps", "0 | 5 | -200000 | 50000 | 30000 | 30000 | 0 | 0 | 0 | -180000 | 30000 | -",
               "0 | 7 | -100000 | 50000 | 0 | 0 | 0 | 0 | 0 | - | - | 70000",
               "0 | 8 | -30000 | 20000 | 20000 | 20000 | 0 | 0 | 0 | -10000 | 20000 | -");
  expect_metric("step_time", "mean", "40000");
  expect_metric("step_time", "max", "50000");
  expect_metric("step_period", "min", "70000");
}

/* Old traces: categories, and steps among the operators, which are no operators. */
static void the_old_spelling(void)
{
  given("X ProfilerStep#0 0 100us cat=Operator", "X aten::mul 0 50us cat=Operator",
        "X cudaLaunchKernel 10us 5us cat=Runtime {correlation=1}",
        "X cudaLaunchKernel 60us 5us cat=Runtime {correlation=2}",
        "X mul 100us 10us p=1 t=7 cat=Kernel {correlation=1}",
        "X Memset 120us 10us p=1 t=7 cat=Memset {correlation=2}");
  expect_table("links", "0 | correlation | operator | 1 | 10000 | 50",
               "0 | correlation | call | 1 | 10000 | 50");
  expect_table("steps", "0 | 0 | 0 | 100000 | 20000 | 10000 | 0 | 0 | 10000 | 100000 | "
                        "30000 | -");
  expect_metric("step_period", "mean", NULL);
}

/* Beyond an hour: until the next one of the stream, 40 us on; the last of its stream: no time. */
static void absurd_durations_are_cut(void)
{
  given(CALL("cudaLaunchKernel", "0", "5us", "1"), KERNEL("a", "10us", "3601s", "1"),
        KERNEL("b", "50us", "10us", "1"), "X c 20us 3600s p=1 t=8 cat=kernel {correlation=1}",
        "X d 20us 3602s p=1 t=9 cat=kernel {correlation=1}");
  expect_table("links", "0 | correlation | call | 4 | 3600000050000 | 100");
  expect_notice(5, 1);
}

/* Below 0: as long as until the next one of the stream, 30 us; the last one: no time.  What has no length is no mistake. */
static void negative_durations_are_cut(void)
{
  given(CALL("cudaLaunchKernel", "0", "5us", "1"), KERNEL("a", "10us", "-5us", "1"),
        KERNEL("b", "40us", "0", "1"), KERNEL("c", "50us", "-1us", "1"));
  expect_table("links", "0 | correlation | call | 3 | 30000 | 100");
  expect_notice(5, 1);
}

/* Two begin at 10 us: whichever comes first in the file, the damaged one has no time before the other. */
static void ties_are_cut_in_any_order(void)
{
  for (int first = 0; first < 2; first++) {
    harness_clear();
    given(CALL("cudaLaunchKernel", "0", "5us", "1"));
    if (first) given(KERNEL("a", "10us", "-5us", "1"));
    given(KERNEL("b", "10us", "2us", "1"));
    if (!first) given(KERNEL("a", "10us", "-5us", "1"));
    given(KERNEL("c", "40us", "1us", "1"));
    expect_table("links", "0 | correlation | call | 3 | 3000 | 100");
  }
}

/* The second "a" is the first one again; another name, another stream or no length is something else. */
static void work_that_is_there_again(void)
{
  given(CALL("cudaLaunchKernel", "0", "5us", "1"), KERNEL("a", "10us", "5us", "1"),
        KERNEL("b", "10us", "5us", "1"), KERNEL("a", "20us", "5us", "1"),
        KERNEL("a", "30us", "0us", "1"), KERNEL("a", "30us", "0us", "1"));
  expect_notice(10, 0);
  harness_clear();
  given(CALL("cudaLaunchKernel", "0", "5us", "1"), KERNEL("a", "10us", "5us", "1"),
        KERNEL("b", "10us", "5us", "1"), KERNEL("a", "10us", "5us", "1"));
  expect_notice(10, 1);
}

/* MTIA's words for kernels and calls; a host event with a stream, a wait and an annotation are no device work. */
static void what_is_device_work(void)
{
  given("X launch 0 5us cat=mtia_runtime {correlation=1}",
        "X job 10us 10us p=1 t=7 cat=mtia_ccp_events {correlation=1}",
        OP("aten::a", "0", "1us", " {stream=7}"),
        "X wait 50us 10us p=1 t=7 cat=cuda_sync {stream=7}",
        "X mark 50us 10us p=1 t=7 cat=gpu_user_annotation {stream=7}");
  expect_table("links", "0 | correlation | call | 1 | 10000 | 100");
}

/* The second operator ends 5 us after the first, within which it began: what it launched is its own, and nothing lies
 * in it. */
static void what_crosses_is_kept(void)
{
  given(OP("aten::a", "0", "50us"), "X hipLaunchKernel 45us 10us cat=cuda_runtime {correlation=1}",
        KERNEL("k", "100us", "10us", "1"));
  expect_notice(6, 1);
  told(1, "direct_ns=10000;subtree_ns=10000;kernels=1;category=other");
  told(2, "category=other;link=correlation;launcher=call;call_start_ns=45000;"
          "call_dur_ns=10000;list=k");
}

static void modules_are_paths_of_frames(void)
{
  with("python=true");
  given("X \"nn.Module: GPT_0\" 0 100us cat=python_function",
        "X \"x.py(3): forward\" 1us 90us cat=python_function",
        "X \"nn.Module: Linear_2\" 2us 80us cat=python_function", OP("aten::add", "10us", "50us"),
        CALL("cudaLaunchKernel", "20us", "5us", "1"), KERNEL("k", "100us", "10us", "1"));
  told(3, "direct_ns=10000;subtree_ns=10000;kernels=1;module=GPT_0/Linear_2;model=true;"
          "category=elementwise");
  told(5, "category=elementwise;link=correlation;launcher=operator;op=aten::add;"
          "op_start_ns=10000;call_start_ns=20000;call_dur_ns=5000;list=k");
  expect_attr(5, TREE_OUTER, "aten::add");
  expect_attr(5, TREE_OUTER_MODULE, "GPT_0/Linear_2");
}

/* layer_norm is modelled, what it runs is not counted again; a wrapper of a multiplication leaves it to that one, and
 * counts itself where there is none. */
static void what_is_modelled_counts_once(void)
{
  given(OP("aten::layer_norm", "0", "10us"), OP("aten::native_layer_norm", "1us", "8us"),
        CALL("cudaLaunchKernel", "2us", "1us", "1"), KERNEL("k", "100us", "10us", "1"),
        OP("aiter::gemm_a16w16", "20us", "10us"), OP("aten::mm", "21us", "8us"),
        CALL("cudaLaunchKernel", "22us", "1us", "2"), KERNEL("k", "110us", "10us", "2"),
        OP("aiter::gemm_a16w16", "40us", "10us"), CALL("cudaLaunchKernel", "42us", "1us", "3"),
        KERNEL("k", "120us", "10us", "3"));
  told(0, "subtree_ns=10000;model=true;category=NORM_fwd");
  told(1, "direct_ns=10000;subtree_ns=10000;kernels=1;category=NORM_fwd");
  told(3, "category=NORM_fwd;link=correlation;launcher=operator;op=aten::native_layer_norm;"
          "op_start_ns=1000;call_start_ns=2000;call_dur_ns=1000;list=k");
  told(4, "subtree_ns=10000;category=other");
  told(5, "direct_ns=10000;subtree_ns=10000;kernels=1;model=true;category=GEMM;gemm=4");
  told(7, "category=GEMM;link=correlation;launcher=operator;op=aten::mm;op_start_ns=21000;"
          "call_start_ns=22000;call_dur_ns=1000;list=k;gemm=4");
  told(8, "direct_ns=10000;subtree_ns=10000;kernels=1;model=true;category=other");
  told(10, "category=other;link=correlation;launcher=operator;op=aiter::gemm_a16w16;"
           "op_start_ns=40000;call_start_ns=42000;call_dur_ns=1000;list=k");
}

/* All device work below a GEMM has its number, also that of operators and of a GEMM in it, but no communication. */
static void what_is_of_a_gemm(void)
{
  given(OP("aten::addmm", "0", "100us"), OP("aten::copy_", "10us", "10us"),
        CALL("cudaLaunchKernel", "12us", "1us", "1"), OP("aten::mm", "30us", "10us"),
        CALL("cudaLaunchKernel", "32us", "1us", "2"), CALL("cudaLaunchKernel", "50us", "1us", "3"),
        CALL("cudaLaunchKernel", "150us", "1us", "4"), KERNEL("copy", "200us", "10us", "1"),
        KERNEL("gemm", "220us", "10us", "2"), KERNEL("ncclKernel", "230us", "10us", "3"),
        KERNEL("k", "240us", "10us", "4"));
  expect_attr(0, TREE_GEMM, "0");
  expect_attr(3, TREE_GEMM, NULL);
  expect_attr(7, TREE_GEMM, "0");
  expect_attr(8, TREE_GEMM, "0");
  expect_attr(9, TREE_GEMM, NULL);
  expect_attr(10, TREE_GEMM, NULL);
}

static void the_host_or_the_device_alone(void)
{
  given_lane("rank=0");
  given(OP("aten::a", "0", "50us"));
  given_lane("rank=1");
  given(KERNEL("k", "0", "5us", "1"));
  expect_notice(1, 1);
  expect_notice(2, 1);
  expect_notice(3, 0);
  expect_metric("unlinked_time", NULL, "100");
}

static void steps_are_those_of_all_ranks(void)
{
  given_lane("rank=0");
  given(STEP("1", "0", "10us"), STEP("2", "10us", "20us"), KERNEL("k", "0", "5us", "1"));
  given_lane("rank=1");
  given(STEP("1", "0", "60us"), KERNEL("k", "0", "5us", "1"));
  given_lane("rank=2");
  given(KERNEL("k", "0", "5us", "1"));
  expect_metric("step_time", "mean", "30000");
  expect_metric("step_time", "min", "10000");
  expect_metric("step_time", "max", "60000");
  expect_metric("step_period", "mean", "10000");
}

static void without_device_work_there_are_no_shares(void)
{
  given("M m -");
  expect_metric("unlinked_time", NULL, NULL);
  expect_metric("graph_time", NULL, NULL);
  expect_empty_table("links");
}

static void many_argument_lists(void)
{
  with("max-args=1");
  given(OP("aten::a", "0", "1us", " {Input Dims=[[1]]}"),
        OP("aten::a", "2us", "1us", " {Input Dims=[[2]]}"),
        OP("aten::a", "4us", "1us", " {Input Dims=[[1]]}"),
        OP("aten::a", "6us", "1us", " {Input Dims=[[3]]}"));
  expect_notice(7, 1);
}

/* The row that an operator's calls count in: fields with their lengths, lists without blanks. */
static void rows_say_what_is_equal(void)
{
  given(OP("aten::mm", "0", "10us",
           " {Input Dims=[[2, 3], [3,4]], Input type=[float,float], Concrete Inputs=[7,8]}"),
        CALL("cudaLaunchKernel", "2us", "1us", "1"), KERNEL("k", "100us", "10us", "1"));
  const char *row = "8:aten::mm4:GEMM7:forward13:[[2,3],[3,4]]17:[\"float\",\"float\"]0:5:[7,8]";
  expect_attr(0, TREE_ROW, row);
  expect_attr(2, TREE_ROW, row);
}

/* Below the autograd engine, and with the thread of a forward operator. */
static void backward_is_what_the_engine_runs(void)
{
  given(OP("\"autograd::engine::evaluate_function: MmBackward0\"", "0", "50us"),
        OP("aten::mm", "10us", "20us"), CALL("cudaLaunchKernel", "12us", "1us", "1"),
        KERNEL("k", "100us", "10us", "1"), OP("MulBackward0", "60us", "20us", " {Fwd thread id=1}"),
        CALL("cudaLaunchKernel", "62us", "1us", "2"), KERNEL("k", "110us", "10us", "2"),
        OP("aten::mul", "90us", "20us", " {Fwd thread id=0}"),
        CALL("cudaLaunchKernel", "92us", "1us", "3"), KERNEL("k", "120us", "10us", "3"));
  expect_attr(1, TREE_ROW, "8:aten::mm4:GEMM8:backward0:0:0:0:");
  expect_attr(4, TREE_ROW, "12:MulBackward05:other8:backward0:0:0:0:");
  expect_attr(7, TREE_ROW, "9:aten::mul11:elementwise7:forward0:0:0:0:");
}

/* 17 works of one operator: the list has the first 16. */
static void long_lists_are_cut(void)
{
  char line[100];
  given(OP("aten::a", "0", "10us"), CALL("cudaGraphLaunch", "2us", "1us", "1"));
  for (int i = 0; i < 17; i++) {
    snprintf(line, sizeof line, "X k 1%02dus 1us p=1 t=7 cat=kernel {correlation=1}", i);
    given(line);
  }
  expect_attr(2, TREE_LIST, "k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, ... (17)");
}

#define CAPTURED(name, ts, dur, replay, position, stack, calls)                       \
  "X " name " " ts " " dur " p=1 t=7 cat=kernel {correlation=1, graph_replay=" replay \
  ", graph_position=" position ", graph_stack=\"" stack "\", graph_calls=\"" calls "\"}"
#define LINEAR_STACK "3:Net12:aten::linear0:8:0:0:0:0:"
#define MM_STACK LINEAR_STACK "8:aten::mm0:22:13:[[2,3],[3,4]]0:0:0:"

/* Two kernels of one product, which overlap: [100,130) and [120,140) us; then one that linear launched itself, and one of
 * another call of linear, which is a replay of its own.  The first of an operator stands for it. */
static void operators_within_a_graph_launch(void)
{
  given(OP("aten::outer", "0", "50us"), CALL("cudaGraphLaunch", "10us", "5us", "1"),
        CAPTURED("gemm", "100us", "30us", "0", "4", MM_STACK, "1:51:61:7"),
        CAPTURED("splitk", "120us", "20us", "0", "5", MM_STACK, "1:51:61:7"),
        CAPTURED("bias", "150us", "10us", "0", "6", LINEAR_STACK, "1:51:6"),
        KERNEL("lone", "170us", "10us", "1"),
        CAPTURED("bias", "180us", "10us", "1", "6", LINEAR_STACK, "1:51:6"));
#define MM_CALL                                                                      \
  "category=GEMM;link=correlation;launcher=capture;op=aten::mm;call_start_ns=10000;" \
  "call_dur_ns=5000;list=gemm, splitk;gemm=4;"
#define LINEAR_CALL                                                                       \
  "direct_ns=10000;kernels=1;module=Net;category=GEMM;link=correlation;launcher=capture;" \
  "op=aten::linear;call_start_ns=10000;call_dur_ns=5000;list=bias;"
  told(2, MM_CALL "direct_ns=40000;subtree_ns=40000;kernels=2;module=Net");
  told(3, MM_CALL);
  expect_attr(2, TREE_ROW, "8:aten::mm4:GEMM7:forward13:[[2,3],[3,4]]0:0:0:");
  expect_attr(2, TREE_MODEL_TIME, "40000");
  expect_attr(2, TREE_MODEL_ROW, "8:aten::mm4:GEMM7:forward13:[[2,3],[3,4]]0:0:0:");
  expect_attr(3, TREE_MODEL_ROW, NULL);
  expect_attr(4, TREE_OP, "aten::linear");
  expect_attr(4, TREE_DIRECT, "10000");
  expect_attr(4, TREE_SUBTREE, "50000");
  expect_attr(5, TREE_OP, "aten::outer");
  expect_attr(6, TREE_DIRECT, "10000");
  expect_attr(6, TREE_SUBTREE, "10000");
  expect_table("links", "0 | correlation | graph | 1 | 10000 | 12.5",
               "0 | correlation | capture | 4 | 70000 | 87.5");
  expect_metric("graph_time", NULL, "12.5");
  expect_notice(4, 1);
}

/* Without an operator around the launch it stays that of the graph; communication does not stand for its operator. */
static void captured_without_an_operator(void)
{
  given(
      CALL("cudaGraphLaunch", "10us", "5us", "1"),
      CAPTURED("Memcpy", "100us", "30us", "0", "0", "0:", "2:-1"),
      CAPTURED("ncclDevKernel_AllReduce", "140us", "30us", "0", "1",
               "0:7:my::ops0:8:0:0:0:0:", "2:-11:3"),
      CAPTURED("sm80_xmma_gemm", "180us", "10us", "0", "2", "0:7:my::ops0:8:0:0:0:0:", "2:-11:3"));
  expect_attr(1, TREE_LAUNCHER, "graph");
  expect_attr(1, TREE_CALL, "cudaGraphLaunch");
  expect_attr(2, TREE_OP, "my::ops");
  expect_attr(2, TREE_DIRECT, NULL);
  expect_attr(3, TREE_DIRECT, "10000");
  expect_attr(3, TREE_CATEGORY, "GEMM");
}

static const HarnessTest tests[] = {
  { "operators within a graph launch", operators_within_a_graph_launch },
  { "captured without an operator", captured_without_an_operator },
  { "work belongs to the nearest operator", work_belongs_to_the_nearest_operator },
  { "a compiled region is split by its kernels", a_compiled_region_is_split_by_its_kernels },
  { "one category is the region's", one_category_is_the_regions },
  { "communication is no time of operators", communication_is_no_time_of_operators },
  { "calls and graphs and nothing", calls_and_graphs_and_nothing },
  { "a little without a call is no warning", a_little_without_a_call_is_no_warning },
  { "flows and external ids", flows_and_external_ids },
  { "of calls with one correlation the innermost", of_calls_with_one_correlation_the_innermost },
  { "an operator that only runs others is passed by",
    an_operator_that_only_runs_others_is_passed_by },
  { "steps have what they launched", steps_have_what_they_launched },
  { "steps of one number", steps_of_one_number },
  { "steps that lack something", steps_that_lack_something },
  { "negative durations are cut", negative_durations_are_cut },
  { "ties are cut in any order", ties_are_cut_in_any_order },
  { "work that is there again", work_that_is_there_again },
  { "what is device work", what_is_device_work },
  { "the old spelling", the_old_spelling },
  { "absurd durations are cut", absurd_durations_are_cut },
  { "what crosses is kept", what_crosses_is_kept },
  { "modules are paths of frames", modules_are_paths_of_frames },
  { "what is modelled counts once", what_is_modelled_counts_once },
  { "what is of a gemm", what_is_of_a_gemm },
  { "the host or the device alone", the_host_or_the_device_alone },
  { "steps are those of all ranks", steps_are_those_of_all_ranks },
  { "without device work there are no shares", without_device_work_there_are_no_shares },
  { "many argument lists", many_argument_lists },
  { "rows say what is equal", rows_say_what_is_equal },
  { "backward is what the engine runs", backward_is_what_the_engine_runs },
  { "long lists are cut", long_lists_are_cut }
};

/* Private attributes are gone after the last stage that reads them: here they are not private. */
int main(int argc, char **argv)
{
  MillStage stage = *(const MillStage *)mill_module_v1.descriptor;
  MillModule module = mill_module_v1;
  stage.private_attrs = NULL;
  module.descriptor = &stage;
  return harness_main(&module, tests, MILL_COUNT(tests), argc, argv);
}
