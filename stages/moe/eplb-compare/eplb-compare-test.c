/* Tests of moe/eplb-compare: classes, merging of rows, what is compared, and the original's
 * object. */
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

#define ROW(name, total, count, avg, min, max, std, pct)                                 \
  "- kernel.row - {kernel=" name ", total_ns=" #total ", count=" #count ", avg_ns=" #avg \
  ", min_ns=" #min ", max_ns=" #max ", std_ns=" #std ", pct=" #pct "}"
#define ROW_MED(name, total, count, avg, med, min, max, std, pct)                        \
  "- kernel.row - {kernel=" name ", total_ns=" #total ", count=" #count ", avg_ns=" #avg \
  ", med_ns=" #med ", min_ns=" #min ", max_ns=" #max ", std_ns=" #std ", pct=" #pct "}"

/* Without: 40 ms in 37 calls.  With: 25 ms in 12. */
static void a_pair(void)
{
  given_lane("label=off name=OFF.csv");
  given(ROW_MED("fused_moe_kernel", 4000000, 4, 1000000, 900000, 500000, 2000000, 300000, 10),
        ROW("Fused_MoE_big", 12000000, 4, 3000000, 1000000, 6000000, 400000, 30),
        ROW("moe_align_block", 1000000, 10, 100000, 100000, 100000, 0, 2.5),
        ROW("ncclDevKernel_AlltoAll_A", 6000000, 3, 2000000, 1000000, 4000000, 0, 15),
        ROW("ncclDevKernel_AlltoAll_B", 2000000, 2, 1000000, 500000, 1500000, 0, 5),
        ROW("ncclDevKernel_AllReduce", 3000000, 1, 3000000, 3000000, 3000000, 0, 7.5),
        ROW("ncclDevKernel_SendRecv", 5000000, 5, 1000000, 100000, 2000000, 0, 12.5),
        ROW("flash_fwd_kernel", 2000000, 2, 1000000, 1000000, 1000000, 0, 5),
        ROW("reshape_and_cache_flash_kernel", 1000000, 2, 500000, 500000, 500000, 0, 2.5),
        ROW("elementwise", 4000000, 4, 1000000, 1000000, 1000000, 0, 10));
  given_lane("label=on name=ON.csv");
  given(ROW_MED("fused_moe_kernel", 10000000, 5, 2000000, 1900000, 1000000, 4000000, 500000, 40),
        ROW("ncclDevKernel_AlltoAll_A", 8000000, 4, 2000000, 1000000, 4000000, 0, 32),
        ROW("ncclDevKernel_AllReduce", 6000000, 2, 3000000, 3000000, 3000000, 0, 24),
        ROW("flash_fwd_kernel", 1000000, 1, 1000000, 1000000, 1000000, 0, 4));
}

/* Fused, off: 4 calls of 1 ms (std 0.3) and 4 of 3 ms (std 0.4): mean 2 ms; variance
 * (4 (0.09 + 1) + 4 (0.16 + 9)) / 8 - 4 = 1.125 ms2, std 1060.66017 us, CV 0.530330086.
 * On: std 500 us, CV 0.25: -52.8595479 % each.  Shares off: MoE 17 of 40, NCCL 16, attention 2. */
