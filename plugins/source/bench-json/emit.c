/* A run as records: bench.request for each request, then one bench.run. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "notices.h"
#include "source.h"

#define MAX_GAPS 4096u /* in one record; more go on in further records of the same id */
#define MAX_OTHERS 16u /* attributes of a request that are not gaps */

static const char *const names[N_WANTED] = {
  [WANT_START] = "start_ns",
  [WANT_TTFT] = "ttft_ns",
  [WANT_E2E] = "e2e_ns",
  [WANT_INPUT] = "input_tokens",
  [WANT_OUTPUT] = "output_tokens",
  [WANT_TPOT] = "tpot_ns",
  [WANT_ERROR] = "error",
  [WANT_OK] = "ok",
  [WANT_GAPS] = "gap_ns",
  [WANT_COMPLETED] = "completed",
  [WANT_FAILED] = "failed",
  [WANT_DURATION] = "duration_ns",
  [WANT_INPUT_TOTAL] = "input_tokens",
  [WANT_OUTPUT_TOTAL] = "output_tokens",
  [WANT_REACHED] = "max_concurrent",
  [WANT_GPUS] = "gpus",
  [WANT_REQUEST_RATE] = "request_throughput",
  [WANT_INPUT_RATE] = "input_throughput",
  [WANT_OUTPUT_RATE] = "output_throughput",
  [WANT_TOTAL_RATE] = "total_throughput",
  [WANT_GOODPUT] = "request_goodput",
  [WANT_USER_RATE] = "user_throughput",
  [WANT_PEAK] = "max_output_rate",
  [WANT_ACCEPT] = "accept_length",
  [WANT_DETAILED] = "detailed",
  [WANT_STAT_NAME] = "stat_name",
  [WANT_STAT_VALUE] = "stat_value",
  [WANT_ERROR_KIND] = "error_kind",
  [WANT_ERROR_COUNT] = "error_count",
};

void emit_prepare(Source *s)
{
  record_init(&s->writer, s->host, names, N_WANTED);
  s->request_name = symbol_of(s->common, "bench.request");
  s->run_name = symbol_of(s->common, "bench.run");
}

static void put_known(const Source *s, MillBatch *b, uint32_t which, int64_t v)
{
  if (v != ABSENT) record_int(&s->writer, b, which, v);
}

/* ---------------------------------------------------------------- requests */
static int64_t column(const Source *s, int which)
{
  const Ints *c = &s->run.columns[which];
  return c->n ? c->v[s->request] : ABSENT;
}

static size_t gaps_end(const Source *s)
{
  const Ints *ends = &s->run.gaps.ends;
  return ends->n ? (size_t)ends->v[s->request] : 0;
}

/* Reported, or what the gaps add up to after the first token. */
static int64_t e2e_of(const Source *s, int64_t ttft)
{
  const Ints *sums = &s->run.gaps.sums;
  int64_t reported = column(s, COL_E2E), e2e;
  if (reported != ABSENT || ttft == ABSENT || !sums->n) return reported;
  if (sums->v[s->request] == ABSENT) return ABSENT;
  return __builtin_add_overflow(ttft, sums->v[s->request], &e2e) ? INT64_MAX : e2e;
}

static void put_gaps(Source *s, MillBatch *b, size_t n)
{
  const Gaps *g = &s->run.gaps;
  if (n == 0) return;
  const uint32_t *v = g->v + s->gap;
  MillAttr *out = record_reserve(b, n);
  MillSym key = s->writer.keys[WANT_GAPS];
  for (size_t i = 0; i < n; i++) {
    int64_t ns = v[i];
    if (v[i] == GAP_BIG) ns = g->big.v[s->big++];
    out[i] = (MillAttr){ key, MILL_INT, { .i = ns } };
  }
  s->gap += n;
}

/* Those of a request that failed are left out. */
static void pass_gaps(Source *s, size_t end)
{
  for (; s->gap < end; s->gap++) s->big += s->run.gaps.v[s->gap] == GAP_BIG;
}

static void put_request(Source *s, MillBatch *b, bool failed, const ErrorText *error)
{
  int64_t ttft = failed ? ABSENT : column(s, COL_TTFT);
  put_known(s, b, WANT_START, column(s, COL_START));
  put_known(s, b, WANT_TTFT, ttft);
  put_known(s, b, WANT_E2E, failed ? ABSENT : e2e_of(s, ttft));
  put_known(s, b, WANT_INPUT, column(s, COL_INPUT));
  put_known(s, b, WANT_OUTPUT, column(s, COL_OUTPUT));
  put_known(s, b, WANT_TPOT, failed ? ABSENT : column(s, COL_TPOT));
  if (error) record_text(&s->writer, b, WANT_ERROR, s->run.error_text + error->off, error->len);
  record_int(&s->writer, b, WANT_OK, !failed);
}

/* One record: the request at hand, or more of its gaps.  False: the batch is full. */
static bool emit_request(Source *s, MillBatch *b)
{
  size_t end = s->writer.wanted[WANT_GAPS] ? gaps_end(s) : s->gap;
  guint next_error = s->error;
  const ErrorText *error = run_next_error(&s->run, &next_error, s->request);
  bool failed = run_failed(&s->run, s->request, error);
  if (failed) pass_gaps(s, end);
  size_t n = MIN(end - s->gap, MAX_GAPS);
  MillEvent *e = record_begin(&s->writer, b, s->request_name, n + MAX_OTHERS);
  if (!e) return false;
  e->id = s->request;
  e->id_kind = MILL_ID_INT;
  if (!s->going_on) put_request(s, b, failed, error);
  put_gaps(s, b, n);
  s->going_on = s->gap < end;
  if (s->going_on) return true;
  s->error = next_error;
  s->request++;
  return true;
}

bool emit_requests(Source *s, MillBatch *b)
{
  if (!s->run.detailed) return true;
  while (s->request < s->run.n_requests)
    if (!emit_request(s, b)) return false;
  return true;
}

/* --------------------------------------------------------------------- run */
static void put_lists(Source *s, MillBatch *b)
{
  const Run *r = &s->run;
  RecordWriter *w = &s->writer;
  for (guint i = 0; i < r->stats->len; i++)
    record_name(w, b, WANT_STAT_NAME, g_array_index(r->stats, Stat, i).name);
  for (guint i = 0; i < r->stats->len; i++)
    record_real(w, b, WANT_STAT_VALUE, g_array_index(r->stats, Stat, i).value);
  for (guint i = 0; i < r->error_kinds->len; i++) {
    const ErrorKind *kind = &g_array_index(r->error_kinds, ErrorKind, i);
    record_text(w, b, WANT_ERROR_KIND, kind->text, strlen(kind->text));
  }
  for (guint i = 0; i < r->error_kinds->len; i++)
    record_int(w, b, WANT_ERROR_COUNT, g_array_index(r->error_kinds, ErrorKind, i).count);
}

bool emit_run(Source *s, MillBatch *b)
{
  const Run *r = &s->run;
  size_t lists = 2u * (r->stats->len + r->error_kinds->len);
  if (!record_begin(&s->writer, b, s->run_name, N_WANTED + lists)) return false;
  for (uint32_t i = 0; i < N_TOTALS; i++) put_known(s, b, WANT_COMPLETED + i, r->totals[i]);
  for (uint32_t i = 0; i < N_RATES; i++)
    if (r->rates[i] >= 0) record_real(&s->writer, b, WANT_REQUEST_RATE + i, r->rates[i]);
  record_int(&s->writer, b, WANT_DETAILED, r->detailed);
  put_lists(s, b);
  s->request = s->gap = s->big = s->error = 0;
  return true;
}
