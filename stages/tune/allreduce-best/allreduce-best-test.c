/* Tests of tune/allreduce-best. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(tp, fusion, strategy, tokens, hidden, bytes, time)                                 \
  "- allreduce.row - {tp=" #tp ", fusion=" #fusion ", strategy=" #strategy ", tokens=" #tokens \
  ", hidden=" #hidden ", bytes=" #bytes ", time_us=" #time "}"

/* A table of 1 x 1 x 2 x 2 cells. */
#define SMALL "tp=2", "fusions=NONE", "hidden=128,256", "tokens=1,2"

static void some_times(void)
{
  given_lane("tag.sm=90");
  given(ROW(2, NONE, NCCL, 1, 128, 256, 8.0), ROW(2, NONE, ONESHOT, 1, 128, 256, 4.0),
        ROW(2, NONE, AUTO, 1, 128, 256, 1.0), ROW(2, NONE, NCCL, 2, 128, 512, 10.0),
        ROW(2, NONE, MNNVL, 2, 128, 512, 5.0), ROW(2, NONE, TWOSHOT, 2, 128, 512, 6.0),
        ROW(2, NONE, NCCL, 1, 256, 512, 10.0), ROW(2, NONE, ONESHOT, 1, 256, 512, 9.6),
        ROW(2, NONE, ONESHOT, 3, 128, 768, 4.0), ROW(2, NONE, TWOSHOT, 3, 128, 768, 3.0));
}

/* AUTO takes no part; MNNVL has no number in the table, and the second best is not taken. */
static void the_first_best_of_each_shape_is_the_cell(void)
{
  with(SMALL);
  some_times();
  expect_table("allreduce-table", "90 | 2 | NONE | 128 | 1 | ONESHOT | 4 | measured | 4 | 100 | 1",
               "90 | 2 | NONE | 128 | 2 | NCCL | 0 | unknown | 10 | - | 2",
               "90 | 2 | NONE | 256 | 1 | ONESHOT | 4 | measured | 9.6 | 4.16666667 | 3",
               "90 | 2 | NONE | 256 | 2 | NCCL | 0 | default | - | - | 4");
  expect_metric("allreduce_filled", NULL, "2");
  expect_notice(12, 1);
}

/* The shape of 3 tokens is looked up in the cell of 2, which has NCCL: not measured there. */
static void winners_coverage_and_shapes_between_cells(void)
{
  with(SMALL);
  some_times();
  expect_table(
      "allreduce-winners",
      "2 | NONE | 128 | 1 | ONESHOT | 4 | NCCL | 100 | - | - | no repeats | 100 | 1 | 0 | 256 | "
      "0.064 | 0.064 | 90",
      "2 | NONE | 128 | 2 | MNNVL | 5 | TWOSHOT | 20 | - | - | no repeats | 20 | 1 | 0 | 512 | "
      "0.1024 | 0.1024 | 90",
      "2 | NONE | 128 | 3 | TWOSHOT | 3 | ONESHOT | 33.3333333 | - | - | no repeats | 33.3333333 | "
      "1 | 0 | 768 | 0.256 | 0.256 | 90",
      "2 | NONE | 256 | 1 | ONESHOT | 9.6 | NCCL | 4.16666667 | - | - | no repeats | 4.16666667 | "
      "1 | 0 | 512 | 0.0533333 | 0.0533333 | 90");
  expect_table("allreduce-coverage", "2 | NONE | 4 | 2 | 1 | 1 | 0 | 1 | -");
  expect_table("allreduce-off-grid", "2 | NONE | 128 | 3 | TWOSHOT | NCCL | -");
}

/* With the second best the cell of 2 tokens has TWOSHOT, the best of 3, too. */
static void known_only_takes_the_second_best(void)
{
  with(SMALL, "known-only=true");
  some_times();
  expect_table("allreduce-off-grid", "2 | NONE | 128 | 3 | TWOSHOT | TWOSHOT | 0");
  expect_metric("allreduce_filled", NULL, "3");
}

