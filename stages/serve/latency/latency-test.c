/* Tests of serve/latency: every formula with numbers worked out by hand. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

#define MS "000000" /* after a number of milliseconds */
#define REQUEST "- bench.request - id=0 "
#define RUN "- bench.run - "
#define STAT(name, ms) ", stat_name=" name ", stat_value=" ms

static void nothing_is_no_number(void)
{
  expect_empty_table("latency");
  expect_empty_table("latency-hist");
  expect_metric("ttft", NULL, NULL);
  expect_metric("e2e", NULL, NULL);
  expect_metric("run_mean_ttft", NULL, NULL);
  expect_metric("run_mean_tpot", NULL, NULL);
}

/* Two runs.  ttft: 100, 200, 400: mean 700 / 3; distances squared 160000 / 9 + 10000 / 9 + 250000
 * / 9 = 420000 / 9, a third of it 15555.56, root 124.7219; p90: rank 1.8: 200 + 0.8 * 200.
 * e2e: 400, 500, 700, tpot: 400 / 4 = 100 and 500 / 10 = 50; p90: rank 0.9: 95.
 * itl: 40, 100 four times, 460: mean 900 / 6; squares 12100 + 4 * 2500 + 96100 = 118200, / 6 =
 * 19700, root 140.3567; p90: rank 4.5: 100 + 0.5 * 360; p95: rank 4.75; p99: rank 4.95. */
static void two_runs_with_requests(void)
{
  given_lane("rank=-");
  given(REQUEST "{ok=1, ttft_ns=100" MS ", e2e_ns=500" MS ", output_tokens=5, "
                "gap_ns=[100" MS ",100" MS ",100" MS ",100" MS "]}",
        REQUEST "{gap_ns=[40" MS ",460" MS "], ok=1, ttft_ns=200" MS ", e2e_ns=700" MS
                ", output_tokens=11}",
        RUN "{completed=2, detailed=1" STAT("ttft.mean", "7") STAT("ttft.p99", "8") "}");
  given_lane("rank=-");
  given(REQUEST "{ok=1, ttft_ns=400" MS ", e2e_ns=400" MS ", output_tokens=1}",
        REQUEST "{ok=0, ttft_ns=5000" MS ", e2e_ns=9000" MS ", output_tokens=3, error=timeout, "
                "gap_ns=[9000" MS "]}",
        RUN "{completed=1, detailed=1}");
}

static void requests_are_pooled(void)
{
  two_runs_with_requests();
  expect_table(
      "latency",
      "ttft | 3 | 233.3333333 | 124.7219129 | 100 | 200 | 360 | 380 | 396 | 400 | exact | exact",
      "tpot | 2 | 75 | 25 | 50 | 75 | 95 | 97.5 | 99.5 | 100 | exact | exact",
      "itl | 6 | 150 | 140.3566885 | 40 | 100 | 280 | 370 | 442 | 460 | exact | exact",
      "e2e | 3 | 533.3333333 | 124.7219129 | 400 | 500 | 660 | 680 | 696 | 700 | exact | exact");
  for (uint32_t number = 1; number <= 5; number++) expect_notice(number, 0);
}

static void statistics_are_metrics(void)
{
  two_runs_with_requests();
  expect_metric("ttft", "mean", "233.3333333");
  expect_metric("ttft", "std", "124.7219129");
  expect_metric("ttft", "min", "100");
  expect_metric("ttft", "p50", "200");
  expect_metric("ttft", "p90", "360");
  expect_metric("ttft", "p95", "380");
  expect_metric("ttft", "p99", "396");
  expect_metric("ttft", "max", "400");
  expect_metric("ttft", "n", "3");
  expect_metric("tpot", "mean", "75");
  expect_metric("itl", "n", "6");
  expect_metric("e2e", "max", "700");
}

static void records_pass_untouched(void)
{
  given(REQUEST "{ok=1, ttft_ns=1}", RUN "{completed=1, detailed=1}");
  expect(REQUEST "{ok=1, ttft_ns=1}", RUN "{completed=1, detailed=1}");
}

