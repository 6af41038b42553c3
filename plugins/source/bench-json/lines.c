/* One object a request, up to the end of the input: all of them are one run. */
/* SPDX-License-Identifier: MIT */
#include "notices.h"
#include "source.h"

typedef struct Line {
  Row row;
  int64_t end_ns;
  bool measured, cancelled;
} Line;

typedef struct Span {
  int64_t start_ns, end_ns;
} Span;

/* It decides what is measured: no other value may pass for "profiling". */
static bool read_phase(Window *w, const char *name, const JsonToken *phase, bool *out_measured)
{
  bool none = !phase->len || (phase->len == 4 && !memcmp(phase->start, "null", 4));
  if (none) return true;
  if (phase->kind != JSON_STRING)
    return window_fault(w, name, phase->start, "\"benchmark_phase\" needs a text", NULL);
  *out_measured = json_is(phase, "profiling");
  return true;
}

static bool read_metadata(Source *s, const JsonToken *object, Line *l)
{
  static const char *const names[] = { "benchmark_phase", "was_cancelled", "request_start_ns",
                                       "request_end_ns" };
  Window *w = &s->window;
  JsonToken found[4];
  last_members(s, object, names, 4, found);
  const JsonToken *phase = &found[0], *start = &found[2], *end = &found[3];
  if (!read_phase(w, names[0], phase, &l->measured)) return false;
  l->cancelled = found[1].kind == JSON_TRUE;
  if (start->len && !value_scaled(w, names[2], start, 0, &l->row.values[COL_START])) return false;
  return end->kind == JSON_NULL || value_scaled(w, names[3], end, 0, &l->end_ns);
}

static bool read_gap_list(Source *s, const char *name, const JsonToken *value, int decimals)
{
  JsonCursor c;
  JsonToken t;
  int64_t ns;
  if (value->kind != JSON_ARRAY) {
    if (!value_scaled(&s->window, name, value, decimals, &ns)) return false;
    gaps_push(&s->run.gaps, ns);
    return true;
  }
  members_of(&c, value);
  while (element_next(&c, &t)) {
    if (!value_scaled(&s->window, name, &t, decimals, &ns)) return false;
    gaps_push(&s->run.gaps, ns);
  }
  return true;
}

/* {"value": 12.5, "unit": "ms"} */
static bool read_metric(Source *s, const char *name, const JsonToken *object, bool is_time,
                        int column, Row *row)
{
  static const char *const names[] = { "value", "unit" };
  JsonToken value = *object, found[2] = { value, { JSON_NULL, object->start, 0 } };
  const Unit *u = NULL;
  if (object->kind == JSON_OBJECT) last_members(s, object, names, 2, found);
  if (found[0].len) value = found[0];
  if (is_time && !(u = find_unit(s, name, &found[1]))) return s->window.status == 0;
  int decimals = u ? u->decimals : 0;
  if (column == N_COLUMNS) return read_gap_list(s, name, &value, decimals);
  return value_scaled(&s->window, name, &value, decimals, &row->values[column]);
}

static bool read_values(Source *s, const JsonToken *object, Row *row)
{
  enum { N_KEYS = 6 };
  static const char *const names[N_KEYS] = { "time_to_first_token",   "request_latency",
                                             "inter_token_latency",   "inter_chunk_latency",
                                             "input_sequence_length", "output_sequence_length" };
  static const struct {
    bool is_time;
    int column; /* N_COLUMNS: gaps */
  } keys[N_KEYS] = { { true, COL_TTFT },  { true, COL_E2E },    { true, COL_TPOT },
                     { true, N_COLUMNS }, { false, COL_INPUT }, { false, COL_OUTPUT } };
  JsonToken found[N_KEYS];
  last_members(s, object, names, N_KEYS, found);
  for (size_t i = 0; i < N_KEYS; i++)
    if (found[i].len && !read_metric(s, names[i], &found[i], keys[i].is_time, keys[i].column, row))
      return false;
  return true;
}

