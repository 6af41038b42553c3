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
  hist_init(&h, harness_host()->common, HIST_EXACT, HIST_BINS);
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
  hist_init(&h, harness_host()->common, HIST_EXACT, HIST_BINS);
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
static void check_error(uint32_t bins, double error)
{
  enum { N = 5000 };
  static int64_t values[N];
  uint64_t state = 88172645463325252u;
  Hist h;
  hist_init(&h, harness_host()->common, HIST_EXACT, bins);
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
    CHECK(fabs(got - wanted) <= error * fabs(wanted) + 0.5);
  }
  CHECK(percentile(&h, 0) == (double)values[0] && percentile(&h, 100) == (double)values[N - 1]);
  hist_clear(&h);
}

static void many_values_are_within_the_error(void)
{
  check_error(HIST_BINS, 0.008);
  check_error(HIST_FINE_BINS, 0.001);
}

/* 300000: octave from 262144 = 2^18.  Of 512 bins each has 2^9: [299520, 300032) holds it, middle
 * 299775.5; of 64 each has 2^12: [299008, 303104), middle 301055.5; of 1 it is the octave. */
static void the_number_of_bins_is_a_parameter(void)
{
  const struct {
    uint32_t bins;
    double middle;
  } rows[] = { { 512, 299775.5 }, { 64, 301055.5 }, { 1, 393215.5 } };
  for (size_t i = 0; i < 3; i++) {
    Hist h;
    hist_init(&h, harness_host()->common, 0, rows[i].bins);
    hist_add(&h, 1);
    hist_add(&h, 300000);
    hist_add(&h, 1 << 20);
    CHECK(percentile(&h, 50) == rows[i].middle);
    hist_clear(&h);
  }
}

static void bins_begin_where_they_should(void)
{
  const uint64_t values[] = { 0, 1, 63, 64, 127, 128, 129, 130, 1000, 300000, INT64_MAX };
  for (uint32_t log2_bins = 0; log2_bins <= 12; log2_bins++)
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      uint32_t bin = hist_bin(log2_bins, values[i]);
      CHECK(hist_bin_start(log2_bins, bin) <= values[i]);
      CHECK(hist_bin_start(log2_bins, bin + 1) > values[i]);
      CHECK(hist_bin(log2_bins, hist_bin_start(log2_bins, bin)) == bin);
    }
  CHECK_INT(hist_bin(6, 128), 128);
  CHECK_INT(hist_bin(6, 129), 128);
  CHECK_INT(hist_bin(6, 130), 129);
  CHECK_INT(hist_bin_start(6, 129), 130);
}

/* 100 values, 10 of each of 0, 100, 200 ... 900; 512 and -1 begin bins. */
static void values_below_a_limit_are_counted(void)
{
  for (uint64_t bound = 0; bound <= HIST_EXACT; bound += HIST_EXACT) {
    Hist h;
    hist_init(&h, harness_host()->common, bound, HIST_BINS);
    for (int i = 0; i < 100; i++) hist_add(&h, i % 10 * 100);
    CHECK_INT(hist_count_below(&h, 0), 0);
    CHECK_INT(hist_count_below(&h, -1), 0);
    CHECK_INT(hist_count_below(&h, 1), 10);
    CHECK_INT(hist_count_below(&h, 512), 60);
    CHECK_INT(hist_count_below(&h, 1024), 100);
    hist_add(&h, -5);
    CHECK_INT(hist_count_below(&h, -5), 0);
    CHECK_INT(hist_count_below(&h, 0), 1);
    hist_clear(&h);
  }
}

/* Capacity grows by doubling up to the bound, not beyond. */
static void capacity_stays_near_the_values(void)
{
  Hist h;
  hist_init(&h, harness_host()->common, 1000, HIST_BINS);
  for (int i = 0; i < 1000; i++) {
    hist_add(&h, i);
    CHECK(h.capacity <= 8 || h.capacity <= 2 * h.n);
  }
  CHECK_INT(h.capacity, 1000);
  CHECK(hist_is_exact(&h));
  hist_add(&h, 0);
  CHECK(!hist_is_exact(&h) && !h.values);
  hist_clear(&h);
}

static void values_may_be_added_after_a_percentile(void)
{
  Hist h;
  hist_init(&h, harness_host()->common, HIST_EXACT, HIST_BINS);
  for (int i = 3; i >= 1; i--) hist_add(&h, i);
  CHECK(percentile(&h, 50) == 2);
  hist_add(&h, 0);
  CHECK(percentile(&h, 0) == 0 && percentile(&h, 50) == 1.5);
  hist_clear(&h);
}

/* Few and many, of both signs and all sizes, against the C library. */
static void sorting_is_right(void)
{
  enum { N = 3000 };
  static int64_t values[N];
  uint64_t state = 362436069u;
  for (uint64_t n = 1; n <= N; n = n * 3 + 1) {
    Hist h;
    hist_init(&h, harness_host()->common, HIST_NO_BOUND, HIST_BINS);
    for (uint64_t i = 0; i < n; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      values[i] = (int64_t)state >> (state >> 33) % 60;
    }
    hist_add_many(&h, values, n);
    hist_sort(&h);
    qsort(values, n, sizeof values[0], compare);
    CHECK(memcmp(h.values, values, n * sizeof values[0]) == 0);
    hist_clear(&h);
  }
}

static void small_values_have_a_bin_each(void)
{
  Hist h;
  hist_init(&h, harness_host()->common, 0, HIST_BINS);
  for (int i = -127; i <= 127; i++) hist_add(&h, i);
  CHECK(!hist_is_exact(&h));
  for (int p = 0; p <= 254; p++) CHECK(fabs(percentile(&h, p / 2.54) - (p - 127)) < 1e-9);
  hist_clear(&h);
}