static void every_row_of_a_pair(void)
{
  a_pair();
  expect_table("eplb-compare", "fused_moe_total | ms | 16 | 10 | -37.5 | better | 1",
               "fused_moe_avg | us | 2000 | 2000 | 0 | same | 2",
               "fused_moe_max | us | 6000 | 4000 | -33.3333333 | better | 3",
               "fused_moe_std | us | 1060.66017 | 500 | -52.8595479 | better | 4",
               "fused_moe_cv | ratio | 0.530330086 | 0.25 | -52.8595479 | better | 5",
               "fused_moe_max_min | ratio | 12 | 4 | -66.6666667 | better | 6",
               "nccl_total | ms | 16 | 14 | -12.5 | better | 7",
               "alltoall_total | ms | 8 | 8 | 0 | same | 8",
               "alltoall_instances | count | 5 | 4 | -20 | neutral | 9",
               "alltoall_max_min | ratio | 8 | 4 | -50 | better | 10",
               "allreduce_total | ms | 3 | 6 | 100 | worse | 11",
               "moe_total | ms | 17 | 10 | -41.1764706 | neutral | 12",
               "attention_total | ms | 2 | 1 | -50 | neutral | 13",
               "kernel_total | ms | 40 | 25 | -37.5 | neutral | 14",
               "kernel_instances | count | 37 | 12 | -67.5675676 | neutral | 15",
               "moe_share | percent | 42.5 | 40 | -5.88235294 | neutral | 16",
               "nccl_share | percent | 40 | 56 | 40 | neutral | 17",
               "attention_share | percent | 5 | 4 | -20 | neutral | 18");
  expect_metric("eplb_improved", NULL, "7");
  expect_metric("eplb_compared", NULL, "8");
  expect_metric("eplb_change", NULL, "-37.5");
  expect_table(
      "eplb-insights", "verdict | - | - | - | significant benefit: 7 of 8 better",
      "fused_moe_max_min | 12 | 4 | -66.6666667 | milder stragglers",
      "fused_moe_cv | 0.530330086 | 0.25 | -52.8595479 | calls of the fused MoE kernels vary less",
      "alltoall_per_fused_moe | 0.5 | 0.8 | 60 | more all-to-all for the same expert work");
}

static void send_and_receive_are_all_to_all_on_request(void)
{
  with("sendrecv=on");
  a_pair();
  given("- kernel.row - {kernel=my_sendrecv, total_ns=1, count=1}");
  expect_table(
      "eplb-insights", "verdict | - | - | - | significant benefit: 8 of 9 better",
      "fused_moe_max_min | 12 | 4 | -66.6666667 | milder stragglers",
      "fused_moe_cv | 0.530330086 | 0.25 | -52.8595479 | calls of the fused MoE kernels vary less",
      "alltoall_per_fused_moe | 0.8125 | 0.8 | -1.53846154 | less all-to-all for the same expert "
      "work");
}

/* The first fused row stands for all; the average of all-to-all is (2000 + 1000) / 2; writing the
 * cache is attention.  Improved: CV 0.3 to 0.25, NCCL 16 to 14, all-to-all max/min 8 to 4; the
 * equal ones (fused max/min 4, all-to-all 8) count as not. */
