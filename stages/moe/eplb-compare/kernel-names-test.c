/* Tests of moe/eplb-compare: which words of a kernel's name make it of which class. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

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

HARNESS_MAIN({ "words at each place", words_at_each_place },
             { "words are found anywhere", words_are_found_anywhere },
             { "other names are of no class", other_names_are_of_no_class },
             { "lists of names are bounded", lists_of_names_are_bounded })
