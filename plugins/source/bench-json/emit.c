/* A run as records: bench.request for each request, then one bench.run. */
#include <stddef.h>

#include "notices.h"
#include "source.h"

#define MAX_GAPS 4096u /* in one record; more go on in further records of the same id */
#define MAX_OTHERS 16u /* attributes of a request that are no gaps */

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
  [WANT_DETAILED] = "detailed",
  [WANT_STAT_NAME] = "stat_name",
  [WANT_STAT_VALUE] = "stat_value",
  [WANT_ERROR_KIND] = "error_kind",
  [WANT_ERROR_COUNT] = "error_count",
};

static bool is_wanted(const MillRead *reads, uint32_t n, const char *name)
{
  for (uint32_t i = 0; i < n; i++) {
    if (reads[i].kinds && !(reads[i].kinds & MILL_KIND(MILL_RECORD))) continue;
    if (strcmp(reads[i].name, "*") == 0 || strcmp(reads[i].name, name) == 0) return true;
  }
  return false;
}

void emit_prepare(Source *s)
{
  const MillHost *host = s->host;
  const MillRead *reads = NULL;
  uint32_t n = host->wanted(host, &reads);
  for (int i = 0; i < N_WANTED; i++) {
    s->wanted[i] = is_wanted(reads, n, names[i]);
    s->symbols[i] = host->intern(host, names[i], strlen(names[i]));
  }
  s->request_name = host->intern(host, "bench.request", 13);
  s->run_name = host->intern(host, "bench.run", 9);
  s->track = host->track(host, mill_none(), mill_none());
}

/* -------------------------------------------------------------- attributes */
static bool make_room(const Source *s, MillBatch *b, size_t n)
{
  while (b->max_attrs - b->n_attrs < n)
    if (!s->host->grow_attrs(s->host, b)) return false;
  return true;
}

static void put_int(const Source *s, MillBatch *b, int which, int64_t v)
{
  if (!s->wanted[which]) return;
  b->attrs[b->n_attrs++] = (MillAttr){ s->symbols[which], MILL_INT, { .i = v } };
}

static void put_known(const Source *s, MillBatch *b, int which, int64_t v)
{
  if (v != ABSENT) put_int(s, b, which, v);
}

static void put_real(const Source *s, MillBatch *b, int which, double v)
{
  if (!s->wanted[which]) return;
  b->attrs[b->n_attrs++] = (MillAttr){ s->symbols[which], MILL_REAL, { .r = v } };
}

static void put_text(const Source *s, MillBatch *b, int which, const char *text, size_t len)
{
  if (!s->wanted[which]) return;
  MillAttr a = { s->symbols[which], MILL_TEXT | MILL_ATTR_OWN, { .i = 0 } };
  a.u.text.off = s->host->own_text(s->host, b, text, len);
  a.u.text.len = (uint32_t)len;
  b->attrs[b->n_attrs++] = a;
}

static MillEvent *new_event(const Source *s, MillBatch *b, MillSym name)
{
  MillEvent *e = &b->events[b->n_events];
  *e = (MillEvent){ .dur_ns = -1,
                    .name = name,
                    .track = s->track,
                    .attrs = b->n_attrs,
                    .kind = MILL_RECORD,
                    .flags = MILL_FLAG_NO_TS };
  return e;
}

