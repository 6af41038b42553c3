/* Benchmark runs that are looked at together; see group.h. */
/* SPDX-License-Identifier: MIT */
#include "group.h"

#include "kit/state/grow.h"

BenchFigures *group_new_run(Group *g)
{
  bool fits = array_reserve(g->common, &g->items, &g->capacity, g->n + 1, sizeof *g->items);
  return fits ? &g->items[g->n++] : NULL;
}

static const StateField group_fields[] = {
  STATE_LIST(Group, items, n, capacity, bench_figures_state),
};
const StateType group_state = STATE_TYPE(Group, group_fields);

/* ---- rates */

static bool only_reported(const Group *g, uint32_t rate)
{
  if (rate != BENCH_REQUESTS_PER_S && rate != BENCH_OUTPUT_PER_S) return false;
  for (size_t i = 0; i < g->n; i++)
    if (g->items[i].rates[rate].reported) return true;
  return false;
}

typedef double (*FigureOf)(const BenchFigures *f, uint32_t rate);

static Series series(const Group *g, uint32_t rate, FigureOf figure_of, bool skip_computed)
{
  double *const values = g->common->scratch(g->common, (g->n + 1) * sizeof *values);
  size_t n = 0;
  for (size_t i = 0; values && i < g->n; i++) {
    double v = figure_of(&g->items[i], rate);
    bool counts = g->items[i].rates[rate].reported || !skip_computed;
    if (isfinite(v) && counts) values[n++] = v;
  }
  return series_of(values, n);
}

static double rate_of(const BenchFigures *f, uint32_t rate) { return f->rates[rate].per_s; }

static double user_rate_of(const BenchFigures *f, uint32_t rate)
{
  (void)rate;
  return f->user_per_s;
}

Series group_rates(const Group *g, uint32_t rate)
{
  return series(g, rate, rate_of, only_reported(g, rate));
}

Series group_rates_per_gpu(const Group *g, uint32_t rate)
{
  return series(g, rate, bench_per_gpu, only_reported(g, rate));
}

Series group_user_rates(const Group *g)
{
  return series(g, BENCH_OUTPUT_PER_S, user_rate_of, false);
}

/* ---- totals */

static bool amount_of(const BenchFigures *f, uint32_t rate, __int128 *out)
{
  bool has_input = f->input_tokens != BENCH_NONE, has_output = f->output_tokens != BENCH_NONE;
  switch (rate) {
  case BENCH_REQUESTS_PER_S: *out = f->completed; return f->completed != BENCH_NONE;
  case BENCH_INPUT_PER_S: *out = f->input_tokens; return has_input;
  case BENCH_OUTPUT_PER_S: *out = f->output_tokens; return has_output;
  default: *out = (__int128)f->input_tokens + f->output_tokens; return has_input && has_output;
  }
}

double group_pooled(const Group *g, uint32_t rate, uint64_t *out_n)
{
  __int128 amount, total = 0, total_ns = 0;
  *out_n = 0;
  for (size_t i = 0; i < g->n; i++) {
    const BenchFigures *f = &g->items[i];
    if (!f->measured || f->duration_ns == BENCH_NONE || f->duration_ns <= 0) continue;
    if (!amount_of(f, rate, &amount)) continue;
    total += amount;
    total_ns += f->duration_ns;
    ++*out_n;
  }
  return *out_n ? (double)total / ((double)total_ns / 1e9) : (double)NAN;
}

int64_t group_sum(const Group *g, size_t offset)
{
  __int128 sum = 0;
  bool is_known = false;
  for (size_t i = 0; i < g->n; i++) {
    int64_t v = *(const int64_t *)(const void *)((const char *)&g->items[i] + offset);
    if (v == BENCH_NONE) continue;
    sum += v;
    is_known = true;
  }
  if (!is_known) return MILL_NO_INT;
  return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}
