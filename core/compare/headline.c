/* Whether runs became worse by what matters; see headline.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/headline.h"

#include <glib.h>
#include <math.h>

const char *headline_verdict_name(HeadlineVerdict verdict)
{
  static const char *const names[HEADLINE_N_VERDICTS] = { [HEADLINE_WORSE] = "worse",
                                                          [HEADLINE_BETTER] = "better",
                                                          [HEADLINE_EQUAL] = "equal",
                                                          [HEADLINE_NOT_JUDGED] = "not judged" };
  return names[verdict];
}

HeadlineTest headline_test(Meter *meter, uint32_t better)
{
  MannWhitney lower, higher;
  meter_test(meter, &lower, &higher);
  bool low_is_better = better == MILL_LOWER;
  return (HeadlineTest){ .better = better,
                         .worse = low_is_better ? higher : lower,
                         .improved = low_is_better ? lower : higher,
                         .p = NAN,
                         .corrected = NAN,
                         .measure = meter_take(meter, better) };
}

static bool is_repeated(const HeadlineTest *t)
{
  return t->measure.n_base >= COMPARE_REPEATED && t->measure.n_changed >= COMPARE_REPEATED;
}

/* One value in all runs of both sides. */
static bool is_constant(const HeadlineTest *t)
{
  return t->worse.least == 1 && t->improved.least == 1;
}

static char *why_few(const HeadlineTest *t)
{
  const Measure *m = &t->measure;
  if (!m->n_base || !m->n_changed)
    return g_strdup_printf("%s has no value", m->n_changed ? "the base" : "the new side");
  return g_strdup_printf("fewer than %d runs a side", COMPARE_REPEATED);
}

static char *why_hopeless(const HeadlineTest *t, size_t n_tests, double chance)
{
  size_t needed = MAX(mann_whitney_needed(n_tests, chance), COMPARE_REPEATED);
  if (MIN(t->measure.n_base, t->measure.n_changed) >= needed)
    return g_strdup("too many runs have the same value");
  return g_strdup_printf("too few runs for %zu headline metric%s: %zu a side are needed", n_tests,
                         n_tests == 1 ? "" : "s", needed);
}

static HeadlineVerdict verdict_of(const HeadlineTest *t, double worse, double improved,
                                  const CompareOptions *options)
{
  double chance = (1 - options->confidence) / 2, part = t->measure.part;
  bool moved = fabs(part) > options->min_change, rose = part > 0;
  bool went_worse = rose == (t->better == MILL_LOWER);
  if (moved && went_worse && worse <= chance) return HEADLINE_WORSE;
  if (moved && !went_worse && improved <= chance) return HEADLINE_BETTER;
  if (is_constant(t)) return HEADLINE_EQUAL;
  return isnan(worse) || isnan(improved) ? HEADLINE_NOT_JUDGED : HEADLINE_EQUAL;
}

typedef struct Family { /* the tests of as many runs as it takes */
  size_t n;
  MannWhitney *worse, *improved;
  double *worse_p, *improved_p; /* corrected */
} Family;

static void judge_one(HeadlineTest *t, const Family *f, size_t at, const CompareOptions *options)
{
  bool is_worse = t->worse.p < t->improved.p;
  t->p = is_worse ? t->worse.p : t->improved.p;
  t->corrected = is_worse ? f->worse_p[at] : f->improved_p[at];
  t->verdict = verdict_of(t, f->worse_p[at], f->improved_p[at], options);
  if (t->verdict == HEADLINE_NOT_JUDGED)
    t->reason = why_hopeless(t, f->n, (1 - options->confidence) / 2);
}

void headline_judge(HeadlineTest *io_tests, size_t n, const CompareOptions *options)
{
  double chance = (1 - options->confidence) / 2;
  Family f = { .worse = g_new(MannWhitney, n + 1), .improved = g_new(MannWhitney, n + 1) };
  f.worse_p = g_new(double, n + 1);
  f.improved_p = g_new(double, n + 1);
  for (size_t i = 0; i < n; i++) {
    if (!is_repeated(&io_tests[i])) continue;
    f.worse[f.n] = io_tests[i].worse;
    f.improved[f.n++] = io_tests[i].improved;
  }
  mann_whitney_correct(f.worse, f.n, chance, f.worse_p);
  mann_whitney_correct(f.improved, f.n, chance, f.improved_p);
  for (size_t i = 0, at = 0; i < n; i++) {
    HeadlineTest *t = &io_tests[i];
    if (is_repeated(t)) {
      judge_one(t, &f, at++, options);
    } else {
      t->verdict = HEADLINE_NOT_JUDGED;
      t->reason = why_few(t);
    }
  }
  g_free(f.worse);
  g_free(f.improved);
  g_free(f.worse_p);
  g_free(f.improved_p);
}
