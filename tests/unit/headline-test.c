/* The judgement of headline metrics: cases by hand, and how often chance and planted regressions are found. */
/* SPDX-License-Identifier: MIT */
#include "compare/headline.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "made-noise.h"

enum { MOST_RUNS = 16, N_METRICS = 13 }; /* as many as a benchmark of serving has */
static const CompareOptions usual = { .min_change = 0.01, .confidence = 0.95 };

static HeadlineTest made(const double *base, int n_base, const double *changed, int n_changed,
                         uint32_t better)
{
  Meter *m = meter_new(usual.min_change, usual.confidence, 2 * MOST_RUNS);
  for (int i = 0; i < n_base; i++) meter_add(m, true, base[i]);
  for (int i = 0; i < n_changed; i++) meter_add(m, false, changed[i]);
  HeadlineTest t = headline_test(m, better);
  meter_free(m);
  return t;
}

static void check_one(const double *base, int n_base, const double *changed, int n_changed,
                      uint32_t better, const char *verdict, const char *reason)
{
  HeadlineTest t = made(base, n_base, changed, n_changed, better);
  headline_judge(&t, 1, &usual);
  CHECK_STR(headline_verdict_name(t.verdict), verdict);
  CHECK_STR(t.reason ? t.reason : "", reason);
  g_free(t.reason);
}

static void test_by_hand(void)
{
  static const double low[] = { 100, 101, 102, 103 }, high[] = { 110, 111, 112, 113 };
  static const double near[] = { 103.1, 103.2, 103.3, 103.4 }, one[] = { 5, 5, 5, 5 };
  static const double odd[] = { 5, 5, 5, 9 };
  check_one(low, 4, high, 4, MILL_LOWER, "worse", "");
  check_one(low, 4, high, 4, MILL_HIGHER, "better", "");
  check_one(high, 4, low, 4, MILL_HIGHER, "worse", "");
  check_one(low, 4, low, 4, MILL_LOWER, "equal", "");
  check_one(low + 3, 1, near, 1, MILL_LOWER, "not judged", "fewer than 4 runs a side");
  check_one(low, 3, high, 4, MILL_LOWER, "not judged", "fewer than 4 runs a side");
  check_one(low, 4, high, 0, MILL_LOWER, "not judged", "the new side has no value");
  check_one(low, 0, high, 4, MILL_LOWER, "not judged", "the base has no value");
  check_one(one, 4, one, 4, MILL_LOWER, "equal", "");
  check_one(one, 4, odd, 4, MILL_LOWER, "not judged", "too many runs have the same value");
  static const double within[] = { 100.9, 100.8, 100.7, 100.6 },
                      flat[] = { 100, 100.1, 100.2, 100.3 };
  check_one(flat, 4, within, 4, MILL_LOWER, "equal", ""); /* beyond chance, and within 1 % */
}

/* Of three metrics 1 in 70 is more than a third of 2.5 %: five runs a side are needed, 1 in 252. */
static void test_several(void)
{
  static const double base[] = { 100, 101, 102, 103, 104 }, slow[] = { 110, 111, 112, 113, 114 };
  HeadlineTest t[3];
  for (int i = 0; i < 3; i++) t[i] = made(base, 4, slow, 4, MILL_LOWER);
  headline_judge(t, 3, &usual);
  for (int i = 0; i < 3; i++) {
    CHECK_INT(t[i].verdict, HEADLINE_NOT_JUDGED);
    CHECK_STR(t[i].reason, "too few runs for 3 headline metrics: 5 a side are needed");
    CHECK(fabs(t[i].p - 1 / 70.0) < 1e-12 && isnan(t[i].corrected));
    g_free(t[i].reason);
  }
  t[0] = made(base, 5, slow, 5, MILL_LOWER);
  t[1] = made(base, 5, slow, 5, MILL_HIGHER);
  t[2] = made(base, 5, base, 5, MILL_LOWER);
  headline_judge(t, 3, &usual);
  CHECK_INT(t[0].verdict, HEADLINE_WORSE);
  CHECK_INT(t[1].verdict, HEADLINE_BETTER);
  CHECK_INT(t[2].verdict, HEADLINE_EQUAL);
  CHECK(fabs(t[0].corrected - 3 / 252.0) < 1e-12);
}

/* ---------------------------------------------------------------- at random */

/* What metrics of one run share, as a warm machine does, and what each has alone; of the second metric on, some are
 * rates, and some are whole numbers with ties. */
static void fill_run(double share, double *out)
{
  double common = noise_normal();
  for (int m = 0; m < N_METRICS; m++) {
    double noise = 0.03 * (sqrt(share) * common + sqrt(1 - share) * noise_normal());
    out[m] = 100 * (1 + noise);
    if (m % 4 == 3) out[m] = rint(out[m]);
  }
}

static uint32_t better_of(int metric) { return metric % 3 ? MILL_LOWER : MILL_HIGHER; }

/* Whether one comparison of that many runs a side fails, of which the first metrics are worse by this part. */
static bool fails(int n_runs, double share, int n_worse, double part)
{
  double base[MOST_RUNS][N_METRICS], changed[MOST_RUNS][N_METRICS];
  HeadlineTest t[N_METRICS];
  bool found = false;
  for (int run = 0; run < n_runs; run++) fill_run(share, base[run]);
  for (int run = 0; run < n_runs; run++) fill_run(share, changed[run]);
  for (int m = 0; m < N_METRICS; m++) {
    double one[MOST_RUNS] = { 0 }, other[MOST_RUNS] = { 0 };
    double worse = m >= n_worse ? 1 : better_of(m) == MILL_LOWER ? 1 + part : 1 / (1 + part);
    for (int run = 0; run < n_runs; run++) one[run] = base[run][m];
    for (int run = 0; run < n_runs; run++) other[run] = changed[run][m] * worse;
    t[m] = made(one, n_runs, other, n_runs, better_of(m));
  }
  headline_judge(t, N_METRICS, &usual);
  for (int m = 0; m < N_METRICS; m++) {
    found = found || t[m].verdict == HEADLINE_WORSE;
    g_free(t[m].reason);
  }
  return found;
}

static int count_failures(int n_runs, double share, int n_worse)
{
  int n = 0;
  for (int round = 0; round < 1000; round++) n += fails(n_runs, share, n_worse, 0.1);
  return n;
}

/* Of 1,000 splits of equal runs at most 50 fail, of as many with one planted regression of 10 % at least 950. */
static void test_rates(void)
{
  static const struct {
    int n_runs;
    double share;
  } rows[] = { { 8, 0 }, { 8, 0.7 }, { 12, 0 }, { 12, 0.7 } };
  noise_seed = 25;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    int equal = count_failures(rows[i].n_runs, rows[i].share, 0);
    int planted = count_failures(rows[i].n_runs, rows[i].share, 1);
    printf("\n    %d runs a side, %.0f %% in common: of 1,000 fail %d equal, %d planted",
           rows[i].n_runs, rows[i].share * 100, equal, planted);
    CHECK(equal <= 50);
    CHECK(planted >= 950);
  }
  CHECK(count_failures(8, 0, 0) >= 5); /* the test is not blind */
}

TEST_MAIN({ "by hand", test_by_hand }, { "several metrics", test_several },
          { "rates of 1,000 comparisons", test_rates })