/* Further gaps belong to the request before: of a failed one they do not count. */
static void gaps_go_on_in_further_records(void)
{
  given(REQUEST "{ok=1, output_tokens=4, gap_ns=[1" MS ",2" MS "]}", REQUEST "{gap_ns=3" MS "}",
        REQUEST "{gap_ns=[4" MS ",5" MS "]}", REQUEST "{ok=0, gap_ns=[70" MS "]}",
        REQUEST "{gap_ns=[80" MS ",90" MS "]}", RUN "{completed=1, detailed=1}");
  expect_table("latency",
               "itl | 5 | 3 | 1.4142135624 | 1 | 3 | 4.6 | 4.8 | 4.96 | 5 | exact | exact");
}

/* 7 ms as the producer says, not (100 - 40) / 5; one token has none, whatever is said. */
static void tpot_of_the_producer_wins(void)
{
  given(REQUEST "{ok=1, tpot_ns=7" MS ", ttft_ns=40" MS ", e2e_ns=100" MS ", output_tokens=6}",
        REQUEST "{ok=1, tpot_ns=900" MS ", output_tokens=1}", REQUEST "{ok=1, tpot_ns=9" MS "}",
        RUN "{completed=3, detailed=1}");
  expect_metric("tpot", "mean", "8");
  expect_metric("tpot", "n", "2");
}

/* 10 ns over 3 further tokens is 3.33 ns: kept as 3. */
static void tpot_is_whole_nanoseconds(void)
{
  given(REQUEST "{ok=1, ttft_ns=0, e2e_ns=10, output_tokens=4}", RUN "{completed=1, detailed=1}");
  expect_metric("tpot", "mean", "0.000003");
}

static void one_run_is_as_reported(void)
{
  given(RUN "{completed=10, detailed=0" STAT("ttft.mean", "100.5") STAT("ttft.std", "2.5")
            STAT("ttft.p50", "99") STAT("ttft.p99", "110") STAT("itl.mean", "20")
                STAT("ttft.p99.9", "111.25") STAT("tpot.min", "3") STAT("tpot.max", "4")
                    STAT("other.mean", "1") STAT("ttft.unknown", "2") "}");
  with("percentiles=p99.9,25");
  expect_table("latency", "ttft | 10 | 100.5 | 2.5 | - | 99 | - | - | 110 | - | reported | -",
               "tpot | 10 | - | - | 3 | - | - | - | - | 4 | reported | -",
               "itl | 10 | 20 | - | - | - | - | - | - | - | reported | -");
  expect_table("latency-percentiles", "ttft | 99.9 | 111.25 | -");
  expect_empty_table("latency-hist");
  expect_metric("ttft", "p50", "99");
  expect_metric("ttft", "p99.9", "111.25");
  expect_metric("ttft", "p90", NULL);
  expect_metric("tpot", "mean", NULL);
  expect_metric("e2e", NULL, NULL);
}

/* mean = (10 * 100 + 30 * 200) / 40 = 175; std: (10 (3^2 + 75^2) + 30 (4^2 + 25^2)) / 40 =
 * (56340 + 19230) / 40 = 1889.25, root 43.46550; smallest of 50 and 60, largest of 400 and 300. */
static void reported_runs_are_combined(void)
{
  given_lane("rank=-");
  given(RUN "{completed=10" STAT("ttft.mean", "100") STAT("ttft.std", "3") STAT("ttft.min", "50")
            STAT("ttft.max", "400") STAT("ttft.p50", "90") STAT("ttft.p90", "150.5") "}");
  given_lane("rank=-");
  given(RUN "{completed=30" STAT("ttft.mean", "200") STAT("ttft.std", "4") STAT("ttft.min", "60")
            STAT("ttft.max", "300") STAT("ttft.p50", "190") "}");
  expect_table("latency",
               "ttft | 40 | 175 | 43.46550356 | 50 | - | 150.5 | - | - | 400 | combined | -");
  expect_metric("ttft", "p90", "150.5");
  expect_metric("ttft", "p50", NULL);
  expect_notice(5, 1);
  expect_notice(1, 0);
}