static void the_object_of_the_original(void)
{
  a_pair();
  expect_metric(
      "eplb_comparison", NULL,
      "{\n  \"schema_version\": \"1.0\",\n  \"baseline\": {\n"
      "    \"label\": \"EPLB OFF (Baseline)\",\n    \"moe_kernels\": [\n"
      "      \"fused_moe_kernel\",\n      \"Fused_MoE_big\",\n      \"moe_align_block\"\n    ],\n"
      "    \"moe_total_time_ms\": 17.0,\n    \"moe_time_pct\": 42.5,\n"
      "    \"moe_instances\": 18,\n    \"fused_moe_total_ms\": 4.0,\n"
      "    \"fused_moe_avg_us\": 1000.0,\n    \"fused_moe_min_us\": 500.0,\n"
      "    \"fused_moe_max_us\": 2000.0,\n    \"fused_moe_std_us\": 300.0,\n"
      "    \"fused_moe_instances\": 4,\n    \"fused_moe_max_min_ratio\": 4.0,\n"
      "    \"fused_moe_cv\": 0.3,\n    \"fused_moe_med_us\": 900.0,\n"
      "    \"fused_moe_med_mean_ratio\": 0.9,\n    \"nccl_kernels\": [\n"
      "      \"ncclDevKernel_AlltoAll_A\",\n      \"ncclDevKernel_AlltoAll_B\",\n"
      "      \"ncclDevKernel_AllReduce\",\n      \"ncclDevKernel_SendRecv\"\n    ],\n"
      "    \"nccl_total_time_ms\": 16.0,\n    \"nccl_time_pct\": 40.0,\n"
      "    \"nccl_instances\": 11,\n    \"alltoall_total_ms\": 8.0,\n"
      "    \"alltoall_instances\": 5,\n    \"alltoall_avg_us\": 1500.0,\n"
      "    \"alltoall_max_us\": 4000.0,\n    \"alltoall_min_us\": 500.0,\n"
      "    \"alltoall_max_min_ratio\": 8.0,\n    \"allreduce_total_ms\": 3.0,\n"
      "    \"allreduce_instances\": 1,\n    \"attention_total_ms\": 3.0,\n"
      "    \"attention_time_pct\": 7.5,\n    \"top5_kernels\": [\n"
      "      {\n        \"name\": \"Fused_MoE_big\",\n        \"total_ms\": 12.0,\n"
      "        \"pct\": 30.0,\n        \"instances\": 4\n      },\n"
      "      {\n        \"name\": \"ncclDevKernel_AlltoAll_A\",\n        \"total_ms\": 6.0,\n"
      "        \"pct\": 15.0,\n        \"instances\": 3\n      },\n"
      "      {\n        \"name\": \"ncclDevKernel_SendRecv\",\n        \"total_ms\": 5.0,\n"
      "        \"pct\": 12.5,\n        \"instances\": 5\n      },\n"
      "      {\n        \"name\": \"fused_moe_kernel\",\n        \"total_ms\": 4.0,\n"
      "        \"pct\": 10.0,\n        \"instances\": 4\n      },\n"
      "      {\n        \"name\": \"elementwise\",\n        \"total_ms\": 4.0,\n"
      "        \"pct\": 10.0,\n        \"instances\": 4\n      }\n    ],\n"
      "    \"total_kernel_time_ms\": 40.0,\n    \"total_kernel_instances\": 37\n  },\n"
      "  \"eplb\": {\n    \"label\": \"EPLB ON\",\n    \"moe_kernels\": [\n"
      "      \"fused_moe_kernel\"\n    ],\n    \"moe_total_time_ms\": 10.0,\n"
      "    \"moe_time_pct\": 40.0,\n    \"moe_instances\": 5,\n"
      "    \"fused_moe_total_ms\": 10.0,\n    \"fused_moe_avg_us\": 2000.0,\n"
      "    \"fused_moe_min_us\": 1000.0,\n    \"fused_moe_max_us\": 4000.0,\n"
      "    \"fused_moe_std_us\": 500.0,\n    \"fused_moe_instances\": 5,\n"
      "    \"fused_moe_max_min_ratio\": 4.0,\n    \"fused_moe_cv\": 0.25,\n"
      "    \"fused_moe_med_us\": 1900.0,\n    \"fused_moe_med_mean_ratio\": 0.95,\n"
      "    \"nccl_kernels\": [\n      \"ncclDevKernel_AlltoAll_A\",\n"
      "      \"ncclDevKernel_AllReduce\"\n    ],\n    \"nccl_total_time_ms\": 14.0,\n"
      "    \"nccl_time_pct\": 56.0,\n    \"nccl_instances\": 6,\n"
      "    \"alltoall_total_ms\": 8.0,\n    \"alltoall_instances\": 4,\n"
      "    \"alltoall_avg_us\": 2000.0,\n    \"alltoall_max_us\": 4000.0,\n"
      "    \"alltoall_min_us\": 1000.0,\n    \"alltoall_max_min_ratio\": 4.0,\n"
      "    \"allreduce_total_ms\": 6.0,\n    \"allreduce_instances\": 2,\n"
      "    \"attention_total_ms\": 1.0,\n    \"attention_time_pct\": 4.0,\n"
      "    \"top5_kernels\": [\n"
      "      {\n        \"name\": \"fused_moe_kernel\",\n        \"total_ms\": 10.0,\n"
      "        \"pct\": 40.0,\n        \"instances\": 5\n      },\n"
      "      {\n        \"name\": \"ncclDevKernel_AlltoAll_A\",\n        \"total_ms\": 8.0,\n"
      "        \"pct\": 32.0,\n        \"instances\": 4\n      },\n"
      "      {\n        \"name\": \"ncclDevKernel_AllReduce\",\n        \"total_ms\": 6.0,\n"
      "        \"pct\": 24.0,\n        \"instances\": 2\n      },\n"
      "      {\n        \"name\": \"flash_fwd_kernel\",\n        \"total_ms\": 1.0,\n"
      "        \"pct\": 4.0,\n        \"instances\": 1\n      }\n    ],\n"
      "    \"total_kernel_time_ms\": 25.0,\n    \"total_kernel_instances\": 12\n  },\n"
      "  \"comparison\": {\n    \"improved_count\": 3,\n    \"total_count\": 10\n  }\n}");
}

