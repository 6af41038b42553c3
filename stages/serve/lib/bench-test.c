/* Tests of reading the records of serving benchmarks. */
/* SPDX-License-Identifier: MIT */
#include "serve/lib/bench.h"

#include <stagemill/harness.h>
#include <string.h>

#include "check.h"

typedef struct Record {
  BenchKeys keys;
  MillAttr attrs[16];
  MillEvent event;
  MillBatch batch;
  char raw[64];
} Record;

static MillSym sym(const char *name)
{
  const MillHost *common = harness_host()->common;
  return common->intern(common, name, strlen(name));
}

static void begin(Record *r, const char *name)
{
  memset(r, 0, sizeof *r);
  bench_keys(&r->keys, harness_host()->common);
  r->event.kind = MILL_RECORD;
  r->event.name = sym(name);
  r->batch = (MillBatch){ .size = sizeof r->batch, .attrs = r->attrs, .raw_ = r->raw };
}

static MillAttr *add(Record *r, const char *key, uint32_t type)
{
  MillAttr *a = &r->attrs[r->event.n_attrs++];
  a->key = sym(key);
  a->type = type;
  return a;
}

static void add_int(Record *r, const char *key, int64_t v) { add(r, key, MILL_INT)->u.i = v; }
static void add_real(Record *r, const char *key, double v) { add(r, key, MILL_REAL)->u.r = v; }
static void add_sym(Record *r, const char *key, const char *v)
{
  add(r, key, MILL_SYM)->u.sym = sym(v);
}

static void a_request_is_read(void)
{
  Record r;
  BenchRequest request;
  BenchRun run;
  begin(&r, "bench.request");
  add_int(&r, "ttft_ns", 100);
  add_int(&r, "gap_ns", 7);
  add_int(&r, "gap_ns", 9);
  add_int(&r, "output_tokens", 3);
  add_int(&r, "ok", 1);
  strcpy(r.raw, "..timeout..");
  MillAttr *error = add(&r, "error", MILL_TEXT);
  error->u.text.off = 2;
  error->u.text.len = 7;
  CHECK_INT(bench_read(&r.keys, &r.batch, &r.event, &request, &run), BENCH_REQUEST);
  CHECK_INT(request.ttft_ns, 100);
  CHECK_INT(request.output_tokens, 3);
  CHECK_INT(request.start_ns, BENCH_NONE);
  CHECK_INT(request.e2e_ns, BENCH_NONE);
  CHECK(request.ok && request.error_len == 7 && memcmp(request.error, "timeout", 7) == 0);
}

static void gaps_are_walked_in_order(void)
{
  Record r;
  int64_t gap = 0;
  uint32_t at = 0;
  BenchRequest request;
  BenchRun run;
  begin(&r, "bench.request");
  add_int(&r, "gap_ns", 7);
  add_int(&r, "other", 1);
  add_int(&r, "gap_ns", 9);
  CHECK_INT(bench_read(&r.keys, &r.batch, &r.event, &request, &run), BENCH_MORE_GAPS);
  CHECK(bench_next_int(&r.batch, &r.event, r.keys.gap_ns, &at, &gap) && gap == 7);
  CHECK(bench_next_int(&r.batch, &r.event, r.keys.gap_ns, &at, &gap) && gap == 9);
  CHECK(!bench_next_int(&r.batch, &r.event, r.keys.gap_ns, &at, &gap));
}

static void a_run_is_read(void)
{
  Record r;
  BenchRequest request;
  BenchRun run;
  begin(&r, "bench.run");
  add_int(&r, "completed", 4);
  add_real(&r, "output_throughput", 2.5);
  add_int(&r, "request_throughput", 3);
  add_int(&r, "detailed", 1);
  add_sym(&r, "stat_name", "ttft.mean");
  add_sym(&r, "stat_name", "ttft.p99.9");
  add_real(&r, "stat_value", 11.5);
  add_real(&r, "stat_value", 12.5);
  CHECK_INT(bench_read(&r.keys, &r.batch, &r.event, &request, &run), BENCH_RUN);
  CHECK_INT(run.completed, 4);
  CHECK_INT(run.failed, BENCH_NONE);
  CHECK(run.output_throughput == 2.5 && run.request_throughput == 3.0 && run.detailed);
  CHECK(isnan(run.total_throughput));
  CHECK(bench_stat_ms(&r.keys, &r.batch, &r.event, "ttft.mean") == 11.5);
  CHECK(bench_stat_ms(&r.keys, &r.batch, &r.event, "ttft.p99.9") == 12.5);
  CHECK(isnan(bench_stat_ms(&r.keys, &r.batch, &r.event, "ttft.p99")));
}

static void other_events_are_nothing(void)
{
  Record r;
  BenchRequest request;
  BenchRun run;
  begin(&r, "gate.step");
  CHECK_INT(bench_read(&r.keys, &r.batch, &r.event, &request, &run), BENCH_OTHER);
  begin(&r, "bench.run");
  r.event.kind = MILL_SLICE;
  CHECK_INT(bench_read(&r.keys, &r.batch, &r.event, &request, &run), BENCH_OTHER);
}

/* (100 - 40) / (4 - 1) = 20; one token has none; the producer's own wins. */
static void time_per_output_token(void)
{
  double tpot = -1;
  BenchRequest r = { .start_ns = BENCH_NONE, .ttft_ns = 40, .e2e_ns = 100, .output_tokens = 4 };
  r.tpot_ns = BENCH_NONE;
  CHECK(bench_tpot_ns(&r, &tpot) && tpot == 20.0);
  r.tpot_ns = 21;
  CHECK(bench_tpot_ns(&r, &tpot) && tpot == 21.0);
  r.tpot_ns = BENCH_NONE;
  r.output_tokens = 1;
  CHECK(!bench_tpot_ns(&r, &tpot));
  r.output_tokens = 4;
  r.e2e_ns = BENCH_NONE;
  CHECK(!bench_tpot_ns(&r, &tpot));
}

TEST_MAIN({ "a request is read", a_request_is_read },
          { "gaps are walked in order", gaps_are_walked_in_order },
          { "a run is read", a_run_is_read },
          { "other events are nothing", other_events_are_nothing },
          { "time per output token", time_per_output_token })