/* A statistic that one of the runs lacks is none of all. */
static void what_a_run_lacks_is_not_combined(void)
{
  given_lane("rank=-");
  given(RUN "{completed=10" STAT("ttft.mean", "100") STAT("ttft.std", "3")
            STAT("ttft.min", "50") "}");
  given_lane("rank=-");
  given(RUN "{completed=30" STAT("ttft.mean", "200") STAT("ttft.max", "300") "}");
  expect_table("latency", "ttft | 40 | 175 | - | - | - | - | - | - | - | combined | -");
}

/* Weights: 2 requests of mean 150 (std 50) and 6 reported of mean 250 (std 0): mean 225; std:
 * (2 (2500 + 75^2) + 6 * 25^2) / 8 = (16250 + 3750) / 8 = 2500, root 50. */
static void requests_and_reports_are_combined(void)
{
  given_lane("rank=-");
  given(REQUEST "{ok=1, ttft_ns=100" MS ", output_tokens=1}",
        REQUEST "{ok=1, ttft_ns=200" MS ", output_tokens=1}", RUN "{completed=2, detailed=1}");
  given_lane("rank=-");
  given(RUN "{completed=6" STAT("ttft.mean", "250") STAT("ttft.std", "0") STAT("ttft.min", "250")
            STAT("ttft.max", "250") "}");
  expect_table("latency", "ttft | 8 | 225 | 50 | 100 | - | - | - | - | 250 | combined | -");
  expect_empty_table("latency-hist");
  expect_notice(1, 1);
  expect_notice(2, 0);
}

static void without_counts_there_is_no_mean(void)
{
  given_lane("rank=-");
  given(RUN "{detailed=0" STAT("ttft.mean", "100") STAT("ttft.min", "90")
            STAT("ttft.max", "110") "}");
  given_lane("rank=-");
  given(RUN "{completed=6" STAT("ttft.mean", "250") STAT("ttft.min", "80")
            STAT("ttft.max", "300") "}");
  expect_table("latency", "ttft | - | - | - | 80 | - | - | - | - | 300 | combined | -");
  expect_notice(4, 1);
}

/* Alone, a run needs no count. */
static void one_run_needs_no_count(void)
{
  given(RUN "{detailed=0" STAT("e2e.mean", "100") "}");
  expect_table("latency", "e2e | - | 100 | - | - | - | - | - | - | - | reported | -");
  expect_metric("e2e", "n", NULL);
  expect_notice(4, 0);
}

/* Records that are not of the whole run do not count; what the file reports does. */
static void some_requests_are_not_the_run(void)
{
  given(REQUEST "{ok=1, ttft_ns=1" MS "}",
        RUN "{completed=2, detailed=0" STAT("ttft.mean", "5") "}");
  expect_table("latency", "ttft | 2 | 5 | - | - | - | - | - | - | - | reported | -");
}

/* Requests that do not give their latency: the file's own statistic is taken. */
static void requests_without_a_latency(void)
{
  given(REQUEST "{ok=1, ttft_ns=4" MS ", output_tokens=9}",
        RUN "{completed=1, detailed=1" STAT("e2e.mean", "5") STAT("tpot.mean", "0.125") "}");
  expect_table("latency", "ttft | 1 | 4 | 0 | 4 | 4 | 4 | 4 | 4 | 4 | exact | exact",
               "tpot | 1 | 0.125 | - | - | - | - | - | - | - | reported | -",
               "e2e | 1 | 5 | - | - | - | - | - | - | - | reported | -");
}

/* A run of one token each has no tpot, though its file says 0.0; nor does one that completed
 * nothing have any latency. */
static void zeros_that_are_no_measurement(void)
{
  given_lane("rank=-");
  given(REQUEST "{ok=1, ttft_ns=4" MS ", output_tokens=1}",
        RUN "{completed=1, detailed=1" STAT("tpot.mean", "0.0") "}");
  given_lane("rank=-");
  given(RUN "{completed=0, failed=4" STAT("ttft.mean", "0.0") STAT("tpot.mean", "0.0") "}");
  given_lane("rank=-");
  given(REQUEST "{ok=0}", RUN "{completed=0, detailed=1" STAT("ttft.mean", "0.0") "}");
  expect_table("latency", "ttft | 1 | 4 | 0 | 4 | 4 | 4 | 4 | 4 | 4 | exact | exact");
  expect_metric("tpot", NULL, NULL);
  expect_notice(2, 0);
}