static void a_new_strategy_needs_its_number_alone(void)
{
  with(SMALL, "known=NCCL,ONESHOT,TWOSHOT,MNNVL=7", "default=NCCL_SYMMETRIC");
  some_times();
  expect_table("allreduce-table", "90 | 2 | NONE | 128 | 1 | ONESHOT | 4 | measured | 4 | 100 | 1",
               "90 | 2 | NONE | 128 | 2 | MNNVL | 7 | measured | 5 | 20 | 2",
               "90 | 2 | NONE | 256 | 1 | ONESHOT | 4 | measured | 9.6 | 4.16666667 | 3",
               "90 | 2 | NONE | 256 | 2 | NCCL_SYMMETRIC | 8 | default | - | - | 4");
}

/* ONESHOT gains 0.4 of 9.6: 4.17 %. */
static void a_small_gain_keeps_the_default(void)
{
  with(SMALL, "min-gain=5%");
  some_times();
  expect_table("allreduce-coverage", "2 | NONE | 4 | 1 | 1 | 1 | 1 | 1 | -");
  expect_metric("allreduce_filled", NULL, "2");
  harness_clear();
  with(SMALL, "min-gain=4");
  some_times();
  expect_table("allreduce-coverage", "2 | NONE | 4 | 2 | 1 | 1 | 0 | 1 | -");
}

/* 2 % apart the two rows of ONESHOT are surely shorter (the numbers are of the library's own test); 20 % apart they are
 * not; one shape has ONESHOT alone, and one has a row of each. */
static void rows_with_noise(const char *option)
{
  with(SMALL, option);
  given(ROW(2, NONE, NCCL, 1, 128, 256, 20.0), ROW(2, NONE, NCCL, 1, 128, 256, 20.4),
        ROW(2, NONE, ONESHOT, 1, 128, 256, 10.0), ROW(2, NONE, ONESHOT, 1, 128, 256, 10.2),
        ROW(2, NONE, NCCL, 2, 128, 512, 10.5), ROW(2, NONE, NCCL, 2, 128, 512, 12.6),
        ROW(2, NONE, ONESHOT, 2, 128, 512, 10.0), ROW(2, NONE, ONESHOT, 2, 128, 512, 12.0),
        ROW(2, NONE, ONESHOT, 1, 256, 512, 5.0), ROW(2, NONE, ONESHOT, 1, 256, 512, 5.5),
        ROW(2, NONE, NCCL, 2, 256, 1024, 8.0), ROW(2, NONE, ONESHOT, 2, 256, 1024, 4.0));
}

/* The error of the second shape is 0.0912 * 1.414 with 2 degrees of freedom. */
static void repeats_say_what_is_noise(void)
{
  rows_with_noise("repeat=min");
  expect_table(
      "allreduce-winners",
      "2 | NONE | 128 | 1 | ONESHOT | 10 | NCCL | 100 | 88.3061624 | 112.420026 | yes | 100 | 2 | "
      "2 | 256 | 0.0256 | 0.0256 | -",
      "2 | NONE | 128 | 2 | ONESHOT | 10 | NCCL | 5 | -39.7044153 | 82.8492095 | noise | 0 | 2 | "
      "20 | 512 | 0.0512 | 0.0512 | -",
      "2 | NONE | 256 | 1 | ONESHOT | 5 | - | - | - | - | one candidate | - | 2 | 10 | 512 | "
      "0.1024 | 0.1024 | -",
      "2 | NONE | 256 | 2 | ONESHOT | 4 | NCCL | 100 | - | - | no repeats | 100 | 1 | 0 | 1024 | "
      "0.256 | 0.256 | -");
  expect_table("allreduce-gains",
               "2 | NONE | 128 | 1 | NCCL | ONESHOT | 100 | 88.3061624 | 112.420026 | 2",
               "2 | NONE | 128 | 2 | NCCL | ONESHOT | 5 | -39.7044153 | 82.8492095 | 2");
  expect_metric("allreduce_undecided", NULL, "2");
  expect_metric("allreduce_filled", NULL, "4");
}

