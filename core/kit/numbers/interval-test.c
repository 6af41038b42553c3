/* Tests of sets of intervals, also against a bitmap. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/interval.h"

#include <stagemill/harness.h>

#include "check.h"

static IntervalSet empty_set(void) { return (IntervalSet){ .common = harness_host()->common }; }

static void add_all(IntervalSet *set, const Interval *items, size_t n)
{
  for (size_t i = 0; i < n; i++) interval_add(set, items[i].start_ns, items[i].end_ns);
  interval_normalise(set);
}

static void check_items(const IntervalSet *set, const Interval *wanted, size_t n)
{
  CHECK_INT(set->n, n);
  for (size_t i = 0; i < n && i < set->n; i++) {
    CHECK_INT(set->items[i].start_ns, wanted[i].start_ns);
    CHECK_INT(set->items[i].end_ns, wanted[i].end_ns);
  }
}

static void joins_what_overlaps_or_touches(void)
{
  const Interval given[] = { { 20, 30 }, { 0, 10 }, { 10, 12 }, { 25, 40 }, { 50, 50 }, { 9, 3 } };
  const Interval wanted[] = { { 0, 12 }, { 20, 40 } };
  IntervalSet set = empty_set();
  add_all(&set, given, 6);
  check_items(&set, wanted, 2);
  CHECK_INT(interval_length(&set), 32);
  interval_clear(&set);
}

static void an_empty_set_has_no_length_and_no_gaps(void)
{
  IntervalSet set = empty_set(), out = empty_set();
  interval_normalise(&set);
  CHECK_INT(interval_length(&set), 0);
  CHECK_INT(interval_gaps(&set, 5).n, 0);
  CHECK(interval_union(&set, &set, &out) && out.n == 0);
}

static void gaps_below_a_threshold(void)
{
  const Interval given[] = { { 0, 10 }, { 12, 20 }, { 25, 30 }, { 130, 140 } };
  IntervalSet set = empty_set();
  add_all(&set, given, 4);
  IntervalGaps gaps = interval_gaps(&set, 5); /* 2, 5 and 100: only 2 is below 5 */
  CHECK_INT(gaps.total_ns, 107);
  CHECK_INT(gaps.below_ns, 2);
  CHECK_INT(gaps.n, 3);
  CHECK_INT(gaps.n_below, 1);
  CHECK_INT(interval_gaps(&set, 0).n_below, 0);
  interval_clear(&set);
}

static void extremes_do_not_overflow(void)
{
  IntervalSet set = empty_set();
  interval_add(&set, INT64_MIN, INT64_MAX);
  CHECK_INT(interval_length(&set), INT64_MAX);
  CHECK_INT(interval_end(INT64_MAX - 1, 5), INT64_MAX);
  CHECK_INT(interval_span(-3, 4), 7);
  CHECK_INT(interval_span(4, -3), -7);
  CHECK_INT(interval_span(INT64_MIN, 1), INT64_MAX);
  CHECK_INT(interval_span(1, INT64_MIN), INT64_MIN);
  CHECK_INT(interval_end(INT64_MIN + 1, -5), INT64_MIN);
  CHECK_INT(interval_end(7, 5), 12);
  interval_clear(&set);
}

/* ---- against a bitmap of 256 places */

enum { PLACES = 256, ROUNDS = 300 };

static uint32_t next_random(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void fill(IntervalSet *set, bool *places, uint32_t *state)
{
  uint32_t n = next_random(state) % 200;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t start = next_random(state) % PLACES, len = next_random(state) % 5;
    uint32_t end = start + len < PLACES ? start + len : PLACES;
    interval_add(set, start, end);
    for (uint32_t p = start; p < end; p++) places[p] = true;
  }
  interval_normalise(set);
}

static bool same(const IntervalSet *set, const bool *places)
{
  bool got[PLACES] = { false };
  for (size_t i = 0; i < set->n; i++) {
    if (i && set->items[i].start_ns <= set->items[i - 1].end_ns) return false;
    for (int64_t p = set->items[i].start_ns; p < set->items[i].end_ns; p++) got[p] = true;
  }
  return memcmp(got, places, sizeof got) == 0;
}

static void arithmetic_agrees_with_a_bitmap(void)
{
  uint32_t state = 1;
  for (int round = 0; round < ROUNDS; round++) {
    IntervalSet a = empty_set(), b = empty_set();
    IntervalSet either = empty_set(), only_a = empty_set(), both = empty_set();
    bool in_a[PLACES] = { false }, in_b[PLACES] = { false };
    bool in_either[PLACES], in_only_a[PLACES], in_both[PLACES];
    fill(&a, in_a, &state);
    fill(&b, in_b, &state);
    for (int p = 0; p < PLACES; p++) {
      in_either[p] = in_a[p] || in_b[p];
      in_only_a[p] = in_a[p] && !in_b[p];
      in_both[p] = in_a[p] && in_b[p];
    }
    interval_union(&a, &b, &either);
    interval_subtract(&a, &b, &only_a);
    interval_subtract(&a, &only_a, &both);
    CHECK(same(&a, in_a));
    CHECK(same(&either, in_either));
    CHECK(same(&only_a, in_only_a));
    CHECK(same(&both, in_both));
    CHECK_INT(interval_length(&a), interval_length(&only_a) + interval_length(&both));
    interval_clear(&a);
    interval_clear(&b);
    interval_clear(&either);
    interval_clear(&only_a);
    interval_clear(&both);
  }
}

TEST_MAIN({ "joins what overlaps or touches", joins_what_overlaps_or_touches },
          { "an empty set", an_empty_set_has_no_length_and_no_gaps },
          { "gaps below a threshold", gaps_below_a_threshold },
          { "extremes do not overflow", extremes_do_not_overflow },
          { "arithmetic agrees with a bitmap", arithmetic_agrees_with_a_bitmap })
