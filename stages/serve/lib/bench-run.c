/* The figures of one benchmark run; see bench-run.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/interval.h"
#include "serve/lib/bench-run.h"

#include <math.h>

#include "kit/numbers/clip.h"

#define NS_PER_S 1e9
#define NS_PER_MS 1e6

static bool is_known(int64_t v) { return v != BENCH_NONE; }

static bool add_known(int64_t *sum, int64_t v)
{
  if (is_known(v)) *sum = add_clipped(*sum, v);
  return is_known(v);
}

/* ---- requests */

static void add_span(BenchTotals *all, const BenchRequest *r)
{
  if (!is_known(r->start_ns)) return;
  int64_t end_ns = add_clipped(r->start_ns, r->e2e_ns);
  if (all->n_spans == 0 || r->start_ns < all->first_ns) all->first_ns = r->start_ns;
  if (all->n_spans == 0 || end_ns > all->last_ns) all->last_ns = end_ns;
  all->n_spans++;
}

void bench_totals_add(BenchTotals *all, const BenchRequest *r)
{
  double tpot_ns;
  all->n++;
  if (!r->ok) return;
  all->ok++;
  all->n_input += add_known(&all->input_tokens, r->input_tokens);
  all->n_output += add_known(&all->output_tokens, r->output_tokens);
  if (is_known(r->ttft_ns)) {
    all->ttft_ns += r->ttft_ns;
    all->n_ttft++;
  }
  if (is_known(r->e2e_ns)) {
    all->e2e_ns += r->e2e_ns;
    all->n_e2e++;
    add_span(all, r);
  }
  if (bench_tpot_ns(r, &tpot_ns)) {
    all->tpot_ns += tpot_ns;
    all->n_tpot++;
  }
}

/* ---- totals: what was reported wins; a sum over requests counts where each one has its part */

static void fill_totals(BenchFigures *f, const BenchRun *run, const BenchTotals *q)
{
  f->completed = run->completed;
  f->failed = run->failed;
  f->duration_ns = run->duration_ns;
  f->input_tokens = run->input_tokens;
  f->output_tokens = run->output_tokens;
  f->gpus = run->gpus;
  if (!run->detailed) return;
  if (!is_known(f->completed)) f->completed = (int64_t)q->ok;
  if (!is_known(f->failed)) f->failed = (int64_t)(q->n - q->ok);
  if (!is_known(f->input_tokens) && q->n_input == q->ok) f->input_tokens = q->input_tokens;
  if (!is_known(f->output_tokens) && q->n_output == q->ok) f->output_tokens = q->output_tokens;
  if (!is_known(f->duration_ns) && q->n_spans > 0 && q->n_spans == q->ok)
    f->duration_ns = interval_span(q->first_ns, q->last_ns);
}

/* ---- rates */

static double per_second(int64_t amount, int64_t duration_ns)
{
  if (!is_known(amount) || !is_known(duration_ns) || duration_ns <= 0) return (double)NAN;
  return (double)amount / ((double)duration_ns / NS_PER_S);
}

static int64_t all_tokens(const BenchFigures *f)
{
  bool has_both = is_known(f->input_tokens) && is_known(f->output_tokens);
  return has_both ? add_clipped(f->input_tokens, f->output_tokens) : BENCH_NONE;
}

/* Without any completed request, a rate of 0 says nothing about speed. */
static void fill_rate(BenchFigures *f, uint32_t rate, double reported, int64_t amount)
{
  bool is_reported = isfinite(reported) && (f->measured || reported > 0);
  double computed = f->measured ? per_second(amount, f->duration_ns) : (double)NAN;
  f->rates[rate] = (BenchRate){ is_reported ? reported : computed, is_reported };
}

static void fill_rates(BenchFigures *f, const BenchRun *run)
{
  fill_rate(f, BENCH_REQUESTS_PER_S, run->request_throughput, f->completed);
  fill_rate(f, BENCH_INPUT_PER_S, run->input_throughput, f->input_tokens);
  fill_rate(f, BENCH_OUTPUT_PER_S, run->output_throughput, f->output_tokens);
  fill_rate(f, BENCH_TOTAL_PER_S, run->total_throughput, all_tokens(f));
  BenchRate *sum = &f->rates[BENCH_TOTAL_PER_S];
  if (isnan(sum->per_s))
    sum->per_s = f->rates[BENCH_INPUT_PER_S].per_s + f->rates[BENCH_OUTPUT_PER_S].per_s;
}

/* ---- latencies */

static double mean_ms(double sum_ns, uint64_t n)
{
  return n ? sum_ns / (double)n / NS_PER_MS : (double)NAN;
}

static void fill_latencies(BenchFigures *f, const BenchKeys *keys, const MillBatch *b,
                           const MillEvent *e, bool detailed, const BenchTotals *q)
{
  f->ttft_ms = detailed ? mean_ms((double)q->ttft_ns, q->n_ttft) : (double)NAN;
  f->tpot_ms = detailed ? mean_ms(q->tpot_ns, q->n_tpot) : (double)NAN;
  f->e2e_ms = detailed ? mean_ms((double)q->e2e_ns, q->n_e2e) : (double)NAN;
  if (!f->measured) return;
  if (isnan(f->ttft_ms)) f->ttft_ms = bench_stat_ms(keys, b, e, "ttft.mean");
  if (isnan(f->tpot_ms)) f->tpot_ms = bench_stat_ms(keys, b, e, "tpot.mean");
  if (isnan(f->e2e_ms)) f->e2e_ms = bench_stat_ms(keys, b, e, "e2e.mean");
}

