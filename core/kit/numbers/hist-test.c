/* Tests of distributions: exact, binned, and the same in any grouping. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/hist.h"

#include <math.h>
#include <stagemill/harness.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kit/state/sort.h"

enum { BOUND = 256 };

typedef struct One { /* alone */
  Hists all;
  Hist h;
} One;

static Hist *one_init(One *one, uint64_t bound)
{
  hists_init(&one->all, harness_host()->common, bound);
  hist_init(&one->h, &one->all);
  return &one->h;
}

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
  One one;
  Hist *h = one_init(&one, BOUND);
  for (int i = 0; i < 5; i++) hist_add(h, values[i]);
  CHECK(!one.all.binned);
  CHECK(percentile(h, 0) == 15 && percentile(h, 50) == 35 && percentile(h, 100) == 50);
  CHECK(fabs(percentile(h, 40) - 29) < 1e-9);
  hists_clear(&one.all);
  double out;
  CHECK(!hist_percentile(h, 50, &out));
}

static void the_bound_is_256_values(void)
{
  One one;
  Hist *h = one_init(&one, BOUND);
  for (int i = 0; i < 256; i++) hist_add(h, i * 1000);
  CHECK(!one.all.binned);
  hist_add(h, 5);
  CHECK(!!one.all.binned);
  CHECK_INT(h->n, 257);
  hists_clear(&one.all);
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
static void many_values_are_within_a_thousandth(void)
{
  enum { N = 5000 };
  static int64_t values[N];
  uint64_t state = 88172645463325252u;
  One one;
  Hist *h = one_init(&one, BOUND);
  for (int i = 0; i < N; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[i] = (int64_t)(state >> (24 + state % 40)) * (i % 3 ? 1 : -1);
    hist_add(h, values[i]);
  }
  qsort(values, N, sizeof values[0], compare);
  for (int p = 0; p <= 100; p++) {
    double wanted = exact_percentile(values, N, p), got = percentile(h, p);
    CHECK(fabs(got - wanted) <= 0.001 * fabs(wanted) + 0.5);
  }
  CHECK(percentile(h, 0) == (double)values[0] && percentile(h, 100) == (double)values[N - 1]);
  hists_clear(&one.all);
}

/* 300000: octave from 262144 = 2^18.  Of 512 bins each has 2^9: [299520, 300032) holds it, middle
 * 299775.5.  So few are kept as values, and give the same. */
static void a_bin_counts_as_its_middle(void)
{
  const int64_t few[] = { 1, 300000, 1 << 20 };
  for (int repeat = 1; repeat <= 2000; repeat += 1999) {
    One one;
    Hist *h = one_init(&one, 0);
    for (int i = 0; i < 3 * repeat; i++) hist_add(h, few[i / repeat]);
    CHECK(percentile(h, 50) == 299775.5 && percentile(h, 0) == 1 && percentile(h, 100) == 1 << 20);
    CHECK((h->pages != NULL) == (repeat > 1));
    hists_clear(&one.all);
  }
}

/* 200 + 57 values: the 257th ends exactness of both, also of the one that it is not in. */
static void distributions_are_exact_together(void)
{
  Hists all;
  Hist a, b;
  hists_init(&all, harness_host()->common, BOUND);
  hist_init(&a, &all);
  hist_init(&b, &all);
  for (int i = 0; i < 200; i++) hist_add(&a, 300000);
  hist_add(&a, 300001);
  hist_add(&a, 299999);
  for (int i = 0; i < 54; i++) hist_add(&b, i);
  CHECK(percentile(&a, 50) == 300000 && !strcmp(hist_method(&all), "exact"));
  hist_add(&b, 54);
  CHECK(percentile(&a, 50) == 299999 && !strcmp(hist_method(&all), "histogram"));
  CHECK(percentile(&a, 100) == 300001 && percentile(&b, 50) == 27);
  hists_clear(&all);
  hist_add(&a, 300000);
  CHECK(percentile(&a, 50) == 300000 && !strcmp(hist_method(&all), "exact"));
  hists_clear(&all);
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
  for (uint64_t bound = 0; bound <= BOUND; bound += BOUND) {
    One one;
    Hist *h = one_init(&one, bound);
    for (int i = 0; i < 100; i++) hist_add(h, i % 10 * 100);
    CHECK_INT(hist_count_below(h, 0), 0);
    CHECK_INT(hist_count_below(h, -1), 0);
    CHECK_INT(hist_count_below(h, 1), 10);
    CHECK_INT(hist_count_below(h, 512), 60);
    CHECK_INT(hist_count_below(h, 1024), 100);
    hist_add(h, -5);
    CHECK_INT(hist_count_below(h, -5), 0);
    CHECK_INT(hist_count_below(h, 0), 1);
    hists_clear(&one.all);
  }
}

/* Capacity grows up to the bound, not beyond, and not beyond what is expected. */
static void capacity_stays_near_the_values(void)
{
  One one;
  Hist *h = one_init(&one, 2000);
  for (int i = 0; i < 2000; i++) {
    hist_add(h, i);
    CHECK(h->capacity <= 8 || h->capacity <= 2 * h->n);
  }
  CHECK_INT(h->capacity, 2000);
  hists_clear(&one.all);
  CHECK(hist_expect(h, 1500));
  for (int i = 0; i < 1500; i++) hist_add(h, i);
  CHECK_INT(h->capacity, 1500);
  for (int i = 1500; i < 2000; i++) hist_add(h, i);
  CHECK(!one.all.binned);
  hist_add(h, 0);
  CHECK(!!one.all.binned && !h->values);
  hists_clear(&one.all);
}

static void values_may_be_added_after_a_percentile(void)
{
  One one;
  Hist *h = one_init(&one, BOUND);
  for (int i = 3; i >= 1; i--) hist_add(h, i);
  CHECK(percentile(h, 50) == 2);
  hist_add(h, 0);
  CHECK(percentile(h, 0) == 0 && percentile(h, 50) == 1.5);
  hists_clear(&one.all);
}

/* Few and many, of both signs and all sizes, alone and with a second number, against the C library. */
static void check_sorting(uint32_t width)
{
  enum { N = 3000 };
  static int64_t rows[2 * N], values[N];
  uint64_t state = 362436069u;
  for (uint64_t n = 1; n <= N; n = n * 3 + 1) {
    for (uint64_t i = 0; i < n; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      values[i] = rows[i * width] = (int64_t)state >> (state >> 33) % 60;
      rows[i * width + width - 1] = width == 1 ? values[i] : ~values[i];
    }
    sort_rows(rows, n, width);
    qsort(values, n, sizeof values[0], compare);
    for (uint64_t i = 0; i < n; i++)
      CHECK(rows[i * width] == values[i] && (width == 1 || rows[i * width + 1] == ~values[i]));
  }
}

static void sorting_is_right(void)
{
  check_sorting(1);
  check_sorting(2);
}

static void small_values_have_a_bin_each(void)
{
  One one;
  Hist *h = one_init(&one, 0);
  for (int i = -127; i <= 127; i++) hist_add(h, i);
  CHECK(!!one.all.binned);
  for (int p = 0; p <= 254; p++) CHECK(fabs(percentile(h, p / 2.54) - (p - 127)) < 1e-9);
  hists_clear(&one.all);
}

static void extremes_have_bins(void)
{
  One one;
  Hist *h = one_init(&one, 0);
  hist_add(h, INT64_MAX);
  hist_add(h, INT64_MIN);
  CHECK(percentile(h, 0) <= -9.1e18 && percentile(h, 100) >= 9.1e18);
  hists_clear(&one.all);
}

typedef struct Saved {
  char bytes[1 << 17];
  size_t len;
} Saved;

/* What it saves: two integers, with bins two more, then texts. */
static void save(Hist *h, Saved *out)
{
  const MillStageHost *host = harness_host();
  out->len = 0;
  hist_save(h, host);
  for (int i = 0; i < (h->pages ? 4 : 2); i++) {
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

/* One summary of all values, whatever the parts and their order; bins begin at `bound`, or the values
 * stay, as they are few. */
static void check_grouping(size_t n, uint64_t bound)
{
  const size_t cuts[][4] = {
    { 0, 10, 20, n }, { 0, n / 2, n - 10, n }, { 0, 0, n, n }, { 0, n / 3, n / 3 * 2, n }
  };
  static Saved reference, saved;
  for (size_t c = 0; c < 4; c++) {
    One sum, one;
    Hist *all = one_init(&sum, bound), *h;
    for (int part = 3; part-- > 0; hists_clear(&one.all)) {
      h = one_init(&one, bound);
      for (size_t i = cuts[c][part]; i < cuts[c][part + 1]; i++)
        hist_add(h, (int64_t)(i * 7919 % 10007) * 97);
      CHECK(hist_merge(all, h));
    }
    CHECK((all->pages != NULL) == (n > 1024) && sum.all.binned);
    save(all, c == 0 ? &reference : &saved);
    if (c) CHECK(same(&saved, &reference));
    hists_clear(&sum.all);
  }
}

static void any_grouping_gives_the_same(void)
{
  check_grouping(600, BOUND);
  check_grouping(3000, BOUND);
  check_grouping(3000, 2000);
}

static void any_order_is_saved_the_same(void)
{
  static Saved up, down;
  One one;
  Hist *h = one_init(&one, BOUND);
  for (int i = 0; i < 100; i++) hist_add(h, i);
  save(h, &up);
  hists_clear(&one.all);
  for (int i = 99; i >= 0; i--) hist_add(h, i);
  save(h, &down);
  CHECK(same(&up, &down));
  hists_clear(&one.all);
}

/* n values from `from` in steps: below 2^32 they take 4 bytes each, else 8. */
static void check_round_trip(uint64_t n, uint64_t bound, int64_t from, size_t wanted_bytes)
{
  static Saved before, after;
  One one, two;
  Hist *h = one_init(&one, bound), *loaded = one_init(&two, bound);
  for (uint64_t i = 0; i < n; i++) hist_add(h, from + (int64_t)(i * 7919));
  hists_save(&one.all, harness_host());
  hist_save(h, harness_host());
  CHECK(hists_load(&two.all, harness_host()) && hist_load(loaded, harness_host()));
  CHECK(!harness_host()->get_more(harness_host()));
  CHECK(loaded->n == n && two.all.n == n && two.all.binned == one.all.binned);
  save(h, &before);
  save(loaded, &after);
  CHECK(same(&before, &after));
  if (wanted_bytes) CHECK_INT(before.len, wanted_bytes);
  hists_clear(&one.all);
  hists_clear(&two.all);
}

static void saving_and_loading_keep_all(void)
{
  check_round_trip(0, BOUND, 0, 16);
  check_round_trip(3, BOUND, 0, 16 + 3 * 4);
  check_round_trip(3, BOUND, -50, 16 + 3 * 8);
  check_round_trip(3, BOUND, (int64_t)1 << 32, 16 + 3 * 8);
  check_round_trip(256, BOUND, 0, 16 + 256 * 4);
  check_round_trip(4096, HIST_NO_BOUND, 0, 16 + 4096 * 4);
  check_round_trip(10000, HIST_NO_BOUND, 0, 16 + 10000 * 4);
  check_round_trip(10000, BOUND, -5000000, 0);
}

TEST_MAIN({ "few values are exact", few_values_are_exact },
          { "the bound is 256 values", the_bound_is_256_values },
          { "many values are within a thousandth", many_values_are_within_a_thousandth },
          { "a bin counts as its middle", a_bin_counts_as_its_middle },
          { "distributions are exact together", distributions_are_exact_together },
          { "bins begin where they should", bins_begin_where_they_should },
          { "values below a limit are counted", values_below_a_limit_are_counted },
          { "capacity stays near the values", capacity_stays_near_the_values },
          { "values may be added after a percentile", values_may_be_added_after_a_percentile },
          { "sorting is right", sorting_is_right },
          { "small values have a bin each", small_values_have_a_bin_each },
          { "extremes have bins", extremes_have_bins },
          { "any grouping gives the same", any_grouping_gives_the_same },
          { "any order is saved the same", any_order_is_saved_the_same },
          { "saving and loading keep all", saving_and_loading_keep_all })
