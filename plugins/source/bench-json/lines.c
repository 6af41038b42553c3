/* One object a request, up to the end of the input: all of them are one run. */
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

static bool read_metadata(Source *s, const JsonToken *object, Line *l)
{
  Window *w = &s->window;
  JsonCursor c;
  JsonToken key, value;
  members_of(&c, object);
  while (member_next(&c, &key, &value)) {
    bool ok = true;
    if (key_is(&key, "benchmark_phase") && value.kind == JSON_STRING)
      l->measured = key_is(&value, "profiling");
    else if (key_is(&key, "was_cancelled"))
      l->cancelled = value.kind == JSON_TRUE;
    else if (key_is(&key, "request_start_ns"))
      ok = value_scaled(w, "request_start_ns", &value, 0, &l->row.values[COL_START]);
    else if (key_is(&key, "request_end_ns") && value.kind != JSON_NULL)
      ok = value_scaled(w, "request_end_ns", &value, 0, &l->end_ns);
    if (!ok) return false;
  }
  return true;
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
  JsonCursor c;
  JsonToken key, t, value = *object, unit = { JSON_NULL, object->start, 0 };
  const Unit *u = NULL;
  if (object->kind == JSON_OBJECT) {
    members_of(&c, object);
    while (member_next(&c, &key, &t)) {
      if (key_is(&key, "value")) value = t;
      if (key_is(&key, "unit")) unit = t;
    }
  }
  if (is_time && !(u = find_unit(s, name, &unit))) return false;
  int decimals = u ? u->decimals : 0;
  if (column == N_COLUMNS) return read_gap_list(s, name, &value, decimals);
  return value_scaled(&s->window, name, &value, decimals, &row->values[column]);
}

static bool read_values(Source *s, const JsonToken *object, Row *row)
{
  static const struct {
    const char *key;
    bool is_time;
    int column; /* N_COLUMNS: gaps */
  } keys[] = {
    { "time_to_first_token", true, COL_TTFT },     { "request_latency", true, COL_E2E },
    { "inter_token_latency", true, COL_TPOT },     { "inter_chunk_latency", true, N_COLUMNS },
    { "input_sequence_length", false, COL_INPUT }, { "output_sequence_length", false, COL_OUTPUT },
  };
  JsonCursor c;
  JsonToken key, value;
  members_of(&c, object);
  while (member_next(&c, &key, &value)) {
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
      if (key_is(&key, keys[i].key) &&
          !read_metric(s, keys[i].key, &value, keys[i].is_time, keys[i].column, row))
        return false;
  }
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
  Window *w = &s->window;
  JsonCursor c;
  JsonToken line, key, value, error = { JSON_NULL, "", 0 }, metrics = error;
  Line l = { run_row(), ABSENT, true, false };
  if (!window_value(w, &line)) return false;
  if (line.kind != JSON_OBJECT)
    return window_fail(w, BENCH_NOT_JSON, line.start, "a line is no record of a request",
                       "expected an object");
  members_of(&c, &line);
  while (member_next(&c, &key, &value)) {
    if (key_is(&key, "metadata") && value.kind == JSON_OBJECT && !read_metadata(s, &value, &l))
      return false;
    if (key_is(&key, "metrics") && value.kind == JSON_OBJECT) metrics = value;
    if (key_is(&key, "error")) error = value;
  }
  if (!l.measured) {
    s->host->note(s->host, BENCH_PHASE, NULL, MILL_NO_EVENT, NULL, 0);
    return true;
  }
  if (metrics.len && !read_values(s, &metrics, &l.row)) return false;
  tell_error(s, &l, &error);
  add_line(s, &l, span);
  return true;
}

/* Of the requests that did not fail; ABSENT when none tells it. */
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
  return run_finish(r, w);
}
