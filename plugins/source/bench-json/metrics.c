/* Results with an object for each metric: unit, mean and, of distributions, percentiles. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "notices.h"
#include "source.h"

enum { IS_TIME, IS_RATE, IS_COUNT, IS_DURATION };

typedef struct MetricKey {
  const char *key;
  const char *metric; /* of IS_TIME: ours */
  uint8_t is, what;
} MetricKey;

static const MetricKey keys[] = {
  { "time_to_first_token", "ttft", IS_TIME, 0 },
  { "inter_token_latency", "tpot", IS_TIME, 0 },
  { "inter_chunk_latency", "itl", IS_TIME, 0 },
  { "request_latency", "e2e", IS_TIME, 0 },
  { "request_throughput", NULL, IS_RATE, RATE_REQUEST },
  { "output_token_throughput", NULL, IS_RATE, RATE_OUTPUT },
  { "total_token_throughput", NULL, IS_RATE, RATE_TOTAL },
  { "output_token_throughput_per_user", NULL, IS_RATE, RATE_USER },
  { "request_goodput", NULL, IS_RATE, RATE_GOODPUT },
  { "goodput", NULL, IS_RATE, RATE_GOODPUT },
  { "request_count", NULL, IS_COUNT, TOTAL_COMPLETED },
  { "error_request_count", NULL, IS_COUNT, TOTAL_FAILED },
  { "total_isl", NULL, IS_COUNT, TOTAL_INPUT },
  { "total_output_tokens", NULL, IS_COUNT, TOTAL_OUTPUT },
  { "benchmark_duration", NULL, IS_DURATION, TOTAL_DURATION },
};
G_STATIC_ASSERT(G_N_ELEMENTS(keys) <= 30);

typedef struct Pending { /* a sample's standard deviation, until the number of values is known */
  const MetricKey *key;
  double value;
  int64_t n; /* ABSENT: look at the number of requests */
} Pending;

#define SEEN_CONFIG (1u << 30)
#define SEEN_ERRORS (1u << 31)
typedef struct Metrics {
  Source *s;
  uint32_t seen;                       /* a bit a key */
  Pending pending[G_N_ELEMENTS(keys)]; /* in file order */
  uint32_t n_pending;
} Metrics;

static const MetricKey *find_key(const char *key)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (strcmp(keys[i].key, key) == 0) return &keys[i];
  return NULL;
}

/* True when there was one. */
static bool drop_std(Metrics *m, const MetricKey *key)
{
  for (uint32_t i = 0; i < m->n_pending; i++) {
    if (m->pending[i].key != key) continue;
    m->n_pending--;
    memmove(m->pending + i, m->pending + i + 1, (m->n_pending - i) * sizeof *m->pending);
    return true;
  }
  return false;
}

/* One statistic, in the metric's unit; n is the number of values, or ABSENT. */
static bool read_stat(Metrics *m, const MetricKey *key, const Unit *u, int64_t n,
                      const JsonToken *member, const JsonToken *value)
{
  Source *s = m->s;
  char stat[16];
  double v;
  bool fits = json_word(member, stat, sizeof stat);
  g_autofree char *name = g_strdup_printf("%s.%s", key->key, stat);
  if (!fits || !stat_name(stat)) return true;
  window_forget_member(&s->window, name); /* of an earlier member of that name */
  if (!value_real(&s->window, name, value, &v)) return false;
  v = v * u->times / u->divided;
  bool held = s->sample_std && strcmp(stat, "std") == 0;
  bool again = held ? drop_std(m, key) : run_stat(&s->run, key->metric, stat, name, v);
  if (again) bench_duplicate(s);
  if (held) m->pending[m->n_pending++] = (Pending){ key, v, n };
  return true;
}

static bool read_times(Metrics *m, const MetricKey *key, const JsonToken *object)
{
  static const char *const names[] = { "unit", "count" };
  Window *w = &m->s->window;
  JsonCursor c;
  JsonToken name, value, found[2];
  int64_t n = ABSENT;
  last_members(m->s, object, names, 2, found);
  const Unit *u = find_unit(m->s, key->key, &found[0]);
  g_autofree char *count = g_strconcat(key->key, ".count", NULL);
  if (!u) return w->status == 0;
  if (found[1].len && !value_scaled(w, count, &found[1], 0, &n)) return false;
  members_of(&c, object);
  while (member_next(&c, &name, &value))
    if (!read_stat(m, key, u, n, &name, &value)) return false;
  return true;
}

