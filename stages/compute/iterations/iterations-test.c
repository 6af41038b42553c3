/* Tests of compute/iterations: which sequence is an iteration, and which intervals count. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* A kernel for each letter, so far apart; a blank is a kernel time without one. */
static void kernels(const char *letters, int64_t *io_ns, int64_t step_ns)
{
  char line[96];
  for (; *letters; letters++, *io_ns += step_ns) {
    if (*letters == ' ') continue;
    snprintf(line, sizeof line, "X \"%c Cmpt Exec\" %lld 1us {TS1=1, TS2=1, TS3=1, TS4=1, TS5=1}",
             *letters, (long long)*io_ns);
    given(line);
  }
}

static void nothing_repeats_without_kernels(void)
{
  given("X a 0 1us {TS1=1}", "M m -");
  expect_empty_table("iterations");
  expect_metric("iteration_time", "mean", NULL);
  expect_notice(1, 0);
  expect("M m -", "X a 0 1us {TS1=1}");
}

/* Five kernels and a pause, every 106 us. */
static void a_word_is_an_iteration(void)
{
  int64_t at = 0;
  for (int i = 0; i < 4; i++, at += 6000) kernels("abcde", &at, 20000);
  expect_table("iterations", "0 | 106000 | 106000 | 106000 | 3");
  expect_metric("iteration_time", "mean", "106000");
  expect_metric("iteration_time", "min", "106000");
}

/* Three of 106 us, 6 s of nothing, two more; once more 6 s, inside of an iteration.  Without the pauses these are
 * 106, 106, 106, 106 us and one of 108 us. */
static void pauses_are_no_time_of_iterations(void)
{
  int64_t at = 0;
  for (int i = 0; i < 3; i++, at += 6000) kernels("abcde", &at, 20000);
  at += INT64_C(6000000000);
  for (int i = 0; i < 2; i++, at += 6000) kernels("abcde", &at, 20000);
  kernels("abc", &at, 20000);
  at += INT64_C(6000000000);
  kernels("de", &at, 20000);
  kernels("abcde", &at, 20000);
  at += 8000;
  kernels("abcde", &at, 20000);
  expect_table("iterations", "0 | 106400 | 106000 | 107920 | 5");
  expect_metric("iteration_time", "p50", "106000");
  expect_metric("iteration_time", "max", "108000");
  expect_notice(2, 2);
}

/* One value is kept as it is; three are counted in bins, no further apart than they are. */
static void percentiles_of_many_are_of_bins(void)
{
  int64_t at = 0;
  with("exact-up-to=1");
  for (int i = 0; i < 4; i++, at += 6000) kernels("abcde", &at, 20000);
  expect_table("iterations", "0 | 106000 | 106000 | 106000 | 3");
  expect_metric("iteration_time", "mean", "106000");
  expect_notice(3, 1);
}

/* Two kernels before, three iterations of six, one with another kernel in it, three more: 106 us from the first to the
 * second and to the third; the one after the disturbed one does not count, the next two do. */
static void a_disturbed_iteration_is_passed_over(void)
{
  int64_t at = 0;
  kernels("xy", &at, 10000);
  for (int i = 0; i < 3; i++, at += 46000) kernels("abcdef", &at, 10000);
  kernels("abXdef", &at, 10000);
  for (int i = 0; i < 3; i++, at += 46000) kernels("abcdef", &at, 10000);
  expect_table("iterations", "0 | 106000 | 106000 | 106000 | 4");
}

/* One kernel more, and one less: the search goes on at the word's begin inside of what did not fit. */
static void iterations_of_another_length_are_passed_over(void)
{
  int64_t at = 0;
  kernels("abcde", &at, 10000);
  kernels("abcde", &at, 20000); /* 50 us after the first */
  kernels("abcXde", &at, 10000);
  kernels("abcde", &at, 10000); /* does not count */
  kernels("abcde", &at, 10000); /* 50 us */
  kernels("abce", &at, 10000);
  kernels("abcde", &at, 10000);       /* does not count */
  kernels("abcdeababcde", &at, 3000); /* 50 us; then not */
  expect_table("iterations", "0 | 50000 | 50000 | 50000 | 3");
  expect_metric("iteration_time", "max", "50000");
}