/* A header without rows is a table; groups without kernels are left out; least 0: no ratio. */
static void what_cannot_be_said_is_left_out(void)
{
  given_lane("label=off");
  given(ROW("FUSED_MOE", 0, 2, 0, 0, 3000, 0, 0));
  given_lane("label=on");
  expect_metric("eplb_comparison", NULL,
                "{\n  \"schema_version\": \"1.0\",\n  \"baseline\": {\n"
                "    \"label\": \"EPLB OFF (Baseline)\",\n    \"moe_kernels\": [\n"
                "      \"FUSED_MOE\"\n    ],\n    \"moe_total_time_ms\": 0.0,\n"
                "    \"moe_time_pct\": 0.0,\n    \"moe_instances\": 2,\n"
                "    \"fused_moe_total_ms\": 0.0,\n    \"fused_moe_avg_us\": 0.0,\n"
                "    \"fused_moe_min_us\": 0.0,\n    \"fused_moe_max_us\": 3.0,\n"
                "    \"fused_moe_std_us\": 0.0,\n    \"fused_moe_instances\": 2,\n"
                "    \"fused_moe_max_min_ratio\": null,\n    \"fused_moe_cv\": 0.0,\n"
                "    \"top5_kernels\": [\n      {\n        \"name\": \"FUSED_MOE\",\n"
                "        \"total_ms\": 0.0,\n        \"pct\": 0.0,\n"
                "        \"instances\": 2\n      }\n    ],\n"
                "    \"total_kernel_time_ms\": 0.0,\n    \"total_kernel_instances\": 2,\n"
                "    \"reason\": {\n"
                "      \"fused_moe_max_min_ratio\": \"fused_moe_min_us is 0\"\n    }\n  },\n"
                "  \"eplb\": {\n    \"label\": \"EPLB ON\",\n    \"top5_kernels\": [],\n"
                "    \"total_kernel_time_ms\": 0.0,\n    \"total_kernel_instances\": 0\n  },\n"
                "  \"comparison\": {\n    \"improved_count\": 0,\n    \"total_count\": 0\n  }\n}");
  expect_empty_table("eplb-compare");
  expect_table("eplb-insights", "verdict | - | - | - | nothing to judge: 0 of 0 better");
  expect_metric("eplb_change", NULL, NULL);
  expect_metric("eplb_improved", NULL, "0");
}

/* Of all rows: 3 calls of 10 ns (std 0) and 1 of 30 ns: mean 15, variance (300 + 900) / 4 - 225 =
 * 75, std 8.66025404.  Attention: 10 of 60 ns is the cache's, which is not attention. */
static void classes_of_a_side(void)
{
  given_lane("label=on");
  given_lane("label=off");
  given("- kernel.row - {kernel=FlashAttn, total_ns=30, count=3, avg_ns=10, med_ns=9, min_ns=10, "
        "max_ns=10, std_ns=0, pct=60, tail=1}",
        "- kernel.row - {kernel=\"void x<attention>\", total_ns=30, count=1, avg_ns=30, med_ns=30, "
        "min_ns=30, max_ns=30, std_ns=0, pct=20}",
        "- kernel.row - {kernel=reshape_and_cache_kernel, total_ns=40, count=2, std_ns=5}",
        "- kernel.row - {kernel=copy, total_ns=100, count=4, avg_ns=25, med_ns=24, min_ns=1, "
        "max_ns=90}");
  expect_table("kernel-class", "off | 0 | all | 4 | 200 | 100 | 10 | 20 | - | 1 | 90 | -",
               "off | 6 | attention | 2 | 60 | 30 | 4 | 15 | - | 10 | 30 | 8.66025404",
               "off | 7 | cache | 1 | 40 | 20 | 2 | 20 | - | - | - | 5",
               "off | 8 | other | 1 | 100 | 50 | 4 | 25 | 24 | 1 | 90 | -");
}