static void a_run_without_a_latency_is_left_out(void)
{
  given_lane("rank=-");
  given(RUN "{completed=2" STAT("ttft.mean", "10") STAT("e2e.mean", "50") "}");
  given_lane("rank=-");
  given(RUN "{completed=2" STAT("ttft.mean", "20") "}");
  expect_table("latency", "ttft | 4 | 15 | - | - | - | - | - | - | - | combined | -",
               "e2e | 2 | 50 | - | - | - | - | - | - | - | reported | -");
  expect_notice(2, 1);
}

static void many_values_are_counted_in_bins(void)
{
  with("exact-up-to=5", "percentiles=99.9");
  given(REQUEST "{ok=1, output_tokens=9, ttft_ns=5, gap_ns=[1000000,1000000,1000000]}",
        REQUEST "{ok=1, output_tokens=9, ttft_ns=7, gap_ns=[1000000,1000000,2000000]}",
        RUN "{completed=2, detailed=1}");
  /* Eight values in all, of which five lie in one bin of 512: 2^19 / 512 = 1024 ns: [999424,
   * 1000448), middle 999935.5, but no value is less than 1000000.  The ends are exact. */
  expect_table("latency",
               "ttft | 2 | 0.000006 | 0.000001 | 0.000005 | 0.000006 | 0.0000068 | 0.0000069 | "
               "0.00000698 | 0.000007 | exact | histogram",
               "itl | 6 | 1.166666667 | 0.3726779962 | 1 | 1 | 1.5 | 1.75 | 1.95 | 2 | exact | "
               "histogram");
  expect_metric("itl", "p99.9", "1.995");
}

/* 300000 ns lies in a bin of 2^9 ns, [299520, 300032), whose middle is 299775.5. */
static void two_groups(void)
{
  for (int i = 0; i < 2; i++) {
    given_lane(i ? "rank=- tag.engine=b" : "rank=- tag.engine=a");
    given(REQUEST "{ok=1, ttft_ns=1, output_tokens=1}",
          REQUEST "{ok=1, ttft_ns=1000000, output_tokens=1}",
          REQUEST "{ok=1, ttft_ns=300000, output_tokens=1}", RUN "{completed=3, detailed=1}");
  }
}

static void groups_are_exact_together(void)
{
  with("exact-up-to=6", "by=engine");
  two_groups();
  expect_metric("ttft", "p50", "0.3");
}

static void groups_are_histograms_together(void)
{
  with("exact-up-to=5", "by=engine");
  two_groups();
  expect_metric("ttft", "p50", "0.2997755");
}

/* Of 3 values 5 bins at most: sixteenths of an octave, as 1000 and 1100 ns are 9.966 and 10.103 octaves,
 * the 318th and 323rd of the 32nds.  2^(159/16) = 980.6, then 1024, 1069.3 and 1116.7. */
static void the_distribution_has_few_bins(void)
{
  given(REQUEST "{ok=1, ttft_ns=1000, output_tokens=1}",
        REQUEST "{ok=1, ttft_ns=1100, output_tokens=1}",
        REQUEST "{ok=1, ttft_ns=1007, output_tokens=1}", RUN "{completed=3, detailed=1}");
  expect_table("latency-hist", "ttft | 0.001024 | 0.000981 | 2 | 66.66666667",
               "ttft | 0.001069 | 0.001024 | 0 | 0",
               "ttft | 0.001117 | 0.001069 | 1 | 33.33333333");
}

/* A ratio leads to no zero: it has a bin of its own, as has 8 ns of an 256th of an octave. */
static void zeros_have_a_bin(void)
{
  given(REQUEST "{ok=1, ttft_ns=0, output_tokens=1}", REQUEST "{ok=1, ttft_ns=8, output_tokens=1}",
        REQUEST "{ok=1, ttft_ns=0, output_tokens=1}", REQUEST "{ok=1, ttft_ns=8, output_tokens=1}",
        RUN "{completed=4, detailed=1}");
  expect_table("latency-hist", "ttft | 0.000001 | 0 | 2 | 50",
               "ttft | 0.000009 | 0.000008 | 2 | 50");
}

