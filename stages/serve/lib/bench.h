/* Reads the records that sources of serving benchmarks give: bench.request, one per request, and
 * bench.run, the last of each run.  Only attributes that the stage declares in `reads` are there:
 * a stage must declare every field that it looks at. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LIB_BENCH_H
#define SERVE_LIB_BENCH_H

#include <math.h>
#include <stagemill/stage.h>

#define BENCH_NONE MILL_NO_INT /* an integer that is not known; of reals it is NaN */
#define BENCH_REQUEST_INTS 6
#define BENCH_RUN_INTS 7
#define BENCH_RUN_REALS 9

typedef enum BenchKind { BENCH_OTHER, BENCH_REQUEST, BENCH_MORE_GAPS, BENCH_RUN } BenchKind;

typedef struct BenchKeys {
  const MillHost *common;
  MillSym request, run; /* names of records */
  MillSym ok, error, gap_ns, detailed, stat_name, stat_value, error_kind, error_count;
  MillSym request_ints[BENCH_REQUEST_INTS], run_ints[BENCH_RUN_INTS], run_reals[BENCH_RUN_REALS];
} BenchKeys;

typedef struct BenchRequest {
  int64_t start_ns, ttft_ns, e2e_ns, tpot_ns, input_tokens, output_tokens;
  const char *error; /* not ended by NUL, as long as the batch; NULL: none */
  size_t error_len;
  bool ok;
} BenchRequest;

typedef struct BenchRun {
  int64_t completed, failed, duration_ns, input_tokens, output_tokens, max_concurrent, gpus;
  double request_throughput, input_throughput, output_throughput, total_throughput;
  double request_goodput, user_throughput, max_output_rate, concurrency;
  double accept_length; /* tokens of a step of speculative decoding, mean */
  bool detailed;        /* every request has a record */
} BenchRun;

void bench_keys(BenchKeys *out, const MillHost *common);

/* What an event is, read into the struct that belongs to its kind.  BENCH_MORE_GAPS: further gaps
 * of the request before, nothing is read. */
BenchKind bench_read(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                     BenchRequest *out_request, BenchRun *out_run);

/* Time per output token after the first: what the producer said, else from the request's times. */
bool bench_tpot_ns(const BenchRequest *request, double *out_ns);
/* The same in whole nanoseconds, as all tables and percentiles have it: halves become even. */
bool bench_whole_tpot_ns(const BenchRequest *request, int64_t *out_ns);

/* The next value of an integer list; *io_at begins as 0. */
static inline bool bench_next_int(const MillBatch *b, const MillEvent *e, MillSym key,
                                  uint32_t *io_at, int64_t *out)
{
  while (*io_at < e->n_attrs) {
    const MillAttr *a = &b->attrs[e->attrs + (*io_at)++];
    if (a->key != key || (a->type & MILL_ATTR_TYPE) != MILL_INT) continue;
    *out = a->u.i;
    return true;
  }
  return false;
}

/* The next value of a list of texts or symbols; not ended by NUL. */
const char *bench_next_text(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                            MillSym key, uint32_t *io_at, size_t *out_len);

/* A statistic that the producer reported in a bench.run, in milliseconds: "ttft.mean".  NaN: none. */
double bench_stat_ms(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                     const char *name);

#endif