/* Each word at each place of a name, whatever its case, counts once for its class; but not its
 * parts, nor what only looks like it. */
static void words_at_each_place(void)
{
  static const char *const words[] = { "moE", "EXPERT", "Attention", "flaSh", "aTTn", "nccl" };
  static const char *const others[] = { "mo",    "xpert", "Attentio", "fla_sh",
                                        "at-tn", "ncc1",  "fused_" };
  char line[200], pad[101];
  given_lane("label=on");
  given_lane("label=off");
  for (unsigned at = 0; at < 100; at++) {
    memset(pad, 'z', sizeof pad);
    pad[at] = '\0';
    for (size_t i = 0; i < MILL_COUNT(words); i++) {
      snprintf(line, sizeof line, "- kernel.row - {kernel=%s%s%s, total_ns=1, count=1}", pad,
               words[i], at % 3 ? "" : "_kernel_name");
      given(line);
    }
    for (size_t i = 0; i < MILL_COUNT(others); i++) {
      snprintf(line, sizeof line, "- kernel.row - {kernel=%s%s, total_ns=1, count=1}", pad,
               others[i]);
      given(line);
    }
  }
  given("- kernel.row - {kernel=zFused_MoEz, total_ns=1, count=1}",
        "- kernel.row - {kernel=fused-moe, total_ns=1, count=1}",
        "- kernel.row - {kernel=ALLTOALL_SENDRECV_ALLREDUCE, total_ns=1, count=1}",
        "- kernel.row - {kernel=ALLTOALL_SENDRECV_ALLREDUCE_NCCL, total_ns=1, count=1}",
        "- kernel.row - {kernel=xReshape_And_Cache, total_ns=1, count=1}",
        "- kernel.row - {kernel=reshape_and-cache, total_ns=1, count=1}");
  expect_table("kernel-class", "off | 0 | all | 1306 | 1306 | 100 | 1306 | 1 | - | - | - | -",
               "off | 1 | moe | 202 | 202 | 15.4670750 | 202 | 1 | - | - | - | -",
               "off | 2 | fused-moe | 1 | 1 | 0.0765696784 | 1 | 1 | - | - | - | -",
               "off | 3 | nccl | 101 | 101 | 7.73353752 | 101 | 1 | - | - | - | -",
               "off | 4 | all-to-all | 1 | 1 | 0.0765696784 | 1 | 1 | - | - | - | -",
               "off | 5 | all-reduce | 1 | 1 | 0.0765696784 | 1 | 1 | - | - | - | -",
               "off | 6 | attention | 300 | 300 | 22.9709035 | 300 | 1 | - | - | - | -",
               "off | 7 | cache | 1 | 1 | 0.0765696784 | 1 | 1 | - | - | - | -",
               "off | 8 | other | 702 | 702 | 53.7519142 | 702 | 1 | - | - | - | -");
}

/* Two tables of one side add up: 2 calls of 10 (std 3) and 2 of 20 (std 4): mean 15, variance
 * (2 (9 + 100) + 2 (16 + 400)) / 4 - 225 = 37.5, std 6.12372436; of all (1050 + 900) / 5 - 324 =
 * 66, std 8.12403840.  The first fused row is that of
 * the first table. */