/* 2^10 to 2^42 ns: of 4 values 5 bins at most, of 8 octaves each. */
static void wide_distribution(const char *exact_up_to)
{
  with(exact_up_to);
  given(REQUEST "{ok=1, e2e_ns=1024, output_tokens=1}",
        REQUEST "{ok=1, e2e_ns=4398046511103, output_tokens=1}",
        REQUEST "{ok=1, e2e_ns=4398046511104, output_tokens=1}",
        REQUEST "{ok=1, e2e_ns=4294967295, output_tokens=1}", RUN "{completed=4, detailed=1}");
  expect_table("latency-hist", "e2e | 0.065536 | 0.000256 | 1 | 25",
               "e2e | 16.777216 | 0.065536 | 0 | 0", "e2e | 4294.967296 | 16.777216 | 1 | 25",
               "e2e | 1099511.628 | 4294.967296 | 0 | 0",
               "e2e | 281474976.7 | 1099511.628 | 2 | 50");
}

static void wide_distributions_have_wide_bins(void) { wide_distribution("exact-up-to=1000000"); }

static void bins_of_a_histogram_are_the_same(void) { wide_distribution("exact-up-to=0"); }

/* ---- phases and cards */

static void other_phases_are_left_out(void)
{
  given_lane("rank=- tag.phase=Serving");
  given(RUN "{completed=1" STAT("ttft.mean", "10") "}");
  given_lane("rank=- tag.phase=training");
  given(REQUEST "{ok=1, ttft_ns=9" MS ", gap_ns=9" MS "}",
        RUN "{completed=1, detailed=1" STAT("ttft.mean", "10") STAT("e2e.mean", "9") "}");
  given_lane("rank=- tag.phase=INFERENCE");
  given(RUN "{completed=1" STAT("ttft.mean", "20") "}");
  expect_table("latency", "ttft | 2 | 15 | - | - | - | - | - | - | - | combined | -");
  expect_metric("ttft", "mean", NULL);
  expect_metric("e2e", NULL, NULL);
  expect_notice(3, 1);
  expect_notice(1, 0);
}

/* (4 + 5 + 9) / 3: equal weights, also where requests are known. */
static void the_plain_mean_of_files(void)
{
  given_lane("rank=- tag.card=a.yaml tag.phase=inference");
  given(REQUEST "{ok=1, ttft_ns=77" MS ", output_tokens=1}",
        RUN "{completed=1, detailed=1" STAT("ttft.mean", "4") STAT("tpot.mean", "0.5") "}");
  given_lane("rank=- tag.card=a.yaml tag.phase=inference");
  given(RUN "{completed=50" STAT("ttft.mean", "5") "}");
  given_lane("rank=- tag.card=a.yaml tag.phase=inference");
  given(RUN "{completed=50" STAT("ttft.p50", "3") "}");
  given_lane("rank=- tag.card=a.yaml tag.phase=inference");
  given(RUN "{detailed=0" STAT("ttft.mean", "9") "}");
  expect_metric("run_mean_ttft", NULL, "6");
  expect_metric("run_mean_tpot", NULL, "0.5");
}

static void the_plain_mean_needs_the_key(void)
{
  given_lane("rank=- tag.card=a.yaml tag.phase=inference");
  given(RUN "{completed=1" STAT("ttft.mean", "4") "}");
  expect_metric("run_mean_ttft", NULL, "4");
  expect_metric("run_mean_tpot", NULL, NULL);
}

static void the_plain_mean_needs_a_card_of_phase_inference(void)
{
  static const char *const lanes[] = {
    "rank=-",                                     /* no card */
    "rank=- tag.phase=inference",                 /* a phase, but no card */
    "rank=- tag.card=a.yaml",                     /* no phase */
    "rank=- tag.card=a.yaml tag.phase=Inference", /* another case */
    "rank=- tag.card=a.yaml tag.phase=serving",   /* another phase */
    "rank=- tag.card=a.yaml tag.phase=training",  /* another phase */
    "rank=- tag.card=a.yaml tag.card_error=a.yaml:3:1 tag.phase=inference", /* unreadable */
  };
  for (uint32_t i = 0; i < MILL_COUNT(lanes); i++) {
    harness_clear();
    given_lane("rank=- tag.card=a.yaml tag.phase=inference");
    given(RUN "{completed=1" STAT("ttft.mean", "4") "}");
    given_lane(lanes[i]);
    given(RUN "{completed=1" STAT("ttft.mean", "4") "}");
    expect_metric("run_mean_ttft", NULL, NULL);
    expect_metric("run_mean_tpot", NULL, NULL);
    expect_metric("ttft", "mean", strstr(lanes[i], "training") ? NULL : "4");
  }
}

