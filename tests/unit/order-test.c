/* The index of held events against a plain sort. */
#include "events.h"
#include "store/order.h"

static void check_sorted(Batch *const *batches, uint32_t n, uint64_t n_events, int64_t earliest_ns)
{
  g_autofree OrderKey *keys = order_index(batches, n, n_events, earliest_ns);
  for (uint64_t i = 1; i < n_events; i++) {
    const MillEvent *a = &batches[keys[i - 1].batch]->pub.events[keys[i - 1].event];
    const MillEvent *b = &batches[keys[i].batch]->pub.events[keys[i].event];
    if (!CHECK(event_compare(a, b) < 0)) return;
  }
}

/* `each` and twice as many events, at `values` different times. */
static void check_span(int64_t from, int64_t step, int each, int values)
{
  Batch *batches[3];
  g_autoptr(GRand) random = g_rand_new_with_seed(5);
  uint64_t seq = 0;
  for (int b = 0; b < 3; b++) {
    batches[b] = batch_new(16);
    batch_reset(batches[b], 0);
    for (int i = 0; i < each * b; i++) {
      int64_t ts = g_rand_int_range(random, 0, 9)
                       ? from + step * g_rand_int_range(random, 0, values)
                       : NO_TS;
      batch_append(batches[b], event_at(ts, g_rand_int_range(random, -1, 4), seq++));
    }
  }
  check_sorted(batches, 3, 3 * (uint64_t)each, from);
  for (int b = 0; b < 3; b++) batch_free(batches[b]);
}

static void test_spans(void)
{
  static const struct {
    int64_t from, step;
  } rows[] = { { 0, 1 },         { 7, 0 },
               { -100, 1 },      { 1700000000000000000, 1000 },
               { INT64_MIN, 1 }, { 0, INT64_MAX / 200 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    check_span(rows[i].from, rows[i].step, 1000, 200);
    check_span(rows[i].from, rows[i].step, 12000, 200);
  }
  check_span(-5, 40, 12000, 1000000);
  check_span(0, 1, 12000, 1000000000);
}

/* One event far behind all others: they are in one bucket. */
static void test_outlier(void)
{
  Batch *b = batch_new(16);
  g_autoptr(GRand) random = g_rand_new_with_seed(6);
  batch_reset(b, 0);
  batch_append(b, event_at(INT64_MAX - 1, 1, 0));
  for (uint64_t seq = 1; seq < 40000; seq++)
    batch_append(b, event_at(g_rand_int_range(random, 0, 1 << 20), 1, seq));
  check_sorted(&b, 1, 40000, 0);
  batch_free(b);
}

/* Its times are as far apart as they can be. */
static void test_extremes(void)
{
  Batch *b = batch_new(8);
  batch_reset(b, 0);
  static const int64_t times[] = { INT64_MAX, 0, INT64_MIN, -1, NO_TS, INT64_MAX - 1 };
  for (uint64_t i = 0; i < G_N_ELEMENTS(times); i++) batch_append(b, event_at(times[i], 1, i));
  g_autofree OrderKey *keys = order_index(&b, 1, 6, INT64_MIN);
  static const uint32_t wanted[] = { 2, 4, 3, 1, 5, 0 };
  for (int i = 0; i < 6; i++) CHECK_INT(keys[i].event, wanted[i]);
  batch_free(b);
}

/* Nothing tells them apart: they stay as they were read, few or many of them. */
static void test_alike(void)
{
  for (uint32_t each = 10; each <= 1000; each *= 10) {
    Batch *batches[2];
    for (int b = 0; b < 2; b++) {
      batches[b] = batch_new(16);
      batch_reset(batches[b], 0);
      for (uint32_t i = 0; i < each; i++) batch_append(batches[b], event_at(5, 1, 0));
    }
    g_autofree OrderKey *keys = order_index(batches, 2, 2 * (uint64_t)each, 5);
    for (uint32_t i = 0; i < 2 * each; i++) {
      CHECK_INT(keys[i].batch, i / each);
      CHECK_INT(keys[i].event, i % each);
    }
    for (int b = 0; b < 2; b++) batch_free(batches[b]);
  }
}

static void test_nothing(void) { CHECK(order_index(NULL, 0, 0, 0) == NULL); }

TEST_MAIN({ "any span of times", test_spans }, { "the widest span", test_extremes },
          { "all but one together", test_outlier }, { "all alike", test_alike },
          { "no events", test_nothing })