static void tables_with_one_label_are_one(void)
{
  given_lane("label=off name=a");
  given(ROW("x_fused_moe", 20, 2, 10, 5, 15, 3, 100));
  given_lane("label=on");
  given_lane("label=off name=b");
  given(ROW("x_fused_moe", 40, 2, 20, 10, 40, 4, 100), ROW("nccl", 30, 1, 30, 30, 30, 0, 0));
  expect_table("kernel-class", "off | 0 | all | 3 | 90 | 100 | 5 | 18 | - | 5 | 40 | 8.12403840",
               "off | 1 | moe | 2 | 60 | 66.6666667 | 4 | 15 | - | 5 | 40 | 6.12372436",
               "off | 2 | fused-moe | 2 | 60 | 66.6666667 | 4 | 15 | - | 5 | 40 | 6.12372436",
               "off | 3 | nccl | 1 | 30 | 33.3333333 | 1 | 30 | - | 30 | 30 | 0");
  expect_table("eplb-top", "off | 1 | x_fused_moe | 40 | 2 | 44.4444444",
               "off | 2 | nccl | 30 | 1 | 33.3333333",
               "off | 3 | x_fused_moe | 20 | 2 | 22.2222222");
}

static void rows_of_one_device_are_in_the_others(void)
{
  given_lane("label=on");
  given_lane("label=off");
  given("- kernel.row - {kernel=a, total_ns=30, count=3}",
        "- kernel.row - {kernel=a, total_ns=10, count=1, device=0}",
        "- kernel.row - {kernel=a, total_ns=20, count=2, device=1}",
        "- other.row - {kernel=a, total_ns=20, count=2}", "X a 0 5us");
  expect_table("kernel-class", "off | 0 | all | 1 | 30 | 100 | 3 | 10 | - | - | - | -",
               "off | 8 | other | 1 | 30 | 100 | 3 | 10 | - | - | - | -");
  expect_notice(2, 0);
}

static void rows_that_say_nothing_are_noticed(void)
{
  given_lane("label=on");
  given_lane("label=off");
  given("- kernel.row - {total_ns=30, count=3}", "- kernel.row - {kernel=a, count=3}",
        "- kernel.row - {kernel=a, total_ns=3}", "- kernel.row - {kernel=a, total_ns=-3, count=1}",
        "- kernel.row - {kernel=a, total_ns=3, count=1}");
  expect_notice(2, 4);
  expect_metric("eplb_compared", NULL, "0");
}

/* Ten rows, the smallest first, as the profiler's window exports them. */
static void top_kernels_in_order_of_time(void)
{
  char line[96];
  with("top=6");
  given_lane("label=on");
  given("- kernel.row - {kernel=only, total_ns=5, count=1}");
  given_lane("label=off");
  for (int i = 1; i <= 10; i++) {
    snprintf(line, sizeof line, "- kernel.row - {kernel=k%d, total_ns=%d, count=%d}", i, i / 2 * 10,
             i);
    given(line);
  }
  expect_table("eplb-top", "off | 1 | k10 | 50 | 10 | 20", "off | 2 | k8 | 40 | 8 | 16",
               "off | 3 | k9 | 40 | 9 | 16", "off | 4 | k6 | 30 | 6 | 12",
               "off | 5 | k7 | 30 | 7 | 12", "off | 6 | k4 | 20 | 4 | 8",
               "on | 1 | only | 5 | 1 | 100");
}

/* Each word at each place of a name, up to three steps of the search. */
static void words_are_found_anywhere(void)
{
  static const char *const words[] = {
    "MoE",       "Expert", "FUSED_moe",     "nccl",           "ATTN",
    "aTtention", "Flash",  "nCCL_AllToAll", "nccl_allreduce", "reshape_and_cacHe"
  };
  char line[160], pad[64];
  memset(pad, 'z', sizeof pad);
  given_lane("label=on");
  given_lane("label=off");
  for (uint32_t w = 0; w < MILL_COUNT(words); w++)
    for (int before = 0; before < 48; before++) {
      snprintf(line, sizeof line, "- kernel.row - {kernel=%.*s%s%.*s, total_ns=1, count=1}", before,
               pad, words[w], w % 2 ? 0 : 3, pad);
      given(line);
    }
  expect_table("kernel-class", "off | 0 | all | 480 | 480 | 100 | 480 | 1 | - | - | - | -",
               "off | 1 | moe | 144 | 144 | 30 | 144 | 1 | - | - | - | -",
               "off | 2 | fused-moe | 48 | 48 | 10 | 48 | 1 | - | - | - | -",
               "off | 3 | nccl | 144 | 144 | 30 | 144 | 1 | - | - | - | -",
               "off | 4 | all-to-all | 48 | 48 | 10 | 48 | 1 | - | - | - | -",
               "off | 5 | all-reduce | 48 | 48 | 10 | 48 | 1 | - | - | - | -",
               "off | 6 | attention | 144 | 144 | 30 | 144 | 1 | - | - | - | -",
               "off | 7 | cache | 48 | 48 | 10 | 48 | 1 | - | - | - | -");
}