/* ---- options */

static void further_percentiles(void)
{
  with("percentiles=p99.9,25,p50,p25,100");
  two_runs_with_requests();
  expect_table("latency-percentiles", "ttft | 99.9 | 399.6 | exact", "ttft | 25 | 150 | exact",
               "ttft | 50 | 200 | exact", "ttft | 100 | 400 | exact", "tpot | 99.9 | 99.95 | exact",
               "tpot | 25 | 62.5 | exact", "tpot | 50 | 75 | exact", "tpot | 100 | 100 | exact",
               "itl | 99.9 | 458.2 | exact", "itl | 25 | 100 | exact", "itl | 50 | 100 | exact",
               "itl | 100 | 460 | exact", "e2e | 99.9 | 699.6 | exact", "e2e | 25 | 450 | exact",
               "e2e | 50 | 500 | exact", "e2e | 100 | 700 | exact");
  expect_metric("ttft", "p99.9", "399.6");
  expect_metric("ttft", "p25", "150");
  expect_metric("e2e", "p100", "700");
}

static void what_is_no_percentile_is_refused(void)
{
  static const char *const bad[] = { "percentiles=p101",  "percentiles=p",
                                     "percentiles=-1",    "percentiles=mean",
                                     "percentiles=99.",   "percentiles=99,5x",
                                     "percentiles=100.5", "percentiles=1.1234567" };
  for (uint32_t i = 0; i < MILL_COUNT(bad); i++) {
    harness_clear();
    with(bad[i]);
    given(RUN "{completed=1}");
    expect_status(MILL_STAGE_FAILED);
  }
}

HARNESS_MAIN({ "nothing is no number", nothing_is_no_number },
             { "requests are pooled", requests_are_pooled },
             { "statistics are metrics", statistics_are_metrics },
             { "records pass untouched", records_pass_untouched },
             { "gaps go on in further records", gaps_go_on_in_further_records },
             { "tpot of the producer wins", tpot_of_the_producer_wins },
             { "tpot is whole nanoseconds", tpot_is_whole_nanoseconds },
             { "one run is as reported", one_run_is_as_reported },
             { "reported runs are combined", reported_runs_are_combined },
             { "what a run lacks is not combined", what_a_run_lacks_is_not_combined },
             { "requests and reports are combined", requests_and_reports_are_combined },
             { "without counts there is no mean", without_counts_there_is_no_mean },
             { "one run needs no count", one_run_needs_no_count },
             { "some requests are not the run", some_requests_are_not_the_run },
             { "requests without a latency", requests_without_a_latency },
             { "zeros that are no measurement", zeros_that_are_no_measurement },
             { "a run without a latency is left out", a_run_without_a_latency_is_left_out },
             { "many values are counted in bins", many_values_are_counted_in_bins },
             { "groups are exact together", groups_are_exact_together },
             { "groups are histograms together", groups_are_histograms_together },
             { "the distribution has few bins", the_distribution_has_few_bins },
             { "wide distributions have wide bins", wide_distributions_have_wide_bins },
             { "zeros have a bin", zeros_have_a_bin },
             { "bins of a histogram are the same", bins_of_a_histogram_are_the_same },
             { "other phases are left out", other_phases_are_left_out },
             { "the plain mean of files", the_plain_mean_of_files },
             { "the plain mean needs the key", the_plain_mean_needs_the_key },
             { "the plain mean needs a card of phase inference",
               the_plain_mean_needs_a_card_of_phase_inference },
             { "further percentiles", further_percentiles },
             { "what is no percentile is refused", what_is_no_percentile_is_refused })