/* Gains of 2, 1.05 and 2: their product's third root. */
static void what_is_decided_is_said_first(void)
{
  rows_with_noise("repeat=min");
  expect_table("allreduce-findings", "1 | The table beats NCCL 1.61x over 3 cells.",
               "2 | 2 of 4 cells undecided: differences are within noise, or there are no repeats.",
               "3 | 1 cell has one candidate alone.");
  harness_clear();
  with("tp=8", "fusions=NONE", "hidden=128,4096", "tokens=1,64");
  given_lane("tag.sm=90");
  given(ROW(8, NONE, ONESHOT, 1, 128, 256, 4.0), ROW(8, NONE, TWOSHOT, 1, 128, 256, 8.0),
        ROW(8, NONE, ONESHOT, 64, 4096, 524288, 40.0),
        ROW(8, NONE, TWOSHOT, 64, 4096, 524288, 20.0), ROW(8, NONE, NCCL, 64, 4096, 524288, 10.0));
  expect_table("allreduce-findings", "1 | The table beats NCCL 1.00x over 1 cell.",
               "2 | The library's threshold rule loses 41.4 % against the fastest over 2 cells, at "
               "worst 100 % with 64 tokens of 4096.",
               "3 | 2 of 2 cells undecided: measure more than once to estimate noise.");
}

/* The default stays at the second shape, and where one row of each tells nothing. */
static void a_gain_has_to_be_beyond_noise(void)
{
  rows_with_noise("min-gain=auto");
  expect_table("allreduce-table", "- | 2 | NONE | 128 | 1 | ONESHOT | 4 | measured | 10 | 100 | 1",
               "- | 2 | NONE | 128 | 2 | NCCL | 0 | kept | 10.5 | 5 | 2",
               "- | 2 | NONE | 256 | 1 | ONESHOT | 4 | measured | 5 | - | 3",
               "- | 2 | NONE | 256 | 2 | NCCL | 0 | kept | 8 | 100 | 4");
  expect_table("allreduce-findings",
               "1 | The table beats NCCL 1.26x over 3 cells; it loses 20.4 % against the fastest.",
               "2 | 2 of 4 cells undecided: differences are within noise, or there are no repeats.",
               "3 | 1 cell has one candidate alone.");
  expect_notice(14, 1);
}

/* A: 4, 9, 8; B: 5, 6, 10.  Least 4 and 5, medians 8 and 6, means 7 and 7. */
static void rows_that_repeat(const char *repeat)
{
  with("tp=2", "fusions=NONE", "hidden=128", "tokens=1", "known=A=1,B=2", "default=B", repeat);
  given(ROW(2, NONE, B, 1, 128, 256, 5.0), ROW(2, NONE, A, 1, 128, 256, 4.0),
        ROW(2, NONE, B, 1, 128, 256, 6.0), ROW(2, NONE, A, 1, 128, 256, 9.0),
        ROW(2, NONE, B, 1, 128, 256, 10.0), ROW(2, NONE, A, 1, 128, 256, 8.0));
}

static void rows_of_a_strategy_count_as_asked(void)
{
  rows_that_repeat("repeat=min");
  expect_table("allreduce-table", "- | 2 | NONE | 128 | 1 | A | 1 | measured | 4 | 25 | 1");
  expect_table("allreduce-winners", "2 | NONE | 128 | 1 | A | 4 | B | 25 | -64.2118108 | "
                                    "187.130583 | noise | 0 | 3 | 125 | 256 | 0.064 | 0.064 | -");
  harness_clear();
  rows_that_repeat("repeat=median");
  expect_table("allreduce-table", "- | 2 | NONE | 128 | 1 | B | 2 | measured | 6 | 33.3333333 | 1");
  harness_clear();
  rows_that_repeat("repeat=mean");
  expect_table("allreduce-table", "- | 2 | NONE | 128 | 1 | B | 2 | measured | 7 | 0 | 1");
}

