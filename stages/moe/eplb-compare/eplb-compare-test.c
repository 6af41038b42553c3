/* Tests of moe/eplb-compare: merging of rows, what is compared, and the original's object. */
/* SPDX-License-Identifier: MIT */
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
  expect_table("eplb-compare", "kernel_total | ms | 40 | 25 | -37.5 | better | 1",
               "fused_moe_total | ms | 16 | 10 | -37.5 | better | 2",
               "fused_moe_avg | us | 2000 | 2000 | 0 | same | 3",
               "fused_moe_max | us | 6000 | 4000 | -33.3333333 | better | 4",
               "fused_moe_std | us | 1060.66017 | 500 | -52.8595479 | better | 5",
               "fused_moe_cv | ratio | 0.530330086 | 0.25 | -52.8595479 | better | 6",
               "fused_moe_max_min | ratio | 12 | 4 | -66.6666667 | better | 7",
               "nccl_total | ms | 16 | 14 | -12.5 | better | 8",
               "alltoall_total | ms | 8 | 8 | 0 | same | 9",
               "alltoall_instances | count | 5 | 4 | -20 | neutral | 10",
               "alltoall_max_min | ratio | 8 | 4 | -50 | better | 11",
               "allreduce_total | ms | 3 | 6 | 100 | worse | 12",
               "moe_total | ms | 17 | 10 | -41.1764706 | better | 13",
               "attention_total | ms | 2 | 1 | -50 | better | 14",
               "kernel_instances | count | 37 | 12 | -67.5675676 | neutral | 15",
               "moe_share | percent | 42.5 | 40 | -5.88235294 | neutral | 16",
               "nccl_share | percent | 40 | 56 | 40 | neutral | 17",
               "attention_share | percent | 5 | 4 | -20 | neutral | 18");
  expect_metric("eplb_improved", NULL, "7");
  expect_metric("eplb_compared", NULL, "8");
  expect_metric("eplb_change", NULL, "-37.5");
  expect_table(
      "eplb-insights",
      "kernel_time | ms | 40 | 25 | -37.5 | with EPLB kernel time is 37.5 % shorter (faster) | 1",
      "moe_time | ms | 17 | 10 | -41.1764706 | 7.0 ms shorter | 2",
      "other_time | ms | 4 | 0 | -100 | 4.0 ms shorter | 3",
      "nccl_time | ms | 16 | 14 | -12.5 | 2.0 ms shorter | 4",
      "attention_time | ms | 2 | 1 | -50 | 1.0 ms shorter | 5",
      "cache_time | ms | 1 | 0 | -100 | 1.0 ms shorter | 6",
      "fused_moe_max_min | ratio | 12 | 4 | -66.6666667 | milder stragglers | 7",
      "fused_moe_cv | ratio | 0.530330086 | 0.25 | -52.8595479 | calls of the fused MoE kernels "
      "vary less | 8",
      "alltoall_per_fused_moe | ratio | 0.5 | 0.8 | 60 | more all-to-all for the same expert work "
      "| 9",
      "judged | - | - | - | - | better in 7 of 8 values | 10");
}

static void send_and_receive_are_all_to_all_on_request(void)
{
  with("sendrecv=on");
  a_pair();
  given("- kernel.row - {kernel=my_sendrecv, total_ns=1, count=1}");
  expect_table("eplb-insights",
               "kernel_time | ms | 40 | 25.000001 | -37.4999975 | with EPLB kernel time is 37.5 % "
               "shorter (faster) | 1",
               "moe_time | ms | 17 | 10 | -41.1764706 | 7.0 ms shorter | 2",
               "other_time | ms | 4 | 0.000001 | -99.999975 | 4.0 ms shorter | 3",
               "nccl_time | ms | 16 | 14 | -12.5 | 2.0 ms shorter | 4",
               "attention_time | ms | 2 | 1 | -50 | 1.0 ms shorter | 5",
               "cache_time | ms | 1 | 0 | -100 | 1.0 ms shorter | 6",
               "fused_moe_max_min | ratio | 12 | 4 | -66.6666667 | milder stragglers | 7",
               "fused_moe_cv | ratio | 0.530330086 | 0.25 | -52.8595479 | calls of the fused MoE "
               "kernels vary less | 8",
               "alltoall_per_fused_moe | ratio | 0.8125 | 0.8 | -1.53846154 | less all-to-all for "
               "the same expert work | 9",
               "judged | - | - | - | - | better in 8 of 9 values | 10");
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
  expect_table("eplb-insights",
               "kernel_time | ms | 0 | 0 | 0 | without EPLB there is no kernel time | 1");
  expect_metric("eplb_change", NULL, NULL);
  expect_metric("eplb_improved", NULL, "0");
}

