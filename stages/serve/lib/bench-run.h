/* The figures of one benchmark run: what its producer reported, else what follows from totals. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LIB_BENCH_RUN_H
#define SERVE_LIB_BENCH_RUN_H

#include "serve/lib/bench.h"
#include "kit/state/state.h"

enum {
  BENCH_REQUESTS_PER_S,
  BENCH_INPUT_PER_S,
  BENCH_OUTPUT_PER_S,
  BENCH_TOTAL_PER_S,
  BENCH_N_RATES
};

typedef struct BenchRate {
  double per_s; /* NaN: not known */
  bool reported;
} BenchRate;

typedef struct BenchFigures {
  int64_t completed, failed, duration_ns, input_tokens, output_tokens, gpus; /* or BENCH_NONE */
  BenchRate rates[BENCH_N_RATES];
  double concurrency, user_per_s;  /* NaN: not known */
  double ttft_ms, tpot_ms, e2e_ms; /* means over requests */
  bool measured;                   /* false: no request completed */
} BenchFigures;

/* Sums over the requests of a run, zeroed to begin with. */
typedef struct BenchTotals {
  uint64_t n, ok, n_input, n_output, n_ttft, n_tpot, n_e2e; /* n_: of those ok, how many have it */
  int64_t input_tokens, output_tokens;                      /* of those that are ok */
  int64_t first_ns, last_ns; /* start of the first, end of the last */
  uint64_t n_spans;
  __int128 ttft_ns, e2e_ns;
  double tpot_ns;
} BenchTotals;

void bench_totals_add(BenchTotals *all, const BenchRequest *request);

/* Figures of the run that ends with this bench.run. */
void bench_figures(BenchFigures *out, const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                   const BenchRun *run, const BenchTotals *requests);

/* A value that the run reports although its own counts, times or requests give another one: by more than 5 %. */
typedef struct BenchOdd {
  const char *name;
  double reported, computed;
} BenchOdd;
/* The first of them, of rates and of the mean time to first token; false: there is none. */
bool bench_contradicts_itself(BenchOdd *out, const BenchFigures *f, const BenchKeys *keys,
                              const MillBatch *b, const MillEvent *e, const BenchRun *run);

/* What follows once the number of GPUs is known as well as it will be. */
double bench_per_gpu(const BenchFigures *f, uint32_t rate); /* NaN: not known */

extern const StateType bench_figures_state;

#endif
