/* Tests of distributions: exact, binned, and the same in any grouping. */
#include "lib/hist.h"

#include <math.h>
#include <stagemill/harness.h>
#include <stdlib.h>

#include "check.h"

static double percentile(Hist *h, double p)
{
  double out = NAN;
  CHECK(hist_percentile(h, p, &out));
  return out;
}

/* 15, 20, 35, 40, 50: rank of p40 is 1.6: 20 + 0.6 * 15 = 29. */
static void few_values_are_exact(void)
{
  const int64_t values[] = { 40, 15, 50, 20, 35 };
  Hist h;
  hist_init(&h, HIST_EXACT);
  for (int i = 0; i < 5; i++) hist_add(&h, values[i]);
  CHECK(hist_is_exact(&h));
  CHECK(percentile(&h, 0) == 15 && percentile(&h, 50) == 35 && percentile(&h, 100) == 50);
  CHECK(fabs(percentile(&h, 40) - 29) < 1e-9);
  hist_clear(&h);
  double out;
  CHECK(!hist_percentile(&h, 50, &out));
}

static void the_bound_is_256_values(void)
{
  Hist h;
  hist_init(&h, HIST_EXACT);
  for (int i = 0; i < 256; i++) hist_add(&h, i * 1000);
  CHECK(hist_is_exact(&h));
  hist_add(&h, 5);
  CHECK(!hist_is_exact(&h));
  CHECK_INT(h.n, 257);
  hist_clear(&h);
}

static int compare(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static double exact_percentile(const int64_t *sorted, size_t n, double p)
{
  double rank = (double)(n - 1) * (p / 100), part = rank - floor(rank);
  size_t i = (size_t)rank;
  if (i + 1 >= n) return (double)sorted[n - 1];
  return (double)sorted[i] + ((double)sorted[i + 1] - (double)sorted[i]) * part;
}

/* Values over 40 octaves, of both signs. */
static void many_values_are_within_the_error(void)
{
  enum { N = 5000 };
  static int64_t values[N];
  uint64_t state = 88172645463325252u;
  Hist h;
  hist_init(&h, HIST_EXACT);
  for (int i = 0; i < N; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[i] = (int64_t)(state >> (24 + state % 40)) * (i % 3 ? 1 : -1);
    hist_add(&h, values[i]);
  }
  qsort(values, N, sizeof values[0], compare);
  for (int p = 0; p <= 100; p++) {
    double wanted = exact_percentile(values, N, p), got = percentile(&h, p);
    CHECK(fabs(got - wanted) <= 0.008 * fabs(wanted) + 0.5);
  }
  CHECK(percentile(&h, 0) == (double)values[0] && percentile(&h, 100) == (double)values[N - 1]);
  hist_clear(&h);
}

static void small_values_have_a_bin_each(void)
{
  Hist h;
  hist_init(&h, 0);
  for (int i = -127; i <= 127; i++) hist_add(&h, i);
  CHECK(!hist_is_exact(&h));
  for (int p = 0; p <= 254; p++) CHECK(fabs(percentile(&h, p / 2.54) - (p - 127)) < 1e-9);
  hist_clear(&h);
}

static void extremes_have_bins(void)
{
  Hist h;
  hist_init(&h, 0);
  hist_add(&h, INT64_MAX);
  hist_add(&h, INT64_MIN);
  CHECK(percentile(&h, 0) <= -9.1e18 && percentile(&h, 100) >= 9.1e18);
  hist_clear(&h);
}

/* What it saves, as text. */
static void save_text(Hist *h, char *out, size_t max)
{
  const MillHost *host = harness_host();
  size_t len = 0;
  hist_save(h, host);
  while (host->get_more(host) && len < max)
    len += (size_t)snprintf(out + len, max - len, "%lld ", (long long)host->get_int(host));
}

/* One summary of all values, whatever the parts and their order. */
static void any_grouping_gives_the_same(void)
{
  enum { N = 600, PARTS = 3 };
  const size_t cuts[][PARTS + 1] = {
    { 0, 10, 20, N }, { 0, 300, 590, N }, { 0, 0, N, N }, { 0, 200, 400, N }
  };
  char reference[1 << 16] = "", text[1 << 16];
  for (size_t c = 0; c < 4; c++) {
    Hist all;
    hist_init(&all, HIST_EXACT);
    for (int part = PARTS; part-- > 0;) {
      Hist one;
      hist_init(&one, HIST_EXACT);
      for (size_t i = cuts[c][part]; i < cuts[c][part + 1]; i++)
        hist_add(&one, (int64_t)(i * 7919 % 10007) * 97);
      CHECK(hist_merge(&all, &one));
      hist_clear(&one);
    }
    save_text(&all, text, sizeof text);
    if (c == 0) strcpy(reference, text);
    CHECK(strcmp(text, reference) == 0);
    hist_clear(&all);
  }
}

static void check_round_trip(uint64_t n)
{
  static char before[1 << 16], after[1 << 16];
  Hist h, loaded;
  hist_init(&h, HIST_EXACT);
  hist_init(&loaded, HIST_EXACT);
  for (uint64_t i = 0; i < n; i++) hist_add(&h, (int64_t)(i * i) - 50);
  hist_save(&h, harness_host());
  CHECK(hist_load(&loaded, harness_host()));
  CHECK(!harness_host()->get_more(harness_host()));
  CHECK_INT(loaded.n, n);
  save_text(&h, before, sizeof before);
  save_text(&loaded, after, sizeof after);
  CHECK(strcmp(after, before) == 0);
  hist_clear(&h);
  hist_clear(&loaded);
}

static void saving_and_loading_keep_all(void)
{
  check_round_trip(0);
  check_round_trip(3);
  check_round_trip(256);
  check_round_trip(1000);
}

TEST_MAIN({ "few values are exact", few_values_are_exact },
          { "the bound is 256 values", the_bound_is_256_values },
          { "many values are within the error", many_values_are_within_the_error },
          { "small values have a bin each", small_values_have_a_bin_each },
          { "extremes have bins", extremes_have_bins },
          { "any grouping gives the same", any_grouping_gives_the_same },
          { "saving and loading keep all", saving_and_loading_keep_all })
