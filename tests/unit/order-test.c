/* The index of held events against a plain sort. */
/* SPDX-License-Identifier: MIT */
#include "events.h"
#include "store/order.h"

static Pack *pack_of(Batch *b)
{
  Packing *packing = packing_new(false);
  for (uint32_t i = 0; i < b->pub.n_events; i++) packing_add(packing, b, &b->pub.events[i]);
  Pack *pack = packing_finish(packing, 0);
  packing_free(packing);
  batch_free(b);
  return pack;
}

static void check_sorted(const Pack *const *packs, uint32_t n, uint64_t n_events,
                         int64_t earliest_ns)
{
  g_autofree OrderKey *keys = order_index(packs, n, n_events, earliest_ns);
  for (uint64_t i = 1; i < n_events; i++) {
    const OrderKey *a = &keys[i - 1], *b = &keys[i];
    if (!CHECK(pack_compare(packs[a->pack], a->event, packs[b->pack], b->event) < 0)) return;
  }
}

/* `each` and twice as many events, at `values` different times. */
static void check_span(int64_t from, int64_t step, int each, int values)
{
  Pack *packs[2];
  g_autoptr(GRand) random = g_rand_new_with_seed(5);
  uint64_t seq = 0;
  for (int p = 0; p < 2; p++) {
    Batch *b = batch_new(16);
    batch_reset(b, 0);
    for (int i = 0; i < each * (p + 1); i++) {
      int64_t ts = g_rand_int_range(random, 0, 9)
                       ? from + step * g_rand_int_range(random, 0, values)
                       : NO_TS;
      batch_append(b, event_at(ts, g_rand_int_range(random, -1, 4), seq++));
    }
    packs[p] = pack_of(b);
  }
  check_sorted((const Pack *const *)packs, 2, 3 * (uint64_t)each, from);
  for (int p = 0; p < 2; p++) g_free(packs[p]);
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
  g_autofree const Pack *pack = pack_of(b);
  check_sorted(&pack, 1, 40000, 0);
}

/* Its times are as far apart as they can be. */
static void test_extremes(void)
{
  Batch *b = batch_new(8);
  batch_reset(b, 0);
  static const int64_t times[] = { INT64_MAX, 0, INT64_MIN, -1, NO_TS, INT64_MAX - 1 };
  for (uint64_t i = 0; i < G_N_ELEMENTS(times); i++) batch_append(b, event_at(times[i], 1, i));
  g_autofree const Pack *pack = pack_of(b);
  g_autofree OrderKey *keys = order_index(&pack, 1, 6, INT64_MIN);
  static const uint32_t wanted[] = { 2, 4, 3, 1, 5, 0 };
  for (int i = 0; i < 6; i++) CHECK_INT(keys[i].event, wanted[i]);
}

/* Nothing tells them apart: they stay as they were read, few or many of them. */
static void test_alike(void)
{
  for (uint32_t each = 10; each <= 1000; each *= 10) {
    const Pack *packs[2];
    for (int p = 0; p < 2; p++) {
      Batch *b = batch_new(16);
      batch_reset(b, 0);
      for (uint32_t i = 0; i < each; i++) batch_append(b, event_at(5, 1, 0));
      packs[p] = pack_of(b);
    }
    g_autofree OrderKey *keys = order_index(packs, 2, 2 * (uint64_t)each, 5);
    for (uint32_t i = 0; i < 2 * each; i++) {
      CHECK_INT(keys[i].pack, i / each);
      CHECK_INT(keys[i].event, i % each);
    }
    for (int p = 0; p < 2; p++) g_free((Pack *)packs[p]);
  }
}

static void test_nothing(void) { CHECK(order_index(NULL, 0, 0, 0) == NULL); }

TEST_MAIN({ "any span of times", test_spans }, { "the widest span", test_extremes },
          { "all but one together", test_outlier }, { "all alike", test_alike },
          { "no events", test_nothing })
