/* What the cells of the table become. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "allreduce-best.h"

#include "kit/text/fail.h"

static size_t tp_place(const Best *x, int64_t tp)
{
  size_t i = 0;
  while (i < x->tp.n && x->tp.at[i] != tp) i++;
  return i;
}

static uint32_t fusion_place(const Best *x, MillSym fusion)
{
  uint32_t i = 0;
  while (i < x->options->fusions.n && x->fusions[i] != fusion) i++;
  return i;
}

Coverage *cells_coverage(const Best *x, int64_t tp, MillSym fusion)
{
  size_t at_tp = tp_place(x, tp);
  uint32_t at_fusion = fusion_place(x, fusion), n = x->options->fusions.n;
  return at_tp < x->tp.n && at_fusion < n ? &x->coverage[at_tp * n + at_fusion] : NULL;
}

/* ------------------------------------------------------------ what is there */

static bool has_tp(const Best *x, int64_t tp)
{
  for (size_t i = 0; i < x->points.n; i++)
    if (x->points.at[i].tp == tp) return true;
  return false;
}

static int fail_missing(const Best *x, uint32_t number, const char *what)
{
  char why[160] = "there are times with";
  size_t len = sizeof "there are times with" - 1;
  ArAxis found = { 0 };
  for (size_t i = 0; i < x->points.n; i++)
    if (!ar_axis_add(x->common, &found, x->points.at[i].tp)) return -MILL_LIMIT;
  for (size_t i = 0; i < found.n && len + 24 < sizeof why; i++)
    len += (size_t)snprintf(why + len, sizeof why - len, "%s %lld", i ? "," : "",
                            (long long)found.at[i]);
  snprintf(why + len, sizeof why - len, " GPUs");
  return fail_input(x->common, number, what, why, "measure it, or leave it out of the option tp");
}

static void note_missing(const Best *x, uint32_t number, int64_t tp, MillSym fusion)
{
  const MillNamed named[] = { { "tp", mill_int(tp) },
                              { "strategy", mill_sym(x->fallback) },
                              { "fusion", mill_sym(fusion) } };
  x->common->note(x->common, number, NULL, MILL_NO_EVENT, named, fusion ? 3 : 2);
}

static int check_files(const Best *x)
{
  size_t n_found = 0;
  for (size_t i = 0; i < x->tp.n; i++) n_found += has_tp(x, x->tp.at[i]);
  if (n_found == 0)
    return fail_missing(x, AR_NOTHING, "no number of GPUs of the table was measured");
  if (n_found < x->tp.n && x->options->require_all)
    return fail_missing(x, NOTICE_INCOMPLETE, "a number of GPUs of the table has no measurements");
  for (size_t i = 0; i < x->tp.n; i++) {
    bool has_file = has_tp(x, x->tp.at[i]);
    if (!has_file) note_missing(x, NOTICE_NO_FILE, x->tp.at[i], 0);
    for (uint32_t k = 0; has_file && k < x->options->fusions.n; k++)
      if (!cells_coverage(x, x->tp.at[i], x->fusions[k])->has_rows)
        note_missing(x, NOTICE_NO_ROWS, x->tp.at[i], x->fusions[k]);
  }
  return 0;
}

/* ------------------------------------------------------------------- cells */

static ArCell fallback_cell(const Best *x, const ArPoint *p, uint32_t from)
{
  return (ArCell){ .tp = p->tp,
                   .hidden = p->hidden,
                   .tokens = p->tokens,
                   .number = x->fallback_number,
                   .fusion = p->fusion,
                   .strategy = x->fallback,
                   .source = x->from[from],
                   .time = (double)NAN,
                   .margin = (double)NAN };
}

/* Whether the default, that was measured too, stays. */
static bool is_close(Best *x, const Shape *s, double fallback_time)
{
  if (!x->beyond_noise)
    return x->min_gain > 0 && ar_longer(s->best.time, fallback_time) <= x->min_gain;
  x->n_once += isnan(s->verdict->gain_chance);
  return !(s->verdict->gain_chance <= x->gain_decidable);
}

/* A winner without a number leaves the cell as it is; one that is hardly faster, too. */
static uint32_t decide(Best *x, const Shape *s, ArCell *out)
{
  int64_t number;
  const ArBest *best = &s->best;
  const ArPoint *other = ar_of_strategy(&s->points, x->fallback);
  double other_time = other ? ar_time(other, x->options->of.repeat) : (double)NAN;
  bool has_number = ar_known_number(&x->known, best->winner->strategy, &number);
  if (has_number && other && best->winner != other && is_close(x, s, other_time)) {
    *out = fallback_cell(x, best->winner, FROM_KEPT);
    out->time = other_time;
  } else if (has_number) {
    *out = fallback_cell(x, best->winner, FROM_MEASURED);
    out->number = number;
    out->strategy = best->winner->strategy;
    out->time = best->time;
  } else {
    *out = fallback_cell(x, best->winner, FROM_UNKNOWN);
    out->time = other_time;
    return FROM_UNKNOWN;
  }
  if (best->runner_up) out->margin = ar_longer(best->time, best->runner_up_time);
  return out->source == x->from[FROM_KEPT] ? FROM_KEPT : FROM_MEASURED;
}

