/* Results with an object for each metric: unit, mean and, of distributions, percentiles. */
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
G_STATIC_ASSERT(G_N_ELEMENTS(keys) <= 32);

typedef struct Pending { /* standard deviations of samples, until the number of values is known */
  const MetricKey *key;
  double value;
  int64_t n; /* ABSENT: look at the number of requests */
} Pending;

typedef struct Metrics {
  Source *s;
  uint32_t seen;
  Pending pending[G_N_ELEMENTS(keys)];
  uint32_t n_pending;
} Metrics;

static const MetricKey *find_key(const char *key)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (strcmp(keys[i].key, key) == 0) return &keys[i];
  return NULL;
}

/* The member of that name; its kind is JSON_NULL and its length 0 when there is none. */
static JsonToken member_of(const JsonToken *object, const char *name)
{
  JsonCursor c;
  JsonToken key, value, found = { JSON_NULL, object->start, 0 };
  members_of(&c, object);
  while (member_next(&c, &key, &value))
    if (key_is(&key, name)) found = value;
  return found;
}

static void hold_std(Metrics *m, const MetricKey *key, double value, int64_t n)
{
  for (uint32_t i = 0; i < m->n_pending; i++)
    if (m->pending[i].key == key) m->pending[i].key = NULL;
  if (m->n_pending < G_N_ELEMENTS(keys)) m->pending[m->n_pending++] = (Pending){ key, value, n };
}

static bool read_times(Metrics *m, const MetricKey *key, const JsonToken *object)
{
  Window *w = &m->s->window;
  JsonCursor c;
  JsonToken name, value, unit = member_of(object, "unit"), count = member_of(object, "count");
  const Unit *u = find_unit(m->s, key->key, &unit);
  int64_t n = ABSENT;
  if (!u || (count.len && !value_scaled(w, "count", &count, 0, &n))) return false;
  members_of(&c, object);
  while (member_next(&c, &name, &value)) {
    char stat[16];
    double v;
    g_snprintf(stat, sizeof stat, "%.*s", (int)name.len - 2, name.start + 1);
    if (name.len > 17 || !stat_name(stat)) continue;
    if (!value_real(w, key->key, &value, &v)) return false;
    v = v * u->times / u->divided;
    if (m->s->sample_std && strcmp(stat, "std") == 0)
      hold_std(m, key, v, n);
    else
      run_stat(&m->s->run, key->metric, stat, key->key, v);
  }
  return true;
}

static bool read_average(Metrics *m, const MetricKey *key, const JsonToken *object)
{
  Source *s = m->s;
  Window *w = &s->window;
  JsonToken avg = member_of(object, "avg"), unit = member_of(object, "unit");
  if (key->is == IS_RATE) return value_real(w, key->key, &avg, &s->run.rates[key->what]);
  const Unit *u = key->is == IS_DURATION ? find_unit(s, key->key, &unit) : NULL;
  if (key->is == IS_DURATION && !u) return false;
  return value_scaled(w, key->key, &avg, u ? u->decimals : 0, &s->run.totals[key->what]);
}

static bool read_metric(Metrics *m, const MetricKey *key)
{
  Window *w = &m->s->window;
  JsonToken value;
  uint32_t bit = 1u << (key - keys);
  if (!window_value(w, &value)) return false;
  if (m->seen & bit) bench_duplicate(m->s);
  m->seen |= bit;
  if (value.kind != JSON_OBJECT)
    return window_fail(w, BENCH_BAD_VALUE, value.start, "a metric must be an object",
                       "expected {\"unit\": ..., \"avg\": ...}");
  return key->is == IS_TIME ? read_times(m, key, &value) : read_average(m, key, &value);
}

/* [{"error_details": {"code", "type", "message"}, "count"}] */
static bool read_errors(Source *s)
{
  JsonCursor c;
  JsonToken list, element;
  if (!window_value(&s->window, &list)) return false;
  if (list.kind != JSON_ARRAY) return true;
  members_of(&c, &list);
  while (element_next(&c, &element)) {
    int64_t n;
    if (element.kind != JSON_OBJECT) continue;
    JsonToken details = member_of(&element, "error_details"), count = member_of(&element, "count");
    if (!value_scaled(&s->window, "error_summary.count", &count, 0, &n)) return false;
    error_text(s, &details);
    if (s->scratch->len == 0) g_string_assign(s->scratch, "unknown");
    run_error_kind(&s->run, s->scratch->str, n);
  }
  return true;
}

static bool read_config(Source *s)
{
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
  if (!window_value(&s->window, &config)) return false;
  tag_members(s, &config, names, 3);
  return true;
}

static bool read_member(Metrics *m)
{
  Window *w = &m->s->window;
  const MetricKey *key = find_key(w->key->str);
  if (key) return read_metric(m, key);
  if (strcmp(w->key->str, "input_config") == 0) return read_config(m->s);
  if (strcmp(w->key->str, "error_summary") == 0) return read_errors(m->s);
  return window_skip(w);
}

/* Of a sample of n values, to that of these n values. */
static void settle_std(Metrics *m)
{
  Source *s = m->s;
  for (uint32_t i = 0; i < m->n_pending; i++) {
    const Pending *p = &m->pending[i];
    int64_t n = p->n != ABSENT ? p->n : s->run.totals[TOTAL_COMPLETED];
    if (!p->key) continue;
    if (n > 0)
      run_stat(&s->run, p->key->metric, "std", p->key->key,
               p->value * sqrt((double)(n - 1) / (double)n));
    else if (n != 0)
      s->host->note(s->host, BENCH_STD, NULL, MILL_NO_EVENT, NULL, 0);
  }
}

bool read_metrics(Source *s)
{
  Window *w = &s->window;
  Metrics m = { .s = s };
  bool first = true;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first))
    if (!read_member(&m)) return false;
  if (w->status) return false;
  settle_std(&m);
  return run_finish(&s->run, w);
}
