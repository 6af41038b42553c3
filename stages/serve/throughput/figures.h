/* The figures of one benchmark run: what its producer reported, else what follows from totals. */
#ifndef SERVE_THROUGHPUT_FIGURES_H
#define SERVE_THROUGHPUT_FIGURES_H

#include "lib/bench.h"

enum { RATE_REQUEST, RATE_INPUT, RATE_OUTPUT, RATE_TOTAL, N_RATES };

typedef struct Rate {
  double per_s; /* NaN: not known */
  bool reported;
} Rate;

typedef struct Figures {
  int64_t completed, failed, duration_ns, input_tokens, output_tokens, gpus; /* or BENCH_NONE */
  Rate rates[N_RATES];
  double concurrency, user_per_s;  /* NaN: not known */
  double ttft_ms, tpot_ms, e2e_ms; /* means over requests */
  bool measured;                   /* false: no request completed */
} Figures;

/* Sums over the requests of a run, zeroed to begin with. */
typedef struct Requests {
  uint64_t n, ok, n_ttft, n_tpot, n_e2e;
  int64_t input_tokens, output_tokens; /* of those that are ok */
  int64_t first_ns, last_ns;           /* start of the first, end of the last */
  uint64_t n_spans;
  __int128 ttft_ns, e2e_ns;
  double tpot_ns;
} Requests;

void requests_add(Requests *all, const BenchRequest *request);

/* Figures of the run that ends with this bench.run. */
void figures_of_run(Figures *out, const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                    const BenchRun *run, const Requests *requests);

/* What follows once the number of GPUs is known as well as it will be. */
double figures_per_gpu(const Figures *f, uint32_t rate); /* NaN: not known */

void figures_save(const Figures *f, const MillHost *host);
void figures_load(Figures *out, const MillHost *host);

#endif
