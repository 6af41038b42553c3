/* Tests of serve/sweep: values of runs, folders and points, what is fixed, and what is left out. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define AT(folder, line, seqs, tokens)                                     \
  "tag.run=" folder " tag.implementation=" line " tag.max_num_seqs=" #seqs \
  " tag.max_num_batched_tokens=" #tokens
#define TTFT(ms) "- bench.run - {completed=5, stat_name=ttft.mean, stat_value=" #ms "}"

/* Folder A: (100 + 200) / 2 = 150 ms; with B, of one file, (150 + 350) / 2 = 250, not 650 / 3.
 * Requests: A (2 + 4) / 2 = 3, B 10 in 2 s = 5, together 4; tokens A 300, B 1000 / 2 = 500,
 * together 400.  TPOT only in A: (10 + 20) / 2. */
static void a_point_is_a_mean_of_means(void)
{
  given_lane(AT("A", "Baseline", 16, 8192));
  given("- bench.run - {completed=5, request_throughput=2, output_throughput=200, "
        "stat_name=ttft.mean, stat_value=100, stat_name=tpot.mean, stat_value=10}");
  given_lane(AT("B", "Baseline", 16, 8192));
  given("- bench.run - {completed=10, duration_ns=2000000000, output_tokens=1000, "
        "stat_name=ttft.mean, stat_value=350}");
  given_lane(AT("A", "Baseline", 16, 8192));
  given("- bench.run - {completed=5, request_throughput=4, output_throughput=400, "
        "stat_name=ttft.mean, stat_value=200, stat_name=tpot.mean, stat_value=20}");
  given_lane(AT("C", "Baseline", 32, 8192));
  given(TTFT(80));
  expect_table(
      "sweep",
      "max_num_seqs | ttft | 1 | Baseline | 16 | 250 | ms | 2 | max_num_batched_tokens = 8192",
      "max_num_seqs | ttft | 1 | Baseline | 32 | 80 | ms | 1 | max_num_batched_tokens = 8192",
      "max_num_seqs | tpot | 1 | Baseline | 16 | 15 | ms | 1 | max_num_batched_tokens = 8192",
      "max_num_seqs | request_throughput | 1 | Baseline | 16 | 4 | req/s | 2 | "
      "max_num_batched_tokens = 8192",
      "max_num_seqs | output_throughput | 1 | Baseline | 16 | 400 | tok/s | 2 | "
      "max_num_batched_tokens = 8192",
      "max_num_batched_tokens | ttft | 1 | Baseline | 8192 | 80 | ms | 1 | max_num_seqs = 32");
  expect_table("sweep-curves",
               "max_num_seqs | 1 | Baseline | 16 | 250 | 15 | 4 | 400 | 2 | max_num_batched_tokens "
               "= 8192",
               "max_num_seqs | 1 | Baseline | 32 | 80 | - | - | - | 1 | max_num_batched_tokens = "
               "8192",
               "max_num_batched_tokens | 1 | Baseline | 8192 | 80 | - | - | - | 1 | max_num_seqs = "
               "32");
  expect_notice(3, 0);
}

/* TTFT (10 + 30) / 2 = 20 ms; TPOT (110 - 10) / 5 = 20 and (130 - 30) / 10 = 10, together 15.
 * The failed request and the one of a single token say nothing of TPOT. */
static void requests_say_what_the_run_does_not(void)
{
  given_lane(AT("A", "Baseline", 32, 8192));
  given("- bench.request - id=0 {ok=1, ttft_ns=10000000, e2e_ns=110000000, output_tokens=6}",
        "- bench.request - id=1 {ok=1, ttft_ns=30000000, e2e_ns=130000000, output_tokens=11}",
        "- bench.request - id=1 {ttft_ns=1}",
        "- bench.request - id=2 {ok=0, ttft_ns=90000000, e2e_ns=95000000, output_tokens=2}",
        "- bench.run - {completed=2, duration_ns=4000000000, output_tokens=17, detailed=1}");
  expect_table("sweep-curves",
               "max_num_seqs | 1 | Baseline | 32 | 20 | 15 | 0.5 | 4.25 | 1 | "
               "max_num_batched_tokens = 8192",
               "max_num_batched_tokens | 1 | Baseline | 8192 | 20 | 15 | 0.5 | 4.25 | 1 | "
               "max_num_seqs = 32");
}