/* Names that hold the pairs the search looks for, but no word; and all-to-all outside of NCCL. */
static void other_names_are_of_no_class(void)
{
  given_lane("label=on");
  given_lane("label=off");
  given("- kernel.row - {kernel=does_occ_xp_ttx_shape, total_ns=1, count=1}",
        "- kernel.row - {kernel=alltoall_allreduce_sendrecv_shape, total_ns=1, count=1}",
        "- kernel.row - {kernel=\"mo\xc3\xa9\", total_ns=1, count=1}",
        "- kernel.row - {kernel=\"\", total_ns=1, count=1}");
  expect_table("kernel-class", "off | 0 | all | 4 | 4 | 100 | 4 | 1 | - | - | - | -",
               "off | 8 | other | 4 | 4 | 100 | 4 | 1 | - | - | - | -");
}

/* 4,100 names are four too many for the list. */
static void lists_of_names_are_bounded(void)
{
  char line[80];
  given_lane("label=on");
  given_lane("label=off");
  for (int i = 0; i < 4100; i++) {
    snprintf(line, sizeof line, "- kernel.row - {kernel=nccl%d, total_ns=1, count=1}", i);
    given(line);
  }
  expect_notice(1, 4);
  expect_metric("eplb_change", NULL, "-100");
}

/* From 0 to something there is no change in percent: worse all the same. */
static void from_zero_there_is_no_percentage(void)
{
  given_lane("label=off");
  given(ROW("fused_moe", 40, 4, 10, 10, 10, 0, 100));
  given_lane("label=on");
  given(ROW("fused_moe", 40, 4, 10, 10, 10, 5, 100));
  expect_table("eplb-compare", "fused_moe_total | ms | 0.00004 | 0.00004 | 0 | same | 1",
               "fused_moe_avg | us | 0.01 | 0.01 | 0 | same | 2",
               "fused_moe_max | us | 0.01 | 0.01 | 0 | same | 3",
               "fused_moe_std | us | 0 | 0.005 | - | worse | 4",
               "fused_moe_cv | ratio | 0 | 0.5 | - | worse | 5",
               "fused_moe_max_min | ratio | 1 | 1 | 0 | same | 6",
               "moe_total | ms | 0.00004 | 0.00004 | 0 | neutral | 7",
               "kernel_total | ms | 0.00004 | 0.00004 | 0 | neutral | 8",
               "kernel_instances | count | 4 | 4 | 0 | neutral | 9",
               "moe_share | percent | 100 | 100 | 0 | neutral | 10");
  expect_table("eplb-insights",
               "verdict | - | - | - | overhead may outweigh the benefit: 0 of 2 better",
               "fused_moe_max_min | 1 | 1 | 0 | the same stragglers",
               "fused_moe_cv | 0 | 0.5 | - | calls of the fused MoE kernels vary more");
}

static void without_a_deviation_nothing_is_said_of_it(void)
{
  given_lane("label=off");
  given("- kernel.row - {kernel=fused_moe, total_ns=40000000, count=4}");
  given_lane("label=on");
  given("- kernel.row - {kernel=fused_moe, total_ns=20000000, count=4}");
  expect_table("eplb-compare", "fused_moe_total | ms | 40 | 20 | -50 | better | 1",
               "fused_moe_avg | us | 10000 | 5000 | -50 | better | 2",
               "moe_total | ms | 40 | 20 | -50 | neutral | 3",
               "kernel_total | ms | 40 | 20 | -50 | neutral | 4",
               "kernel_instances | count | 4 | 4 | 0 | neutral | 5",
               "moe_share | percent | 100 | 100 | 0 | neutral | 6");
}