static bool read_average(Metrics *m, const MetricKey *key, const JsonToken *object)
{
  static const char *const names[] = { "avg", "unit" };
  Source *s = m->s;
  Window *w = &s->window;
  JsonToken found[2];
  last_members(s, object, names, 2, found);
  if (key->is == IS_RATE) return value_real(w, key->key, &found[0], &s->run.rates[key->what]);
  const Unit *u = key->is == IS_DURATION ? find_unit(s, key->key, &found[1]) : NULL;
  if (key->is == IS_DURATION && !u) return w->status == 0;
  return value_scaled(w, key->key, &found[0], u ? u->decimals : 0, &s->run.totals[key->what]);
}

/* The metric comes again: what it gave before does not count, be it right or wrong. */
static void drop_metric(Metrics *m, const MetricKey *key)
{
  Run *r = &m->s->run;
  bench_duplicate(m->s);
  window_forget(&m->s->window, key->key);
  if (key->is == IS_RATE) r->rates[key->what] = -1;
  if (key->is == IS_COUNT || key->is == IS_DURATION) r->totals[key->what] = ABSENT;
  if (key->is == IS_TIME) run_drop_stats(r, key->key);
  drop_std(m, key);
}

static bool read_metric(Metrics *m, const MetricKey *key)
{
  Window *w = &m->s->window;
  JsonToken value;
  uint32_t bit = 1u << (key - keys);
  if (!window_value(w, &value)) return false;
  if (m->seen & bit) drop_metric(m, key);
  m->seen |= bit;
  if (value.kind != JSON_OBJECT)
    return window_fault(w, key->key, value.start, "a metric must be an object",
                        "expected {\"unit\": ..., \"avg\": ...}");
  return key->is == IS_TIME ? read_times(m, key, &value) : read_average(m, key, &value);
}

/* [{"error_details": {"code", "type", "message"}, "count"}] */
static bool read_errors(Metrics *m)
{
  static const char *const names[] = { "error_details", "count" };
  Source *s = m->s;
  JsonCursor c;
  JsonToken list, element, found[2];
  if (m->seen & SEEN_ERRORS) bench_duplicate(s);
  m->seen |= SEEN_ERRORS;
  window_forget(&s->window, "error_summary");
  g_array_set_size(s->run.error_kinds, 0);
  if (!window_value(&s->window, &list)) return false;
  if (list.kind != JSON_ARRAY) return true;
  members_of(&c, &list);
  while (element_next(&c, &element)) {
    int64_t n;
    if (element.kind != JSON_OBJECT) continue;
    last_members(s, &element, names, 2, found);
    if (!value_scaled(&s->window, "error_summary.count", &found[1], 0, &n)) return false;
    error_text(s, &found[0]);
    if (s->scratch->len == 0) g_string_assign(s->scratch, "unknown");
    run_error_kind(&s->run, s->scratch->str, n);
  }
  return true;
}

static bool read_config(Metrics *m)
{
  Source *s = m->s;
  static const TagKey names[] = {
    { "model_names", "model" },
    { "model_name", "model" },
    { "model", "model" },
    { "concurrency", "max_concurrency" },
    { "request_rate", "request_rate" },
    { "backend", "framework" },
    { NULL, NULL },
  };
  JsonToken config;
  if (m->seen & SEEN_CONFIG) bench_duplicate(s);
  for (const TagKey *k = names; m->seen & SEEN_CONFIG && k->key; k++) run_drop_tag(&s->run, k->tag);
  m->seen |= SEEN_CONFIG;
  if (!window_value(&s->window, &config)) return false;
  tag_members(s, &config, names, 3);
  return true;
}

static bool read_member(Metrics *m)
{
  Window *w = &m->s->window;
  const MetricKey *key = find_key(w->key->str);
  if (key) return read_metric(m, key);
  if (strcmp(w->key->str, "input_config") == 0) return read_config(m);
  if (strcmp(w->key->str, "error_summary") == 0) return read_errors(m);
  return window_skip(w);
}

/* Of a sample of n values, to that of these n values. */
static void convert_std(Metrics *m)
{
  Source *s = m->s;
  for (uint32_t i = 0; i < m->n_pending; i++) {
    const Pending *p = &m->pending[i];
    int64_t n = p->n != ABSENT ? p->n : s->run.totals[TOTAL_COMPLETED];
    if (n > 0)
      run_stat(&s->run, p->key->metric, "std", p->key->key,
               p->value * sqrt((double)(n - 1) / (double)n));
    else if (n != 0)
      s->common->note(s->common, BENCH_STD, NULL, MILL_NO_EVENT, NULL, 0);
  }
}

static bool read_members(Metrics *m)
{
  Window *w = &m->s->window;
  bool first = true;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first))
    if (!read_member(m)) return false;
  return window_faultless(w);
}

bool read_totals(Source *s)
{
  Metrics m = { .s = s };
  return read_members(&m);
}

bool read_metrics(Source *s)
{
  Metrics m = { .s = s };
  if (!read_members(&m)) return false;
  convert_std(&m);
  return run_finish(&s->run, &s->window);
}