/* An even number of rows: the middle of the two. */
static void medians_over_files(void)
{
  with("tp=2", "fusions=NONE", "hidden=128", "tokens=1", "known=A=1", "default=A", "repeat=median");
  given_lane("rank=-");
  given(ROW(2, NONE, A, 1, 128, 256, 4.0), ROW(2, NONE, A, 1, 128, 256, 10.0));
  given_lane("rank=-");
  given(ROW(2, NONE, A, 1, 128, 256, 6.0), ROW(2, NONE, A, 1, 128, 256, 5.0));
  expect_table("allreduce-table", "- | 2 | NONE | 128 | 1 | A | 1 | measured | 5.5 | - | 1");
}

static void equal_times_are_of_the_first_row(void)
{
  with("tp=2", "fusions=NONE", "hidden=128", "tokens=1");
  given(ROW(2, NONE, TWOSHOT, 1, 128, 256, 5.0), ROW(2, NONE, ONESHOT, 1, 128, 256, 4.0),
        ROW(2, NONE, NCCL, 1, 128, 256, 4.0), ROW(2, NONE, TWOSHOT, 1, 128, 256, 4.0));
  expect_table("allreduce-table", "- | 2 | NONE | 128 | 1 | ONESHOT | 4 | measured | 4 | 0 | 1");
}

static void what_was_not_measured_is_named(void)
{
  with("tp=2,4", "fusions=NONE,RESIDUAL_RMS_NORM", "hidden=128", "tokens=1");
  given(ROW(2, NONE, ONESHOT, 1, 128, 256, 5.0),
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128}");
  expect_table("allreduce-coverage", "2 | NONE | 1 | 1 | 0 | 0 | 0 | 0 | -",
               "2 | RESIDUAL_RMS_NORM | 1 | 0 | 1 | 0 | 0 | 0 | no rows",
               "4 | NONE | 1 | 0 | 1 | 0 | 0 | 0 | no file",
               "4 | RESIDUAL_RMS_NORM | 1 | 0 | 1 | 0 | 0 | 0 | no file");
  expect_notice(10, 1);
  expect_notice(11, 1);
}