static void extremes_have_bins(void)
{
  Hist h;
  hist_init(&h, harness_host()->common, 0, HIST_BINS);
  hist_add(&h, INT64_MAX);
  hist_add(&h, INT64_MIN);
  CHECK(percentile(&h, 0) <= -9.1e18 && percentile(&h, 100) >= 9.1e18);
  hist_clear(&h);
}

typedef struct Saved {
  char bytes[1 << 17];
  size_t len;
} Saved;

/* What it saves: two integers, with bins two more, then texts. */
static void save(const Hist *h, Saved *out)
{
  const MillStageHost *host = harness_host();
  out->len = 0;
  hist_save(h, host);
  for (int i = 0; i < (hist_is_exact(h) ? 2 : 4); i++) {
    int64_t v = host->get_int(host);
    memcpy(out->bytes + out->len, &v, sizeof v);
    out->len += sizeof v;
  }
  while (host->get_more(host)) {
    size_t len;
    const char *text = host->get_text(host, &len);
    if (!CHECK(out->len + len <= sizeof out->bytes)) return;
    memcpy(out->bytes + out->len, text, len);
    out->len += len;
  }
}

static bool same(const Saved *a, const Saved *b)
{
  return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* One summary of all values, whatever the parts and their order. */
static void any_grouping_gives_the_same(void)
{
  enum { N = 600, PARTS = 3 };
  const size_t cuts[][PARTS + 1] = {
    { 0, 10, 20, N }, { 0, 300, 590, N }, { 0, 0, N, N }, { 0, 200, 400, N }
  };
  static Saved reference, saved;
  for (size_t c = 0; c < 4; c++) {
    Hist all;
    hist_init(&all, harness_host()->common, HIST_EXACT, HIST_BINS);
    for (int part = PARTS; part-- > 0;) {
      Hist one;
      hist_init(&one, harness_host()->common, HIST_EXACT, HIST_BINS);
      for (size_t i = cuts[c][part]; i < cuts[c][part + 1]; i++)
        hist_add(&one, (int64_t)(i * 7919 % 10007) * 97);
      CHECK(hist_merge(&all, &one));
      hist_clear(&one);
    }
    save(&all, c == 0 ? &reference : &saved);
    if (c) CHECK(same(&saved, &reference));
    hist_clear(&all);
  }
}

/* Sorted, few values are saved the same in any order too. */
static void sorted_values_are_the_same_in_any_order(void)
{
  static Saved up, down;
  Hist h;
  hist_init(&h, harness_host()->common, HIST_EXACT, HIST_BINS);
  for (int i = 0; i < 100; i++) hist_add(&h, i);
  save(&h, &up);
  hist_clear(&h);
  for (int i = 99; i >= 0; i--) hist_add(&h, i);
  save(&h, &down);
  CHECK(!same(&up, &down));
  hist_sort(&h);
  save(&h, &down);
  CHECK(same(&up, &down));
  hist_clear(&h);
}

/* n values from `from` in steps: below 2^32 they take 4 bytes each, else 8. */
static void check_round_trip(uint64_t n, uint64_t bound, int64_t from, size_t wanted_bytes)
{
  static Saved before, after;
  Hist h, loaded;
  hist_init(&h, harness_host()->common, bound, HIST_FINE_BINS);
  hist_init(&loaded, harness_host()->common, bound, HIST_FINE_BINS);
  for (uint64_t i = 0; i < n; i++) hist_add(&h, from + (int64_t)(i * 7919));
  hist_save(&h, harness_host());
  CHECK(hist_load(&loaded, harness_host()));
  CHECK(!harness_host()->get_more(harness_host()));
  CHECK_INT(loaded.n, n);
  CHECK(hist_is_exact(&loaded) == hist_is_exact(&h));
  save(&h, &before);
  save(&loaded, &after);
  CHECK(same(&before, &after));
  if (wanted_bytes) CHECK_INT(before.len, wanted_bytes);
  hist_clear(&h);
  hist_clear(&loaded);
}

static void saving_and_loading_keep_all(void)
{
  check_round_trip(0, HIST_EXACT, 0, 16);
  check_round_trip(3, HIST_EXACT, 0, 16 + 3 * 4);
  check_round_trip(3, HIST_EXACT, -50, 16 + 3 * 8);
  check_round_trip(3, HIST_EXACT, (int64_t)1 << 32, 16 + 3 * 8);
  check_round_trip(256, HIST_EXACT, 0, 16 + 256 * 4);
  check_round_trip(4096, HIST_NO_BOUND, 0, 16 + 4096 * 4);
  check_round_trip(10000, HIST_NO_BOUND, 0, 16 + 10000 * 4);
  check_round_trip(10000, HIST_EXACT, -5000000, 0);
}

TEST_MAIN({ "few values are exact", few_values_are_exact },
          { "the bound is 256 values", the_bound_is_256_values },
          { "many values are within the error", many_values_are_within_the_error },
          { "the number of bins is a parameter", the_number_of_bins_is_a_parameter },
          { "bins begin where they should", bins_begin_where_they_should },
          { "values below a limit are counted", values_below_a_limit_are_counted },
          { "capacity stays near the values", capacity_stays_near_the_values },
          { "values may be added after a percentile", values_may_be_added_after_a_percentile },
          { "sorting is right", sorting_is_right },
          { "small values have a bin each", small_values_have_a_bin_each },
          { "extremes have bins", extremes_have_bins },
          { "any grouping gives the same", any_grouping_gives_the_same },
          { "sorted values are the same in any order", sorted_values_are_the_same_in_any_order },
          { "saving and loading keep all", saving_and_loading_keep_all })