static void what_is_reported_comes_first(void)
{
  given_lane(AT("A", "Baseline", 32, 8192));
  given("- bench.request - id=0 {ok=1, ttft_ns=10000000, e2e_ns=110000000, output_tokens=6}",
        "- bench.run - {completed=1, duration_ns=1000000000, output_tokens=6, "
        "request_throughput=0.9, output_throughput=5, stat_name=ttft.mean, stat_value=11, "
        "stat_name=tpot.mean, stat_value=21}");
  expect_table("sweep-curves",
               "max_num_seqs | 1 | Baseline | 32 | 11 | 21 | 0.9 | 5 | 1 | max_num_batched_tokens "
               "= 8192",
               "max_num_batched_tokens | 1 | Baseline | 8192 | 11 | 21 | 0.9 | 5 | 1 | "
               "max_num_seqs = 32");
}

/* The two known ones first, the others by name; labels win over the tag; x ascending. */
static void lines_in_order(void)
{
  given_lane(AT("A", "Alpha", 32, 4096));
  given(TTFT(1));
  given_lane(AT("B", "DefaultAll2All", 32, 4096));
  given(TTFT(2));
  given_lane(AT("C", "Baseline", 32, 16384));
  given(TTFT(3));
  given_lane(AT("D", "Baseline", 32, 4096));
  given(TTFT(4));
  given_lane(AT("E", "Baseline", 32, 4096) " label=Mine");
  given(TTFT(5));
  given_lane("tag.max_num_seqs=32 tag.max_num_batched_tokens=512 name=x.json");
  given(TTFT(6));
  with("fixed-tokens=4096");
  expect_table(
      "sweep-curves",
      "max_num_seqs | 1 | Baseline | 32 | 4 | - | - | - | 1 | max_num_batched_tokens = 4096",
      "max_num_seqs | 2 | DefaultAll2All | 32 | 2 | - | - | - | 1 | max_num_batched_tokens = 4096",
      "max_num_seqs | 3 | Alpha | 32 | 1 | - | - | - | 1 | max_num_batched_tokens = 4096",
      "max_num_seqs | 4 | Mine | 32 | 5 | - | - | - | 1 | max_num_batched_tokens = 4096",
      "max_num_batched_tokens | 1 | Baseline | 4096 | 4 | - | - | - | 1 | max_num_seqs = 32",
      "max_num_batched_tokens | 1 | Baseline | 16384 | 3 | - | - | - | 1 | max_num_seqs = 32",
      "max_num_batched_tokens | 2 | DefaultAll2All | 4096 | 2 | - | - | - | 1 | max_num_seqs = 32",
      "max_num_batched_tokens | 3 | Alpha | 4096 | 1 | - | - | - | 1 | max_num_seqs = 32",
      "max_num_batched_tokens | 4 | Mine | 4096 | 5 | - | - | - | 1 | max_num_seqs = 32",
      "max_num_batched_tokens | 5 | unnamed | 512 | 6 | - | - | - | 1 | max_num_seqs = 32");
}