/* The word "ababc": its end "ab" begins it, which the search goes on with. */
static void a_word_may_begin_inside_of_itself(void)
{
  int64_t at = 0;
  kernels("ababcababc", &at, 1000); /* 5 us */
  kernels("abababc", &at, 1000);    /* restarted at its third kernel */
  kernels("ababc", &at, 1000);      /* 5 us */
  expect_table("iterations", "0 | 5000 | 5000 | 5000 | 2");
}

/* Names count as they are, with their numbers; letters of 26 kinds would collide. */
static void names_are_exact(void)
{
  char line[96];
  for (int i = 0; i < 60; i++) {
    snprintf(line, sizeof line, "X \"mm_%d Cmpt Exec\" %dus 1us {TS1=1}", i % 30, i * 10);
    given(line);
  }
  expect_table("iterations", "0 | 300000 | 300000 | 300000 | 1");
}

static void only_stamped_kernels_count(void)
{
  int64_t at = 0;
  kernels("abcde", &at, 10000);
  given("X \"z Cmpt Exec\" 45us 1us", "X \"z Cmpt Prep\" 46us 1us {TS1=1}",
        "i \"z Cmpt Exec\" 47us {TS1=1}", "X \"z Cmpt Exec\" 48us 1us {TS1=\"NaN\"}",
        "X \"z Cmpt Exec\" - 1us {TS1=1}");
  kernels("abcde", &at, 10000);
  expect_table("iterations", "0 | 50000 | 50000 | 50000 | 1");
}

static void ranks_add_up(void)
{
  for (int rank = 0; rank < 3; rank++) {
    int64_t at = 0;
    given_lane(rank == 0 ? "rank=0" : rank == 1 ? "rank=1" : "rank=2");
    for (int i = 0; i < 2 + rank && rank < 2; i++) kernels("abcde", &at, 10000 * (1 + rank));
    if (rank == 2) kernels("abc", &at, 1000);
  }
  expect_table("iterations", "0 | 50000 | 50000 | 50000 | 1", "1 | 100000 | 100000 | 100000 | 2");
  expect_metric("iteration_time", "mean", "83333.3333333"); /* (50 + 100 + 100) / 3 */
}

/* 100,000 kernels: 333 of their own, then 1,000 that come again and again, 10 us apart. */
static void long_words_are_found(void)
{
  char line[96];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X \"mm_%d Cmpt Exec\" %dus 1us {TS1=1}",
             i < 333 ? i : 1000 + (i - 333) % 1000, i * 10);
    given(line);
  }
  expect_table("iterations", "0 | 10000000 | 10000000 | 10000000 | 98");
}

/* What comes before is too long: 16 kernels of 20, then two words of 5. */
static void the_search_is_bounded(void)
{
  int64_t at = 0;
  with("max-kernels=20");
  kernels("ABCDEFGHIJKLMNOP", &at, 1000);
  kernels("abcdeabcde", &at, 1000);
  expect_empty_table("iterations");
  expect_notice(1, 1);
}

static void a_word_within_the_bound_is_followed_beyond_it(void)
{
  int64_t at = 0;
  with("max-kernels=20");
  kernels("xy", &at, 1000);
  for (int i = 0; i < 4; i++) kernels("ABCDEFGHI", &at, 1000);
  expect_table("iterations", "0 | 9000 | 9000 | 9000 | 3");
  expect_notice(1, 0);
}

static void times_may_be_at_the_ends(void)
{
  int64_t at = INT64_MIN;
  kernels("abcde", &at, 1);
  at = INT64_MAX - 100;
  kernels("abcde", &at, 1);
  expect_empty_table("iterations");
  expect_notice(2, 1);
}

HARNESS_MAIN({ "nothing repeats without kernels", nothing_repeats_without_kernels },
             { "a word is an iteration", a_word_is_an_iteration },
             { "pauses are no time of iterations", pauses_are_no_time_of_iterations },
             { "percentiles of many are of bins", percentiles_of_many_are_of_bins },
             { "a disturbed iteration is passed over", a_disturbed_iteration_is_passed_over },
             { "iterations of another length are passed over",
               iterations_of_another_length_are_passed_over },
             { "a word may begin inside of itself", a_word_may_begin_inside_of_itself },
             { "names are exact", names_are_exact },
             { "only stamped kernels count", only_stamped_kernels_count },
             { "ranks add up", ranks_add_up }, { "long words are found", long_words_are_found },
             { "the search is bounded", the_search_is_bounded },
             { "a word within the bound is followed beyond it",
               a_word_within_the_bound_is_followed_beyond_it },
             { "times may be at the ends", times_may_be_at_the_ends })
