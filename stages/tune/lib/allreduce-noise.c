/* What of the differences between all-reduce strategies is noise; see allreduce-noise.h. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce-noise.h"

#include <math.h>

#include "kit/numbers/student.h"

/* ------------------------------------------------------------------- gains */

/* Of the mean of a point's logarithms. */
static double variance(const ArPoint *p)
{
  double n = (double)p->n;
  return p->log_squares / (n - 1) / n;
}

/* Welch and Satterthwaite; cut to a whole number, so that intervals are rather too wide.  A whole number stays one
 * however it was rounded. */
static uint64_t freedom_of(const ArPoint *a, const ArPoint *b)
{
  double x = variance(a), y = variance(b);
  double freedom = (x + y) * (x + y) / (x * x / ((double)a->n - 1) + y * y / ((double)b->n - 1));
  return freedom > 1 ? (uint64_t)(freedom * (1 + 1e-9)) : 1;
}

static double in_percent(double logarithm) { return expm1(logarithm) * 100; }

ArGain ar_gain(const ArPoint *point, const ArPoint *longer, double doubt)
{
  const double unknown = (double)NAN;
  if (point->n < 2 || longer->n < 2) return (ArGain){ unknown, unknown, unknown, unknown };
  double gain = longer->log_mean - point->log_mean;
  double error = sqrt(variance(point) + variance(longer));
  if (!(error > 0)) return (ArGain){ in_percent(gain), unknown, unknown, unknown };
  uint64_t freedom = freedom_of(point, longer);
  double half = student_quantile(doubt / 2, freedom) * error;
  return (ArGain){ .percent = in_percent(gain),
                   .low = in_percent(gain - half),
                   .high = in_percent(gain + half),
                   .chance = 2 * student_tail(fabs(gain) / error, freedom) };
}

/* ----------------------------------------------------------------- chances */

/* The smallest that was not taken yet. */
static size_t next_smallest(const double *chances, const bool *taken, size_t n)
{
  size_t found = n;
  for (size_t i = 0; i < n; i++)
    if (!taken[i] && (found == n || chances[i] < chances[found])) found = i;
  return found;
}

void ar_holm(double *io_chances, size_t n)
{
  bool taken[AR_MOST_STRATEGIES] = { false };
  double least = 0;
  for (size_t left = n; left > 0; left--) {
    size_t i = next_smallest(io_chances, taken, n);
    taken[i] = true;
    least = fmin(1, fmax(least, io_chances[i] * (double)left));
    io_chances[i] = least;
  }
}

double ar_decidable(double *io_chances, size_t n)
{
  size_t known = 0;
  for (size_t i = 0; i < n; i++)
    if (!isnan(io_chances[i])) io_chances[known++] = io_chances[i];
  ar_sort_reals(io_chances, known);
  for (size_t i = known; i > 0; i--)
    if (io_chances[i - 1] <= AR_DOUBT * (double)i / (double)known) return io_chances[i - 1];
  return -1;
}

/* ---------------------------------------------------------------- verdicts */

static ArSpan of_some(const ArSpan *shape)
{
  return (ArSpan){ shape->at, shape->n < AR_MOST_STRATEGIES ? shape->n : AR_MOST_STRATEGIES };
}

/* What is longer in the mean is no gain, however sure that is. */
static double chance_of(const ArPoint *point, const ArPoint *longer)
{
  ArGain gain = ar_gain(point, longer, AR_DOUBT);
  return gain.percent <= 0 ? 1 : gain.chance;
}

/* Of the winner against each rival the largest chance counts, as it has to beat them all. */
static double chance_of_all(const ArSpan *shape, const ArPoint *winner, MillSym except,
                            size_t *out_rivals)
{
  double chances[AR_MOST_STRATEGIES], largest = 0;
  size_t n = 0;
  for (size_t i = 0; i < shape->n; i++)
    if (shape->at[i] != winner && shape->at[i]->strategy != except)
      chances[n++] = chance_of(winner, shape->at[i]);
  *out_rivals = n;
  for (size_t i = 0; i < n; i++)
    if (isnan(chances[i])) return (double)NAN;
  ar_holm(chances, n);
  for (size_t i = 0; i < n; i++) largest = fmax(largest, chances[i]);
  return largest;
}

/* The winner was picked out of all that may replace the fallback: each is compared with that. */
static double chance_of_gain(const ArSpan *shape, const ArPoint *winner, MillSym except,
                             const ArPoint *fallback)
{
  double chances[AR_MOST_STRATEGIES];
  size_t n = 0, of_winner = 0;
  for (size_t i = 0; i < shape->n; i++) {
    const ArPoint *p = shape->at[i];
    if (p == fallback || p->strategy == except) continue;
    double chance = chance_of(p, fallback);
    if (p == winner && isnan(chance)) return (double)NAN;
    if (p == winner) of_winner = n;
    chances[n++] = isnan(chance) ? 1 : chance;
  }
  ar_holm(chances, n);
  return chances[of_winner];
}

ArVerdict ar_judge(const ArSpan *shape, const ArBest *best, MillSym except, MillSym fallback)
{
  const ArSpan some = of_some(shape);
  const ArPoint *other = ar_of_strategy(&some, fallback);
  ArVerdict v = { .gain_chance = (double)NAN };
  v.chance = chance_of_all(&some, best->winner, except, &v.n_rivals);
  if (other && other != best->winner)
    v.gain_chance = chance_of_gain(&some, best->winner, except, other);
  if (best->runner_up)
    v.margin = ar_gain(best->winner, best->runner_up, AR_DOUBT / (double)v.n_rivals);
  else
    v.margin.percent = v.margin.low = v.margin.high = (double)NAN;
  return v;
}

ArDecision ar_decision(const ArVerdict *verdict, double decidable)
{
  if (verdict->n_rivals == 0) return AR_ONE_CANDIDATE;
  if (isnan(verdict->chance)) return AR_NO_REPEATS;
  return verdict->chance <= decidable ? AR_DECIDED : AR_NOISE;
}