static void a_number_of_gpus_without_a_file_may_be_an_error(void)
{
  with("tp=2,4", "require-all=true");
  given(ROW(2, NONE, ONESHOT, 1, 128, 256, 5.0));
  expect_status(MILL_BAD_INPUT);
  expect_notice(13, 1);
  harness_clear();
  with("tp=4,8");
  given(ROW(2, NONE, ONESHOT, 1, 128, 256, 5.0));
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

/* The consumer cuts logarithms towards zero: 65 elements are of the row of 128, 300 tokens of that of 256, and 3 GPUs
 * of those of 2. */
static void look_up(const char *shape)
{
  with("hidden=128,256", "tokens=1,2,256", shape);
  given_lane("tag.sm=90");
  given(ROW(2, NONE, ONESHOT, 256, 128, 65536, 4.0), ROW(2, NONE, NCCL, 256, 128, 65536, 5.0),
        ROW(2, RESIDUAL_RMS_NORM_QUANT_FP8, TWOSHOT, 1, 256, 512, 4.0));
}

static void lookups_as_the_consumer_does_them(void)
{
  look_up("shape=3,NONE,65,300");
  expect_metric("allreduce_choice", NULL, "4");
  expect_metric("allreduce_lookup", NULL,
                "{\n  \"cell\": {\n    \"tp\": 2,\n    \"fusion\": \"NONE\",\n"
                "    \"hidden_size\": 128,\n    \"num_tokens\": 256\n  },\n"
                "  \"strategy\": \"ONESHOT\",\n  \"source\": \"measured\",\n"
                "  \"time_us\": 4.0,\n  \"margin_percent\": 25.0\n}");
  harness_clear();
  look_up("shape=2,RESIDUAL_RMS_NORM_OUT_QUANT_FP8,511,1");
  expect_metric("allreduce_choice", NULL, "5");
  static const char *const outside[] = { "shape=2,NONE,64,256",   "shape=2,NONE,512,1",
                                         "shape=2,NONE,128,512",  "shape=1,NONE,128,256",
                                         "shape=16,NONE,128,256", "shape=2,OTHER,128,256" };
  for (unsigned i = 0; i < MILL_COUNT(outside); i++) {
    harness_clear();
    look_up(outside[i]);
    expect_metric("allreduce_choice", NULL, "0");
    expect_metric("allreduce_lookup", NULL,
                  "{\n  \"cell\": null,\n  \"strategy\": \"NCCL\",\n  \"source\": \"default\",\n"
                  "  \"time_us\": null,\n  \"margin_percent\": null\n}");
  }
}

static void without_a_shape_there_is_no_lookup(void)
{
  with(SMALL);
  some_times();
  expect_metric("allreduce_choice", NULL, NULL);
  expect_metric("allreduce_lookup", NULL, NULL);
}

static void a_table_alone_is_handed_on_and_looked_up_in(void)
{
  with("shape=2,NONE,128,3");
  given_lane("tag.sm=100");
  given("- allreduce.cell - {tp=2, fusion=NONE, strategy=TWOSHOT, tokens=2, hidden=128, number=5}",
        "- allreduce.cell - {tp=2, fusion=NONE, strategy=ONESHOT, tokens=1, hidden=128, number=4, "
        "source=measured}");
  expect_table("allreduce-table", "100 | 2 | NONE | 128 | 1 | ONESHOT | 4 | measured | - | - | 1",
               "100 | 2 | NONE | 128 | 2 | TWOSHOT | 5 | - | - | - | 2");
  expect_metric("allreduce_choice", NULL, "5");
  expect_metric("allreduce_filled", NULL, NULL);
}

static void options_that_mean_nothing_are_refused(void)
{
  static const char *const wrong[] = { "known=A=2147483648", "fusions=NONE,A,NONE",
                                       "known=NEWEST",       "known=A=x",
                                       "default=NEWEST",     "tp=2,x",
                                       "hidden=0",           "min-gain=much",
                                       "min-gain=-1%",       "shape=2,NONE,1",
                                       "shape=2,NONE,1,1,1", "shape=0,NONE,1,1" };
  for (unsigned i = 0; i < MILL_COUNT(wrong); i++) {
    harness_clear();
    with(wrong[i]);
    some_times();
    expect_status(MILL_STAGE_FAILED);
  }
}

static void inputs_that_do_not_fit(void)
{
  given_lane("tag.sm=90");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  given_lane("tag.sm=100");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
  harness_clear();
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, op=gemm_allreduce}");
  expect_notice(3, 1);
  harness_clear();
  with("dtype=bfloat16");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, dtype=float32}");
  expect_notice(4, 1);
}

HARNESS_MAIN(
    { "the first best of each shape is the cell", the_first_best_of_each_shape_is_the_cell },
    { "winners, coverage and shapes between cells", winners_coverage_and_shapes_between_cells },
    { "known-only takes the runner-up", known_only_takes_the_second_best },
    { "a new strategy needs its number alone", a_new_strategy_needs_its_number_alone },
    { "a small gain keeps the default", a_small_gain_keeps_the_default },
    { "repeats say what is noise", repeats_say_what_is_noise },
    { "what is decided is said first", what_is_decided_is_said_first },
    { "a gain has to be beyond noise", a_gain_has_to_be_beyond_noise },
    { "rows of a strategy count as asked", rows_of_a_strategy_count_as_asked },
    { "medians over files", medians_over_files },
    { "equal times are of the first row", equal_times_are_of_the_first_row },
    { "what was not measured is named", what_was_not_measured_is_named },
    { "a number of GPUs without a file may be an error",
      a_number_of_gpus_without_a_file_may_be_an_error },
    { "lookups as the consumer does them", lookups_as_the_consumer_does_them },
    { "without a shape there is no lookup", without_a_shape_there_is_no_lookup },
    { "a table alone is handed on and looked up in", a_table_alone_is_handed_on_and_looked_up_in },
    { "options that mean nothing are refused", options_that_mean_nothing_are_refused },
    { "inputs that do not fit", inputs_that_do_not_fit })
