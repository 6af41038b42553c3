/* Tests of what is noise: intervals and chances by hand, and how often cells with known winners are decided wrongly. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce-noise.h"

#include <math.h>
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static const MillHost *common(void) { return harness_host()->common; }

static MillSym sym(const char *text) { return common()->intern(common(), text, strlen(text)); }

static void add(ArPoints *p, const char *strategy, int64_t tokens, double time_us)
{
  const ArRow row = { .tp = 2,
                      .hidden = 128,
                      .tokens = tokens,
                      .bytes = 256 * tokens,
                      .fusion = sym("NONE"),
                      .strategy = sym(strategy),
                      .time_us = time_us };
  CHECK(ar_points_add(p, &row));
}

static bool near(double got, double wanted) { return fabs(got - wanted) < 1e-3 * fabs(wanted); }

/* Two rows of each, 2 % apart: the logarithms vary by 0.0198^2 / 2 each, so the error of ln 2 is 0.0140 with 2 degrees
 * of freedom: t is 49.5, of which 1 / t^2 is left, and 95 % reach 4.303 * 0.0140 to both sides. */
static void test_gain(void)
{
  ArPoints p = { .common = common(), .keeps_spread = true };
  add(&p, "A", 1, 10), add(&p, "A", 1, 10.2), add(&p, "B", 1, 20), add(&p, "B", 1, 20.4);
  add(&p, "C", 1, 30), add(&p, "D", 1, 40), add(&p, "D", 1, 40), add(&p, "E", 1, 60);
  add(&p, "E", 1, 60);
  ArGain gain = ar_gain(&p.at[0], &p.at[1], 0.05);
  CHECK(near(gain.percent, 100) && near(gain.chance, 4.08e-4));
  CHECK(near(gain.low, 88.31) && near(gain.high, 112.42));
  CHECK(near(ar_gain(&p.at[1], &p.at[0], 0.05).percent, -50));
  CHECK(isnan(ar_gain(&p.at[0], &p.at[2], 0.05).chance));
  gain = ar_gain(&p.at[3], &p.at[4], 0.05); /* rows that are copies show no noise */
  CHECK(near(gain.percent, 50) && isnan(gain.low) && isnan(gain.high) && isnan(gain.chance));
  gain = ar_gain(&p.at[0], &p.at[4], 0.05); /* the noise of one of both is known */
  CHECK(gain.chance > 0 && gain.chance < 0.05);
}

static void test_chances(void)
{
  double holm[] = { 0.01, 0.04, 0.03 };
  ar_holm(holm, 3);
  CHECK(near(holm[0], 0.03) && near(holm[1], 0.06) && near(holm[2], 0.06));
  double some[] = { 0.5, 0.02, (double)NAN, 0.01, 0.03 };
  CHECK(ar_decidable(some, 5) == 0.03); /* of 4: at most 0.0125, 0.025, 0.0375 */
  double none[] = { 0.5, 0.04 };
  CHECK(ar_decidable(none, 2) < 0);
  CHECK(ar_decidable(none, 0) < 0);
}

/* Rows of two lanes say the same as those of one. */
static void test_joined_spread(void)
{
  static const double times[] = { 4, 5, 7, 4.5, 6 };
  ArPoints all = { .common = common(), .keeps_spread = true }, half = all, joined = all;
  for (size_t i = 0; i < MILL_COUNT(times); i++) {
    add(&all, "A", 1, times[i]);
    add(i < 2 ? &joined : &half, "A", 1, times[i]);
  }
  ArPoints read = { .common = common(), .keeps_spread = true };
  state_save(harness_host(), &ar_points_state, &half);
  CHECK(state_load(harness_host(), &ar_points_state, &read) && ar_points_join(&joined, &read));
  CHECK(fabs(joined.at[0].log_mean - all.at[0].log_mean) < 1e-12);
  CHECK(fabs(joined.at[0].log_squares - all.at[0].log_squares) < 1e-12);
}

static ArVerdict judge_first(const ArPoints *p, const char *fallback)
{
  ArSpan sorted, section, shape;
  ArBest best;
  size_t at = 0, in = 0;
  CHECK(ar_sorted(p, &sorted) && ar_next_section(&sorted, &at, &section));
  CHECK(ar_next_shape(&section, &in, &shape) && ar_best(&shape, sym("AUTO"), AR_MIN, &best));
  return ar_judge(&shape, &best, sym("AUTO"), sym(fallback));
}

static void test_verdicts(void)
{
  ArPoints p = { .common = common(), .keeps_spread = true };
  add(&p, "A", 1, 10), add(&p, "AUTO", 1, 5);
  ArVerdict v = judge_first(&p, "A");
  CHECK(v.n_rivals == 0 && ar_decision(&v, 0.05) == AR_ONE_CANDIDATE && isnan(v.margin.low));
  add(&p, "A", 1, 10.2), add(&p, "B", 1, 20);
  v = judge_first(&p, "A");
  CHECK(ar_decision(&v, 0.05) == AR_NO_REPEATS && isnan(v.chance) && isnan(v.gain_chance));
  add(&p, "B", 1, 20.4);
  v = judge_first(&p, "B");
  CHECK(near(v.chance, 4.08e-4) && near(v.gain_chance, 4.08e-4) && near(v.margin.low, 88.31));
  CHECK(ar_decision(&v, 4.09e-4) == AR_DECIDED && ar_decision(&v, -1) == AR_NOISE);
  add(&p, "B", 1, 9); /* the shortest, but longer in the mean */
  v = judge_first(&p, "A");
  CHECK(v.chance == 1 && v.gain_chance == 1 && v.margin.percent < 0);
}