/* What the cell's strategy and the library's rule cost against the fastest, and the default against the cell. */
static void find_out(Best *x, const Shape *s, const ArCell *cell)
{
  const ArPoint *p = s->best.winner, *other = ar_of_strategy(&s->points, x->fallback);
  ArRule rule;
  Found *found = &x->found;
  found->cells++;
  found->decided[shapes_decision(x, s)]++;
  if (!isnan(cell->time)) ar_cost_add(&found->table, cell->time / s->best.time, p);
  if (!isnan(cell->time) && other)
    ar_cost_add(&found->fallback, ar_time(other, x->options->of.repeat) / cell->time, p);
  if (!ar_library_rule(x->common, x->sm, p->tp, &rule) || !ar_rule_counts(&rule, &s->points))
    return;
  MillSym choice = ar_rule_strategy(&rule, p->tokens, p->hidden);
  double time = ar_time(ar_of_strategy(&s->points, choice), x->options->of.repeat);
  ar_cost_add(&found->rule, time / s->best.time, p);
}

static int add_shape(Best *x, const Shape *s)
{
  ArCell cell;
  const ArPoint *p = s->best.winner;
  Coverage *of = cells_coverage(x, p->tp, p->fusion);
  if (!of) return 0;
  if (!ar_axis_has(&x->hidden, p->hidden) || !ar_axis_has(&x->tokens, p->tokens)) {
    of->off_grid++;
    return 0;
  }
  uint32_t from = decide(x, s, &cell);
  of->from[from]++;
  x->n_unknown += from == FROM_UNKNOWN;
  find_out(x, s, &cell);
  return ar_table_add(&x->won, &cell) ? 0 : -MILL_LIMIT;
}

static int fill(Best *x, int64_t tp, MillSym fusion)
{
  Coverage *of = cells_coverage(x, tp, fusion);
  for (size_t h = 0; h < x->hidden.n; h++)
    for (size_t t = 0; t < x->tokens.n; t++) {
      const ArPoint at = {
        .tp = tp, .fusion = fusion, .hidden = x->hidden.at[h], .tokens = x->tokens.at[t]
      };
      const ArCell *won = ar_table_cell(&x->won, tp, fusion, at.hidden, at.tokens);
      const ArCell other = fallback_cell(x, &at, FROM_DEFAULT);
      of->from[FROM_DEFAULT] += !won;
      if (!ar_table_add(&x->table, won ? won : &other)) return -MILL_LIMIT;
    }
  return 0;
}

/* Strategies that are not known take no part. */
static void keep_known(Best *x)
{
  size_t kept = 0;
  int64_t number;
  for (size_t i = 0; i < x->sorted.n; i++)
    if (ar_known_number(&x->known, x->sorted.at[i]->strategy, &number))
      x->sorted.at[kept++] = x->sorted.at[i];
  x->sorted.n = kept;
}

static void see_rows(const Best *x)
{
  for (size_t i = 0; i < x->points.n; i++) {
    Coverage *of = cells_coverage(x, x->points.at[i].tp, x->points.at[i].fusion);
    if (of) of->has_rows = true;
  }
}

int cells_choose(Best *x)
{
  x->won.common = x->table.common = x->common;
  x->coverage = mill_new(x->common, x->tp.n * x->options->fusions.n * sizeof *x->coverage);
  if (!x->coverage) return -MILL_LIMIT;
  see_rows(x);
  int status = check_files(x);
  if (status < 0) return status;
  if (!ar_sorted(&x->points, &x->sorted)) return -MILL_LIMIT;
  if (x->options->known_only) keep_known(x);
  status = shapes_judge(x);
  for (Shape s = { .n = 0 }; status == 0 && shapes_next(x, &s);) status = add_shape(x, &s);
  ar_table_sort(&x->won);
  for (size_t i = 0; i < x->tp.n; i++)
    for (uint32_t k = 0; status == 0 && k < x->options->fusions.n; k++)
      status = fill(x, x->tp.at[i], x->fusions[k]);
  for (uint64_t i = 0; i < x->n_unknown; i++) mill_note(x->common, NOTICE_UNKNOWN);
  for (uint64_t i = 0; i < x->n_once; i++) mill_note(x->common, NOTICE_NO_REPEATS);
  return status;
}
