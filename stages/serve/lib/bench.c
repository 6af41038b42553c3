/* Records of serving benchmarks; see bench.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/symbol.h"
#include "serve/lib/bench.h"

#include <math.h>
#include <string.h>

typedef struct Field {
  const char *name;
  size_t offset;
} Field;

static const Field request_ints[BENCH_REQUEST_INTS] = {
  { "start_ns", offsetof(BenchRequest, start_ns) },
  { "ttft_ns", offsetof(BenchRequest, ttft_ns) },
  { "e2e_ns", offsetof(BenchRequest, e2e_ns) },
  { "tpot_ns", offsetof(BenchRequest, tpot_ns) },
  { "input_tokens", offsetof(BenchRequest, input_tokens) },
  { "output_tokens", offsetof(BenchRequest, output_tokens) },
};

static const Field run_ints[BENCH_RUN_INTS] = {
  { "completed", offsetof(BenchRun, completed) },
  { "failed", offsetof(BenchRun, failed) },
  { "duration_ns", offsetof(BenchRun, duration_ns) },
  { "input_tokens", offsetof(BenchRun, input_tokens) },
  { "output_tokens", offsetof(BenchRun, output_tokens) },
  { "max_concurrent", offsetof(BenchRun, max_concurrent) },
  { "gpus", offsetof(BenchRun, gpus) },
};

static const Field run_reals[BENCH_RUN_REALS] = {
  { "request_throughput", offsetof(BenchRun, request_throughput) },
  { "input_throughput", offsetof(BenchRun, input_throughput) },
  { "output_throughput", offsetof(BenchRun, output_throughput) },
  { "total_throughput", offsetof(BenchRun, total_throughput) },
  { "request_goodput", offsetof(BenchRun, request_goodput) },
  { "user_throughput", offsetof(BenchRun, user_throughput) },
  { "max_output_rate", offsetof(BenchRun, max_output_rate) },
  { "concurrency", offsetof(BenchRun, concurrency) },
  { "accept_length", offsetof(BenchRun, accept_length) },
};

static void intern_all(const MillHost *common, const Field *fields, uint32_t n, MillSym *out)
{
  for (uint32_t i = 0; i < n; i++) out[i] = symbol_of(common, fields[i].name);
}

void bench_keys(BenchKeys *out, const MillHost *common)
{
  *out = (BenchKeys){ .common = common };
  out->request = symbol_of(common, "bench.request");
  out->run = symbol_of(common, "bench.run");
  out->ok = symbol_of(common, "ok");
  out->error = symbol_of(common, "error");
  out->gap_ns = symbol_of(common, "gap_ns");
  out->detailed = symbol_of(common, "detailed");
  out->stat_name = symbol_of(common, "stat_name");
  out->stat_value = symbol_of(common, "stat_value");
  out->error_kind = symbol_of(common, "error_kind");
  out->error_count = symbol_of(common, "error_count");
  intern_all(common, request_ints, BENCH_REQUEST_INTS, out->request_ints);
  intern_all(common, run_ints, BENCH_RUN_INTS, out->run_ints);
  intern_all(common, run_reals, BENCH_RUN_REALS, out->run_reals);
}

static int64_t *int_at(void *record, const Field *field)
{
  return (int64_t *)(void *)((char *)record + field->offset);
}

static double *real_at(void *record, const Field *field)
{
  return (double *)(void *)((char *)record + field->offset);
}

static void forget(const Field *ints, uint32_t n_ints, const Field *reals, uint32_t n_reals,
                   void *record)
{
  for (uint32_t i = 0; i < n_ints; i++) *int_at(record, &ints[i]) = BENCH_NONE;
  for (uint32_t i = 0; i < n_reals; i++) *real_at(record, &reals[i]) = (double)NAN;
}

static uint32_t type_of(const MillAttr *a) { return a->type & MILL_ATTR_TYPE; }

/* False: it is not an integer, or none of these fields. */
static bool take_int(const MillAttr *a, const Field *fields, const MillSym *keys, uint32_t n,
                     void *to)
{
  if (type_of(a) != MILL_INT) return false;
  for (uint32_t i = 0; i < n; i++) {
    if (a->key != keys[i]) continue;
    *int_at(to, &fields[i]) = a->u.i;
    return true;
  }
  return false;
}