static void end_event(MillBatch *b, MillEvent *e)
{
  e->n_attrs = (uint16_t)(b->n_attrs - e->attrs);
  b->n_events++;
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

/* Told, or what the gaps add up to behind the first token. */
static int64_t e2e_of(const Source *s, int64_t ttft)
{
  const Ints *sums = &s->run.gaps.sums;
  int64_t told = column(s, COL_E2E), e2e;
  if (told != ABSENT || ttft == ABSENT || !sums->n) return told;
  if (sums->v[s->request] == ABSENT) return ABSENT;
  return __builtin_add_overflow(ttft, sums->v[s->request], &e2e) ? INT64_MAX : e2e;
}

static void put_gaps(Source *s, MillBatch *b, size_t n)
{
  const Gaps *g = &s->run.gaps;
  if (n == 0) return;
  const uint32_t *v = g->v + s->gap;
  MillAttr *out = b->attrs + b->n_attrs;
  MillSym key = s->symbols[WANT_GAPS];
  for (size_t i = 0; i < n; i++) {
    int64_t ns = v[i];
    if (v[i] == GAP_BIG) ns = g->big.v[s->big++];
    out[i] = (MillAttr){ key, MILL_INT, { .i = ns } };
  }
  b->n_attrs += (uint32_t)n;
  s->gap += n;
}

/* Those of a request that failed are not told. */
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
  if (error) put_text(s, b, WANT_ERROR, s->run.error_text->str + error->off, error->len);
  put_int(s, b, WANT_OK, !failed);
}

static MillEvent *new_request(Source *s, MillBatch *b, size_t n_gaps)
{
  if (b->n_events == b->max_events || !make_room(s, b, n_gaps + MAX_OTHERS)) return NULL;
  MillEvent *e = new_event(s, b, s->request_name);
  e->id = s->request;
  e->id_kind = MILL_ID_INT;
  return e;
}

/* One record: the request at hand, or more of its gaps.  False: no room. */
static bool emit_request(Source *s, MillBatch *b)
{
  size_t end = s->wanted[WANT_GAPS] ? gaps_end(s) : s->gap;
  guint next_error = s->error;
  const ErrorText *error = run_next_error(&s->run, &next_error, s->request);
  bool failed = run_failed(&s->run, s->request, error);
  if (failed) pass_gaps(s, end);
  size_t n = MIN(end - s->gap, MAX_GAPS);
  MillEvent *e = new_request(s, b, n);
  if (!e) return false;
  if (!s->going_on) put_request(s, b, failed, error);
  put_gaps(s, b, n);
  end_event(b, e);
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
static void put_lists(const Source *s, MillBatch *b)
{
  const Run *r = &s->run;
  for (guint i = 0; i < r->stats->len; i++) {
    const char *name = g_array_index(r->stats, Stat, i).name;
    if (!s->wanted[WANT_STAT_NAME]) break;
    MillAttr a = { s->symbols[WANT_STAT_NAME], MILL_SYM, { .i = 0 } };
    a.u.sym = s->host->intern(s->host, name, strlen(name));
    b->attrs[b->n_attrs++] = a;
  }
  for (guint i = 0; i < r->stats->len; i++)
    put_real(s, b, WANT_STAT_VALUE, g_array_index(r->stats, Stat, i).value);
  for (guint i = 0; i < r->error_kinds->len; i++) {
    const ErrorKind *kind = &g_array_index(r->error_kinds, ErrorKind, i);
    put_text(s, b, WANT_ERROR_KIND, kind->text, strlen(kind->text));
  }
  for (guint i = 0; i < r->error_kinds->len; i++)
    put_int(s, b, WANT_ERROR_COUNT, g_array_index(r->error_kinds, ErrorKind, i).count);
}

bool emit_run(Source *s, MillBatch *b)
{
  const Run *r = &s->run;
  size_t lists = 2u * (r->stats->len + r->error_kinds->len);
  if (b->n_events == b->max_events || !make_room(s, b, N_WANTED + lists)) return false;
  MillEvent *e = new_event(s, b, s->run_name);
  for (int i = 0; i < N_TOTALS; i++) put_known(s, b, WANT_COMPLETED + i, r->totals[i]);
  for (int i = 0; i < N_RATES; i++)
    if (r->rates[i] >= 0) put_real(s, b, WANT_REQUEST_RATE + i, r->rates[i]);
  put_int(s, b, WANT_DETAILED, r->detailed);
  put_lists(s, b);
  end_event(b, e);
  s->request = s->gap = s->big = s->error = 0;
  return true;
}