/* A table of time, count and longest call alone, and one that has all. */
static void what_a_table_lacks_is_null(void)
{
  given_lane("label=off");
  given("- kernel.row - {kernel=fused_moe, total_ns=40000, count=4, max_ns=20000}",
        "- kernel.row - {kernel=nccl_alltoall, total_ns=60000, count=2}");
  given_lane("label=on");
  given(ROW("fused_moe", 30000, 3, 10000, 5000, 20000, 1000, 100));
  expect_metric("communication_overhead", NULL, NULL);
  expect_metric("eplb_comparison", NULL,
                "{\n  \"schema_version\": \"1.0\",\n  \"baseline\": {\n"
                "    \"label\": \"EPLB OFF (Baseline)\",\n    \"moe_kernels\": [\n"
                "      \"fused_moe\"\n    ],\n    \"moe_total_time_ms\": 0.04,\n"
                "    \"moe_time_pct\": null,\n    \"moe_instances\": 4,\n"
                "    \"fused_moe_total_ms\": 0.04,\n    \"fused_moe_avg_us\": 10.0,\n"
                "    \"fused_moe_min_us\": null,\n    \"fused_moe_max_us\": 20.0,\n"
                "    \"fused_moe_std_us\": null,\n    \"fused_moe_instances\": 4,\n"
                "    \"fused_moe_max_min_ratio\": null,\n    \"fused_moe_cv\": null,\n"
                "    \"nccl_kernels\": [\n      \"nccl_alltoall\"\n    ],\n"
                "    \"nccl_total_time_ms\": 0.06,\n    \"nccl_time_pct\": null,\n"
                "    \"nccl_instances\": 2,\n    \"alltoall_total_ms\": 0.06,\n"
                "    \"alltoall_instances\": 2,\n    \"alltoall_avg_us\": 30.0,\n"
                "    \"alltoall_max_us\": null,\n    \"alltoall_min_us\": null,\n"
                "    \"top5_kernels\": [\n      {\n        \"name\": \"nccl_alltoall\",\n"
                "        \"total_ms\": 0.06,\n        \"pct\": null,\n"
                "        \"instances\": 2\n      },\n      {\n"
                "        \"name\": \"fused_moe\",\n        \"total_ms\": 0.04,\n"
                "        \"pct\": null,\n        \"instances\": 4\n      }\n    ],\n"
                "    \"total_kernel_time_ms\": 0.1,\n    \"total_kernel_instances\": 6\n  },\n"
                "  \"eplb\": {\n    \"label\": \"EPLB ON\",\n    \"moe_kernels\": [\n"
                "      \"fused_moe\"\n    ],\n    \"moe_total_time_ms\": 0.03,\n"
                "    \"moe_time_pct\": 100.0,\n    \"moe_instances\": 3,\n"
                "    \"fused_moe_total_ms\": 0.03,\n    \"fused_moe_avg_us\": 10.0,\n"
                "    \"fused_moe_min_us\": 5.0,\n    \"fused_moe_max_us\": 20.0,\n"
                "    \"fused_moe_std_us\": 1.0,\n    \"fused_moe_instances\": 3,\n"
                "    \"fused_moe_max_min_ratio\": 4.0,\n    \"fused_moe_cv\": 0.1,\n"
                "    \"top5_kernels\": [\n      {\n        \"name\": \"fused_moe\",\n"
                "        \"total_ms\": 0.03,\n        \"pct\": 100.0,\n"
                "        \"instances\": 3\n      }\n    ],\n"
                "    \"total_kernel_time_ms\": 0.03,\n    \"total_kernel_instances\": 3\n  },\n"
                "  \"comparison\": {\n    \"improved_count\": 1,\n    \"total_count\": 3\n  }\n}");
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

/* From 0 to something there is no change in percent: worse all the same. */
static void from_zero_there_is_no_percentage(void)
{
  given_lane("label=off");
  given(ROW("fused_moe", 40, 4, 10, 10, 10, 0, 100));
  given_lane("label=on");
  given(ROW("fused_moe", 40, 4, 10, 10, 10, 5, 100));
  expect_table("eplb-compare", "kernel_total | ms | 0.00004 | 0.00004 | 0 | same | 1",
               "fused_moe_total | ms | 0.00004 | 0.00004 | 0 | same | 2",
               "fused_moe_avg | us | 0.01 | 0.01 | 0 | same | 3",
               "fused_moe_max | us | 0.01 | 0.01 | 0 | same | 4",
               "fused_moe_std | us | 0 | 0.005 | - | worse | 5",
               "fused_moe_cv | ratio | 0 | 0.5 | - | worse | 6",
               "fused_moe_max_min | ratio | 1 | 1 | 0 | same | 7",
               "moe_total | ms | 0.00004 | 0.00004 | 0 | same | 8",
               "kernel_instances | count | 4 | 4 | 0 | neutral | 9",
               "moe_share | percent | 100 | 100 | 0 | neutral | 10");
  expect_table("eplb-insights",
               "kernel_time | ms | 0.00004 | 0.00004 | 0 | with EPLB kernel time is the same | 1",
               "fused_moe_max_min | ratio | 1 | 1 | 0 | the same stragglers | 2",
               "fused_moe_cv | ratio | 0 | 0.5 | - | calls of the fused MoE kernels vary more | 3",
               "judged | - | - | - | - | better in 0 of 2 values | 4");
}

static void without_a_deviation_nothing_is_said_of_it(void)
{
  given_lane("label=off");
  given("- kernel.row - {kernel=fused_moe, total_ns=40000000, count=4}");
  given_lane("label=on");
  given("- kernel.row - {kernel=fused_moe, total_ns=20000000, count=4}");
  expect_table("eplb-compare", "kernel_total | ms | 40 | 20 | -50 | better | 1",
               "fused_moe_total | ms | 40 | 20 | -50 | better | 2",
               "fused_moe_avg | us | 10000 | 5000 | -50 | better | 3",
               "moe_total | ms | 40 | 20 | -50 | better | 4",
               "kernel_instances | count | 4 | 4 | 0 | neutral | 5",
               "moe_share | percent | 100 | 100 | 0 | neutral | 6");
}

/* Longest call and max/min are better, deviation and CV worse; the fifth row is NCCL; the rest is of a
 * kernel that is not judged. */
static void five_rows_change(const char *nccl_on, const char *rest_on)
{
  given_lane("label=off");
  given(ROW("fused_moe", 4000000, 4, 10, 8, 16, 2, 100),
        ROW("nccl_bcast", 1000000, 1, 10, 9, 10, 0, 0),
        "- kernel.row - {kernel=x, total_ns=40000, count=1}");
  given_lane("label=on");
  given(ROW("fused_moe", 4000000, 4, 10, 8, 12, 3, 100), nccl_on, rest_on);
}

/* 5.04 ms and 5.3: longer, though most values are better. */
static void what_is_better_does_not_contradict_the_total(void)
{
  five_rows_change(ROW("nccl_bcast", 900000, 1, 9, 9, 9, 0, 0),
                   "- kernel.row - {kernel=x, total_ns=422240, count=1}");
  expect_metric("eplb_improved", NULL, "3");
  expect_metric("eplb_compared", NULL, "5");
  expect_table("eplb-insights",
               "kernel_time | ms | 5.04 | 5.32224 | 5.6 | with EPLB kernel time is 5.6 % longer "
               "(slower) | 1",
               "other_time | ms | 0.04 | 0.42224 | 955.6 | 0.4 ms longer | 2",
               "nccl_time | ms | 1 | 0.9 | -10 | 0.1 ms shorter | 3",
               "fused_moe_max_min | ratio | 2 | 1.5 | -25 | milder stragglers | 4",
               "fused_moe_cv | ratio | 0.0000020 | 0.0000030 | 50 | calls of the fused MoE kernels "
               "vary more | 5",
               "judged | - | - | - | - | better in 3 of 5 values, but kernel time is longer | 6");
}

/* 5.04 ms and 5.03; NCCL 0.01 ms longer. */
static void what_is_worse_does_not_contradict_the_total(void)
{
  five_rows_change(ROW("nccl_bcast", 1010000, 1, 9, 9, 9, 0, 0),
                   "- kernel.row - {kernel=x, total_ns=29000, count=1}");
  expect_metric("eplb_improved", NULL, "2");
  expect_table("eplb-insights",
               "kernel_time | ms | 5.04 | 5.039 | -0.0198412698 | with EPLB kernel time is less "
               "than 0.1 % shorter (faster) | 1",
               "other_time | ms | 0.04 | 0.029 | -27.5 | less than 0.1 ms shorter | 2",
               "nccl_time | ms | 1 | 1.01 | 1 | less than 0.1 ms longer | 3",
               "fused_moe_max_min | ratio | 2 | 1.5 | -25 | milder stragglers | 4",
               "fused_moe_cv | ratio | 0.0000020 | 0.0000030 | 50 | calls of the fused MoE kernels "
               "vary more | 5",
               "judged | - | - | - | - | better in 2 of 5 values, but kernel time is shorter | 6");
}

/* 2 ms in 4 calls and 1 ms in one. */
static void a_table_alone_is_shown(void)
{
  given("- kernel.row - {kernel=fused_moe_kernel, total_ns=2000000, count=4}",
        "- kernel.row - {kernel=elementwise, total_ns=1000000, count=1}");
  expect_table("kernel-class", "- | 0 | all | 2 | 3000000 | 100 | 5 | 600000 | - | - | - | -",
               "- | 1 | moe | 1 | 2000000 | 66.6666667 | 4 | 500000 | - | - | - | -",
               "- | 2 | fused-moe | 1 | 2000000 | 66.6666667 | 4 | 500000 | - | - | - | -",
               "- | 8 | other | 1 | 1000000 | 33.3333333 | 1 | 1000000 | - | - | - | -");
  expect_table("eplb-top", "- | 1 | fused_moe_kernel | 2000000 | 4 | 66.6666667",
               "- | 2 | elementwise | 1000000 | 1 | 33.3333333");
  expect_empty_table("eplb-compare");
  expect_table("eplb-insights", "kernel_time | - | - | - | - | 3.0 ms | 1",
               "moe_time | - | - | - | - | 2.0 ms, 66.7 % of kernel time | 2",
               "other_time | - | - | - | - | 1.0 ms, 33.3 % of kernel time | 3");
  expect_metric("eplb_change", NULL, NULL);
  expect_metric("communication_overhead", NULL, NULL);
  expect_notice(4, 1);
}

static void a_table_without_label_is_refused(void)
{
  given_lane("label=off");
  given("- kernel.row - {kernel=a, total_ns=30, count=3}");
  given_lane("rank=1");
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
    { "every row of a pair", every_row_of_a_pair },
    { "send and receive are all-to-all on request", send_and_receive_are_all_to_all_on_request },
    { "the object of the original", the_object_of_the_original },
    { "what cannot be said is left out", what_cannot_be_said_is_left_out },
    { "what a table lacks is null", what_a_table_lacks_is_null },
    { "classes of a side", classes_of_a_side },
    { "tables with one label are one", tables_with_one_label_are_one },
    { "rows of one device are in the others", rows_of_one_device_are_in_the_others },
    { "rows that say nothing are noticed", rows_that_say_nothing_are_noticed },
    { "top kernels in order of time", top_kernels_in_order_of_time },
    { "from zero there is no percentage", from_zero_there_is_no_percentage },
    { "without a deviation nothing is said of it", without_a_deviation_nothing_is_said_of_it },
    { "what is better does not contradict the total",
      what_is_better_does_not_contradict_the_total },
    { "what is worse does not contradict the total", what_is_worse_does_not_contradict_the_total },
    { "a table alone is shown", a_table_alone_is_shown },
    { "a table without label is refused", a_table_without_label_is_refused },
    { "a strange label is refused", a_strange_label_is_refused },
    { "a side must not be missing", a_side_must_not_be_missing },
    { "nor the other", nor_the_other })