static void tell_error(Source *s, const Line *l, const JsonToken *error)
{
  error_text(s, error);
  if (s->scratch->len == 0 && l->cancelled) g_string_assign(s->scratch, "cancelled");
  run_error(&s->run, s->run.n_requests, s->scratch->str, s->scratch->len);
}

static void add_line(Source *s, const Line *l, Span *span)
{
  const int64_t *v = l->row.values;
  int64_t end = l->end_ns;
  if (v[COL_START] != ABSENT) {
    if (end == ABSENT && v[COL_E2E] != ABSENT &&
        __builtin_add_overflow(v[COL_START], v[COL_E2E], &end))
      end = ABSENT;
    if (span->start_ns == ABSENT || v[COL_START] < span->start_ns) span->start_ns = v[COL_START];
    span->end_ns = MAX(span->end_ns, end);
  }
  run_add(&s->run, &l->row);
}

static bool read_line(Source *s, Span *span)
{
  static const char *const names[] = { "metadata", "metrics", "error" };
  Window *w = &s->window;
  JsonToken line, found[3];
  Line l = { run_row(), ABSENT, true, false };
  if (!window_value(w, &line)) return false;
  if (line.kind != JSON_OBJECT)
    return window_fail(w, BENCH_NOT_JSON, line.start, "a line is not a record of a request",
                       "expected an object");
  last_members(s, &line, names, 3, found);
  const JsonToken *metadata = &found[0], *metrics = &found[1];
  if (metadata->kind == JSON_OBJECT && !read_metadata(s, metadata, &l)) return false;
  if (!l.measured) {
    s->common->note(s->common, BENCH_PHASE, NULL, MILL_NO_EVENT, NULL, 0);
    return true;
  }
  if (metrics->kind == JSON_OBJECT && !read_values(s, metrics, &l.row)) return false;
  if (!window_faultless(w)) return false;
  tell_error(s, &l, &found[2]);
  add_line(s, &l, span);
  return true;
}

/* Of the requests that did not fail; ABSENT when none has it. */
static int64_t total_of(const Run *r, int column)
{
  const Ints *c = &r->columns[column];
  int64_t sum = 0;
  bool any = false;
  guint next = 0;
  for (size_t i = 0; i < c->n; i++) {
    bool failed = run_failed(r, i, run_next_error(r, &next, i));
    if (failed || c->v[i] == ABSENT) continue;
    any = true;
    if (__builtin_add_overflow(sum, c->v[i], &sum)) return ABSENT;
  }
  return any ? sum : ABSENT;
}

/* As AIPerf defines it: of each request what its mean gap between tokens allows, then the mean of that. */
static double user_rate(const Run *r)
{
  const Ints *tpot = &r->columns[COL_TPOT];
  double sum = 0;
  size_t n = 0;
  guint next = 0;
  for (size_t i = 0; i < tpot->n; i++) {
    bool failed = run_failed(r, i, run_next_error(r, &next, i));
    if (failed || tpot->v[i] <= 0) continue;
    sum += 1e9 / (double)tpot->v[i];
    n++;
  }
  return n ? sum / (double)n : -1;
}

bool read_lines(Source *s)
{
  Window *w = &s->window;
  Run *r = &s->run;
  Span span = { ABSENT, ABSENT };
  while (window_peek(w) >= 0)
    if (!read_line(s, &span)) return false;
  if (w->status) return false;
  r->detailed = true;
  r->totals[TOTAL_INPUT] = total_of(r, COL_INPUT);
  r->totals[TOTAL_OUTPUT] = total_of(r, COL_OUTPUT);
  if (span.start_ns != ABSENT && span.end_ns >= span.start_ns)
    r->totals[TOTAL_DURATION] = span.end_ns - span.start_ns;
  r->rates[RATE_USER] = user_rate(r);
  return read_beside(s) && run_finish(r, w);
}
