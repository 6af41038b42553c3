/* The tuner-conf source. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void reads_lines(void)
{
  given_bytes("# rules\n\n  allreduce , 0,1024,tree,ll,4,1,8\nreduce,1\n  # no\nx,,");
  expect("- tuner.line - p=- t=- {line=3, bytes=34, rule=\"  allreduce , 0,1024,tree,ll,4,1,8\"}",
         "- tuner.line - p=- t=- {line=4, bytes=8, rule=\"reduce,1\"}",
         "- tuner.line - p=- t=- {line=6, bytes=3, rule=\"x,,\"}");
  expect_probe("# a\nallreduce,0,65536,tree,ll,2,1,-1\n", "x", 80);
  expect_probe("# a\n", "nccl_tuner.conf", 60);
  expect_probe("# a\n", "other.conf", 0);
  expect_probe("a,b,c,d,e,f,g,h\n", "x.csv", 0);
}

static void a_file_without_rules_is_refused(void)
{
  given_bytes("# nothing\n\n");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

HARNESS_MAIN({ "reads lines", reads_lines },
             { "a file without rules is refused", a_file_without_rules_is_refused })