/* Requests in flight on average: the sum of their latencies over the duration (Little's law). */
static double concurrency_of(const BenchFigures *f, const BenchRun *run, const BenchTotals *q)
{
  double duration_ns = (double)f->duration_ns;
  if (!is_known(f->duration_ns) || f->duration_ns <= 0) return run->concurrency;
  if (run->detailed && q->n_e2e > 0) return (double)q->e2e_ns / duration_ns;
  if (isfinite(run->concurrency)) return run->concurrency;
  if (!is_known(f->completed)) return (double)NAN;
  return f->e2e_ms * NS_PER_MS * (double)f->completed / duration_ns;
}

static double user_rate(const BenchFigures *f, const BenchRun *run)
{
  if (isfinite(run->user_throughput)) return run->user_throughput;
  return f->concurrency > 0 ? f->rates[BENCH_OUTPUT_PER_S].per_s / f->concurrency : (double)NAN;
}

void bench_figures(BenchFigures *out, const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                   const BenchRun *run, const BenchTotals *q)
{
  *out = (BenchFigures){ 0 };
  fill_totals(out, run, q);
  out->measured = out->completed != 0;
  fill_rates(out, run);
  fill_latencies(out, keys, b, e, run->detailed, q);
  out->concurrency = out->measured ? concurrency_of(out, run, q) : (double)NAN;
  out->user_per_s = out->measured ? user_rate(out, run) : (double)NAN;
}

/* ---- what a run says twice */

#define ODD_SHARE 0.05 /* producers round, and some leave warm-up out of one of the two */

static bool is_odd(BenchOdd *out, const char *name, double reported, double computed)
{
  if (!isfinite(reported) || !isfinite(computed)) return false;
  if (fabs(reported - computed) <= ODD_SHARE * fmax(fabs(reported), fabs(computed))) return false;
  *out = (BenchOdd){ name, reported, computed };
  return true;
}

static bool rates_are_odd(BenchOdd *out, const BenchFigures *f, const BenchRun *run)
{
  return is_odd(out, "requests per second", run->request_throughput,
                per_second(f->completed, f->duration_ns)) ||
         is_odd(out, "output tokens per second", run->output_throughput,
                per_second(f->output_tokens, f->duration_ns)) ||
         is_odd(out, "tokens per second", run->total_throughput,
                per_second(all_tokens(f), f->duration_ns));
}

/* Means that are those of the file, because it lists no requests, contradict nothing. */
static bool latencies_are_odd(BenchOdd *out, const BenchFigures *f, const BenchKeys *keys,
                              const MillBatch *b, const MillEvent *e)
{
  return is_odd(out, "ms to the first token, on average,", bench_stat_ms(keys, b, e, "ttft.mean"),
                f->ttft_ms) ||
         is_odd(out, "ms per output token, on average,", bench_stat_ms(keys, b, e, "tpot.mean"),
                f->tpot_ms) ||
         is_odd(out, "ms for a request, on average,", bench_stat_ms(keys, b, e, "e2e.mean"),
                f->e2e_ms);
}

bool bench_contradicts_itself(BenchOdd *out, const BenchFigures *f, const BenchKeys *keys,
                              const MillBatch *b, const MillEvent *e, const BenchRun *run)
{
  return rates_are_odd(out, f, run) || (run->detailed && latencies_are_odd(out, f, keys, b, e));
}

double bench_per_gpu(const BenchFigures *f, uint32_t rate)
{
  return is_known(f->gpus) && f->gpus > 0 ? f->rates[rate].per_s / (double)f->gpus : (double)NAN;
}

/* ---- saved state */

static const StateField rate_fields[] = {
  STATE_FIRST(BenchRate, per_s),
  STATE_FIRST(BenchRate, reported),
};
static const StateType rate_state = STATE_TYPE(BenchRate, rate_fields);

static const StateField figures_fields[] = {
  STATE_FIRST(BenchFigures, completed),        STATE_FIRST(BenchFigures, failed),
  STATE_FIRST(BenchFigures, duration_ns),      STATE_FIRST(BenchFigures, input_tokens),
  STATE_FIRST(BenchFigures, output_tokens),    STATE_FIRST(BenchFigures, gpus),
  STATE_PART(BenchFigures, rates, rate_state), STATE_FIRST(BenchFigures, concurrency),
  STATE_FIRST(BenchFigures, user_per_s),       STATE_FIRST(BenchFigures, ttft_ms),
  STATE_FIRST(BenchFigures, tpot_ms),          STATE_FIRST(BenchFigures, e2e_ms),
  STATE_FIRST(BenchFigures, measured),
};
const StateType bench_figures_state = STATE_TYPE(BenchFigures, figures_fields);