/* Tokens: 2048 in two folders (A has two files), 1024 in two: the lesser.  Seqs: 64 in three. */
static void the_commonest_is_fixed_where_none_is_as_asked(void)
{
  given_lane(AT("A", "Baseline", 64, 2048));
  given(TTFT(1));
  given_lane(AT("A", "Baseline", 64, 2048));
  given(TTFT(3));
  given_lane(AT("B", "Baseline", 16, 2048));
  given(TTFT(4));
  given_lane(AT("C", "Baseline", 64, 1024));
  given(TTFT(5));
  given_lane(AT("D", "Other", 64, 1024));
  given(TTFT(6));
  expect_table(
      "sweep-curves",
      "max_num_seqs | 1 | Baseline | 64 | 5 | - | - | - | 1 | max_num_batched_tokens = 1024",
      "max_num_seqs | 2 | Other | 64 | 6 | - | - | - | 1 | max_num_batched_tokens = 1024",
      "max_num_batched_tokens | 1 | Baseline | 1024 | 5 | - | - | - | 1 | max_num_seqs = 64",
      "max_num_batched_tokens | 1 | Baseline | 2048 | 2 | - | - | - | 1 | max_num_seqs = 64",
      "max_num_batched_tokens | 2 | Other | 1024 | 6 | - | - | - | 1 | max_num_seqs = 64");
  expect_notice(3, 2);
}

static void fixed_values_are_options(void)
{
  with("fixed-tokens=2048", "fixed-seqs=16");
  given_lane(AT("A", "Baseline", 64, 1024));
  given(TTFT(1));
  given_lane(AT("B", "Baseline", 16, 2048));
  given(TTFT(2));
  expect_table(
      "sweep-curves",
      "max_num_seqs | 1 | Baseline | 16 | 2 | - | - | - | 1 | max_num_batched_tokens = 2048",
      "max_num_batched_tokens | 1 | Baseline | 2048 | 2 | - | - | - | 1 | max_num_seqs = 16");
  expect_notice(3, 0);
}

static void eplb_runs_are_left_out(void)
{
  given_lane(AT("A_eplboff", "Baseline", 32, 8192) " tag.eplb=off");
  given(TTFT(1));
  given_lane(AT("A", "Baseline", 32, 8192) " label=On");
  given(TTFT(2));
  given_lane(AT("A", "Baseline", 32, 8192) " label=off");
  given(TTFT(3));
  given_lane(AT("A", "Baseline", 32, 8192) " label=myEPLBrun");
  given(TTFT(4));
  given_lane(AT("B", "Baseline", 32, 8192));
  given(TTFT(5));
  expect_table("sweep-curves",
               "max_num_seqs | 1 | Baseline | 32 | 5 | - | - | - | 1 | max_num_batched_tokens = "
               "8192",
               "max_num_batched_tokens | 1 | Baseline | 8192 | 5 | - | - | - | 1 | max_num_seqs = "
               "32");
  expect_notice(1, 4);
}

static void runs_without_axes_are_left_out(void)
{
  given_lane("tag.run=A tag.implementation=Baseline tag.max_num_seqs=32");
  given(TTFT(1));
  given_lane("tag.run=A tag.max_num_seqs=many tag.max_num_batched_tokens=8192");
  given(TTFT(1));
  given_lane("tag.run=A");
  given("- other - {completed=1}");
  expect_empty_table("sweep");
  expect_empty_table("sweep-curves");
  expect_notice(2, 2);
  expect_notice(3, 0);
}

static void zero_of_nothing_is_no_measurement(void)
{
  given_lane(AT("A", "Baseline", 32, 8192));
  given("- bench.run - {completed=0, duration_ns=1000000000, output_tokens=0, "
        "request_throughput=0, output_throughput=0}");
  expect_empty_table("sweep-curves");
  expect_notice(4, 1);
}

HARNESS_MAIN({ "a point is a mean of means", a_point_is_a_mean_of_means },
             { "requests say what the run does not", requests_say_what_the_run_does_not },
             { "what is reported comes first", what_is_reported_comes_first },
             { "lines in order", lines_in_order },
             { "the commonest is fixed where none is as asked",
               the_commonest_is_fixed_where_none_is_as_asked },
             { "fixed values are options", fixed_values_are_options },
             { "EPLB runs are left out", eplb_runs_are_left_out },
             { "runs without axes are left out", runs_without_axes_are_left_out },
             { "zero of nothing is no measurement", zero_of_nothing_is_no_measurement })