static void take_real(const MillAttr *a, const Field *fields, const MillSym *keys, uint32_t n,
                      void *to)
{
  uint32_t type = type_of(a);
  if (type != MILL_REAL && type != MILL_INT) return;
  for (uint32_t i = 0; i < n; i++)
    if (a->key == keys[i]) *real_at(to, &fields[i]) = type == MILL_REAL ? a->u.r : (double)a->u.i;
}

static const char *text_of(const BenchKeys *keys, const MillBatch *b, const MillAttr *a,
                           size_t *out_len)
{
  if (type_of(a) == MILL_SYM) return keys->common->symbol_text(keys->common, a->u.sym, out_len);
  return mill_attr_text(b, a, out_len);
}

static BenchKind read_request(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                              BenchRequest *out)
{
  bool has_ok = false;
  *out = (BenchRequest){ 0 };
  forget(request_ints, BENCH_REQUEST_INTS, NULL, 0, out);
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if (a->key == keys->gap_ns) continue; /* the most of them */
    if (a->key == keys->ok && type_of(a) == MILL_INT) {
      has_ok = true;
      out->ok = a->u.i != 0;
    } else if (a->key == keys->error) {
      out->error = text_of(keys, b, a, &out->error_len);
    } else {
      take_int(a, request_ints, keys->request_ints, BENCH_REQUEST_INTS, out);
    }
  }
  return has_ok ? BENCH_REQUEST : BENCH_MORE_GAPS;
}

static void read_run(const BenchKeys *keys, const MillBatch *b, const MillEvent *e, BenchRun *out)
{
  *out = (BenchRun){ 0 };
  forget(run_ints, BENCH_RUN_INTS, run_reals, BENCH_RUN_REALS, out);
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if (a->key == keys->stat_name || a->key == keys->stat_value) continue;
    if (a->key == keys->detailed && type_of(a) == MILL_INT)
      out->detailed = a->u.i != 0;
    else if (!take_int(a, run_ints, keys->run_ints, BENCH_RUN_INTS, out))
      take_real(a, run_reals, keys->run_reals, BENCH_RUN_REALS, out);
  }
}

BenchKind bench_read(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                     BenchRequest *out_request, BenchRun *out_run)
{
  if (e->kind != MILL_RECORD) return BENCH_OTHER;
  if (e->name == keys->request) return read_request(keys, b, e, out_request);
  if (e->name != keys->run) return BENCH_OTHER;
  read_run(keys, b, e, out_run);
  return BENCH_RUN;
}

/* A request of one token has no time between tokens. */
bool bench_tpot_ns(const BenchRequest *request, double *out_ns)
{
  const BenchRequest *r = request;
  if (r->tpot_ns != BENCH_NONE) {
    *out_ns = (double)r->tpot_ns;
    return true;
  }
  if (r->ttft_ns == BENCH_NONE || r->e2e_ns == BENCH_NONE) return false;
  if (r->output_tokens == BENCH_NONE || r->output_tokens < 2) return false;
  *out_ns = ((double)r->e2e_ns - (double)r->ttft_ns) / (double)(r->output_tokens - 1);
  return true;
}

bool bench_whole_tpot_ns(const BenchRequest *request, int64_t *out_ns)
{
  double tpot_ns;
  if (!bench_tpot_ns(request, &tpot_ns)) return false;
  *out_ns = llrint(tpot_ns);
  return true;
}

const char *bench_next_text(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                            MillSym key, uint32_t *io_at, size_t *out_len)
{
  while (*io_at < e->n_attrs) {
    const MillAttr *a = &b->attrs[e->attrs + (*io_at)++];
    const char *text = a->key == key ? text_of(keys, b, a, out_len) : NULL;
    if (text) return text;
  }
  return NULL;
}

static double stat_at(const MillBatch *b, const MillEvent *e, MillSym key, uint32_t index)
{
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if (a->key != key || index-- > 0) continue;
    if (type_of(a) == MILL_REAL) return a->u.r;
    return type_of(a) == MILL_INT ? (double)a->u.i : (double)NAN;
  }
  return (double)NAN;
}

double bench_stat_ms(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                     const char *name)
{
  uint32_t at = 0, index = 0;
  size_t len, name_len = strlen(name);
  const char *text;
  for (; (text = bench_next_text(keys, b, e, keys->stat_name, &at, &len)); index++)
    if (len == name_len && memcmp(text, name, len) == 0)
      return stat_at(b, e, keys->stat_value, index);
  return (double)NAN;
}
