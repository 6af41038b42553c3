/* The shapes that were measured, one after the other, and what their repeats say of the fastest. */
/* SPDX-License-Identifier: MIT */
#include "allreduce-best.h"

bool shapes_next(const Best *x, Shape *io)
{
  for (;;) {
    if (!io->section.n && !ar_next_section(&x->sorted, &io->at, &io->section)) return false;
    if (!ar_next_shape(&io->section, &io->in, &io->points)) {
      io->section.n = io->in = 0;
      continue;
    }
    if (!ar_best(&io->points, x->in.auto_strategy, x->options->of.repeat, &io->best)) continue;
    io->verdict = x->verdicts ? &x->verdicts[io->n] : NULL;
    io->n++;
    return true;
  }
}

static size_t count(const Best *x)
{
  Shape s = { .n = 0 };
  while (shapes_next(x, &s)) {}
  return s.n;
}

/* What is decided is told over all shapes: of a thousand ties some seem to be none. */
int shapes_judge(Best *x)
{
  size_t n = count(x);
  double *chances = x->common->scratch(x->common, (n + 1) * sizeof *chances);
  double *gains = x->common->scratch(x->common, (n + 1) * sizeof *gains);
  ArVerdict *verdicts = mill_new(x->common, (n + 1) * sizeof *verdicts);
  if (!chances || !gains || !verdicts) return -MILL_LIMIT;
  for (Shape s = { .n = 0 }; shapes_next(x, &s);) {
    ArVerdict *v = &verdicts[s.n - 1];
    *v = ar_judge(&s.points, &s.best, x->in.auto_strategy, x->fallback);
    chances[s.n - 1] = v->n_rivals ? v->chance : (double)NAN;
    gains[s.n - 1] = v->gain_chance;
  }
  x->verdicts = verdicts;
  x->decidable = ar_decidable(chances, n);
  x->gain_decidable = ar_decidable(gains, n);
  return 0;
}

ArDecision shapes_decision(const Best *x, const Shape *s)
{
  return ar_decision(s->verdict, x->decidable);
}