/* Longest call and max/min are better, deviation and CV worse; the fifth row is NCCL. */
static void five_rows_change(const char *nccl_on)
{
  given_lane("label=off");
  given(ROW("fused_moe", 40, 4, 10, 8, 16, 2, 100), ROW("nccl_bcast", 10, 1, 10, 9, 10, 0, 0));
  given_lane("label=on");
  given(ROW("fused_moe", 40, 4, 10, 8, 12, 3, 100), nccl_on);
}

/* 3 of 5 is not above 0.6. */
static void three_of_five_are_mixed(void)
{
  five_rows_change(ROW("nccl_bcast", 9, 1, 9, 9, 9, 0, 0));
  expect_metric("eplb_improved", NULL, "3");
  expect_metric("eplb_compared", NULL, "5");
  expect_table("eplb-insights", "verdict | - | - | - | mixed, may need tuning: 3 of 5 better",
               "fused_moe_max_min | 2 | 1.5 | -25 | milder stragglers",
               "fused_moe_cv | 0.2 | 0.3 | 50 | calls of the fused MoE kernels vary more");
}

/* 2 of 5 is not above 0.4. */
static void two_of_five_are_overhead(void)
{
  five_rows_change(ROW("nccl_bcast", 11, 1, 11, 11, 11, 0, 0));
  expect_metric("eplb_improved", NULL, "2");
  expect_table("eplb-insights",
               "verdict | - | - | - | overhead may outweigh the benefit: 2 of 5 better",
               "fused_moe_max_min | 2 | 1.5 | -25 | milder stragglers",
               "fused_moe_cv | 0.2 | 0.3 | 50 | calls of the fused MoE kernels vary more");
}

static void a_table_without_label_is_refused(void)
{
  given("- kernel.row - {kernel=a, total_ns=30, count=3}");
  expect_status(MILL_BAD_INPUT);
}

static void a_strange_label_is_refused(void)
{
  given_lane("label=off");
  given_lane("label=On");
  expect_status(MILL_BAD_INPUT);
  expect_notice(3, 1);
}

static void a_side_must_not_be_missing(void)
{
  given_lane("label=off");
  given("- kernel.row - {kernel=a, total_ns=30, count=3}");
  expect_status(MILL_BAD_INPUT);
}

static void nor_the_other(void)
{
  given_lane("label=on");
  expect_status(MILL_BAD_INPUT);
}

HARNESS_MAIN(
    { "every row of a pair", every_row_of_a_pair }, { "words at each place", words_at_each_place },
    { "send and receive are all-to-all on request", send_and_receive_are_all_to_all_on_request },
    { "the object of the original", the_object_of_the_original },
    { "what cannot be said is left out", what_cannot_be_said_is_left_out },
    { "classes of a side", classes_of_a_side },
    { "tables with one label are one", tables_with_one_label_are_one },
    { "rows of one device are in the others", rows_of_one_device_are_in_the_others },
    { "rows that say nothing are noticed", rows_that_say_nothing_are_noticed },
    { "top kernels in order of time", top_kernels_in_order_of_time },
    { "words are found anywhere", words_are_found_anywhere },
    { "other names are of no class", other_names_are_of_no_class },
    { "lists of names are bounded", lists_of_names_are_bounded },
    { "from zero there is no percentage", from_zero_there_is_no_percentage },
    { "without a deviation nothing is said of it", without_a_deviation_nothing_is_said_of_it },
    { "three of five are mixed", three_of_five_are_mixed },
    { "two of five are overhead", two_of_five_are_overhead },
    { "a table without label is refused", a_table_without_label_is_refused },
    { "a strange label is refused", a_strange_label_is_refused },
    { "a side must not be missing", a_side_must_not_be_missing },
    { "nor the other", nor_the_other })