/* ---------------------------------------------------------------- resampled */

enum { SHAPES = 400, STRATEGIES = 4 };

typedef struct Trial {
  uint32_t seed;
  int repeats;
  double noise; /* of a row */
  bool tails;   /* a row in twenty is up to half longer */
} Trial;

static double uniform(uint32_t *io_seed)
{
  *io_seed = *io_seed * 1664525u + 1013904223u;
  return ((double)(*io_seed >> 8) + 0.5) / 16777216.0;
}

static double normal(uint32_t *io_seed)
{
  double u = uniform(io_seed), v = uniform(io_seed);
  return sqrt(-2 * log(u)) * cos(4 * acos(0) * v);
}

static double row_of(Trial *t, double time)
{
  double spike = t->tails && uniform(&t->seed) < 0.05 ? 1 + uniform(&t->seed) / 2 : 1;
  return time * exp(normal(&t->seed) * t->noise) * spike;
}

/* What the strategies really take: in a third of the shapes two are closer than the noise is wide. */
static int true_times(Trial *t, double *out)
{
  int winner = 0;
  for (int s = 0; s < STRATEGIES; s++) out[s] = 10 * exp(uniform(&t->seed));
  if (uniform(&t->seed) < 0.33) out[1] = out[0] * (1 + (uniform(&t->seed) - 0.5) * t->noise / 4);
  for (int s = 1; s < STRATEGIES; s++)
    if (out[s] < out[winner]) winner = s;
  return winner;
}

typedef struct Count {
  int decided, flipped;
} Count;

static Count count(const ArPoints *points, const MillSym *winners)
{
  static ArVerdict verdicts[SHAPES];
  static bool is_right[SHAPES];
  double chances[SHAPES];
  ArSpan sorted, section, shape;
  ArBest best;
  Count c = { 0, 0 };
  size_t at = 0, in = 0, n = 0;
  CHECK(ar_sorted(points, &sorted) && ar_next_section(&sorted, &at, &section));
  while (ar_next_shape(&section, &in, &shape)) {
    CHECK(ar_best(&shape, 0, AR_MIN, &best));
    verdicts[n] = ar_judge(&shape, &best, 0, 0);
    chances[n] = verdicts[n].chance;
    is_right[n] = best.winner->strategy == winners[shape.at[0]->tokens - 1];
    n++;
  }
  double decidable = ar_decidable(chances, n);
  for (size_t i = 0; i < n; i++) {
    if (ar_decision(&verdicts[i], decidable) != AR_DECIDED) continue;
    c.decided++;
    c.flipped += !is_right[i];
  }
  return c;
}

static Count measure(Trial *t)
{
  static const char *const names[STRATEGIES] = { "A", "B", "C", "D" };
  ArPoints p = { .common = common(), .keeps_spread = true };
  MillSym winners[SHAPES];
  for (int64_t i = 0; i < SHAPES; i++) {
    double times[STRATEGIES];
    winners[i] = sym(names[true_times(t, times)]);
    for (int r = 0; r < t->repeats; r++)
      for (int s = 0; s < STRATEGIES; s++) add(&p, names[s], i + 1, row_of(t, times[s]));
  }
  return count(&p, winners);
}

/* Fewer than 5 % of what is decided is wrong, and most of what can be decided is. */
static void test_known_winners(void)
{
  static const Trial trials[] = {
    { 1, 3, 0.02, false }, { 2, 5, 0.02, false }, { 3, 10, 0.02, false }, { 4, 5, 0.1, false },
    { 5, 10, 0.02, true }, { 6, 30, 0.05, true }, { 7, 2, 0.01, false },
  };
  for (size_t i = 0; i < MILL_COUNT(trials); i++) {
    Trial t = trials[i];
    Count all = { 0, 0 };
    for (int round = 0; round < 5; round++) {
      Count c = measure(&t);
      all.decided += c.decided;
      all.flipped += c.flipped;
    }
    printf("\n    %d repeats, noise %.2f: %d of %d decided, %d of them wrongly", t.repeats, t.noise,
           all.decided, 5 * SHAPES, all.flipped);
    CHECK(all.flipped * 20 < all.decided || all.decided == 0);
    CHECK(t.repeats < 5 || all.decided > 5 * SHAPES / 4);
  }
}

TEST_MAIN({ "gains", test_gain }, { "chances", test_chances },
          { "spreads are joined", test_joined_spread }, { "verdicts", test_verdicts },
          { "cells with known winners", test_known_winners })
