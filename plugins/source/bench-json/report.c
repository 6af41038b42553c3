/* Reports with totals in groups: engine, world, requests, performance, streaming. */
#include "notices.h"
#include "source.h"

enum { IS_TAG, IS_COUNT, IS_DURATION, IS_RATE, IS_MEAN, IS_PERCENTILES };

typedef struct ReportKey {
  const char *group, *key;
  const char *name; /* of a tag or metric */
  uint8_t is, what;
} ReportKey;

static const ReportKey keys[] = {
  { "engine", "model", "model", IS_TAG, 0 },
  { "engine", "backend", "framework", IS_TAG, 0 },
  { "machine", "name", "hardware", IS_TAG, 0 },
  { "world_info", "tp_size", "tp", IS_TAG, 0 },
  { "world_info", "pp_size", "pp", IS_TAG, 0 },
  { "world_info", "ep_size", "ep", IS_TAG, 0 },
  { "world_info", "world_size", "gpus", IS_TAG, 0 },
  { "world_info", "world_size", NULL, IS_COUNT, TOTAL_GPUS },
  { "request_info", "num_requests", NULL, IS_COUNT, TOTAL_COMPLETED },
  { "performance", "total_latency_ms", NULL, IS_DURATION, TOTAL_DURATION },
  { "performance", "avg_request_latency_ms", "e2e", IS_MEAN, 0 },
  { "performance", "request_latency_percentiles_ms", "e2e", IS_PERCENTILES, 0 },
  { "performance", "request_throughput_req_s", NULL, IS_RATE, RATE_REQUEST },
  { "performance", "system_output_throughput_tok_s", NULL, IS_RATE, RATE_OUTPUT },
  { "performance", "system_total_throughput_tok_s", NULL, IS_RATE, RATE_TOTAL },
  { "performance", "output_throughput_per_user_tok_s", NULL, IS_RATE, RATE_USER },
  { "streaming_metrics", "avg_ttft_ms", "ttft", IS_MEAN, 0 },
  { "streaming_metrics", "ttft_percentiles", "ttft", IS_PERCENTILES, 0 },
  { "streaming_metrics", "avg_tpot_ms", "tpot", IS_MEAN, 0 },
  { "streaming_metrics", "tpot_percentiles", "tpot", IS_PERCENTILES, 0 },
};

static bool is_group(const char *name)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (strcmp(keys[i].group, name) == 0) return true;
  return false;
}

static bool read_mean(Source *s, const ReportKey *key, const char *stat, const JsonToken *t)
{
  double value;
  if (!value_real(&s->window, key->key, t, &value)) return false;
  run_stat(&s->run, key->name, stat, key->key, value);
  return true;
}

/* {"p50", "p99", "minimum", "maximum", "average"} in ms; null when it was not measured. */
static bool read_percentiles(Source *s, const ReportKey *key, const JsonToken *object)
{
  JsonCursor c;
  JsonToken name, value;
  if (object->kind == JSON_NULL) return true;
  if (object->kind != JSON_OBJECT) return read_mean(s, key, "mean", object); /* which fails */
  members_of(&c, object);
  while (member_next(&c, &name, &value)) {
    char stat[16];
    g_snprintf(stat, sizeof stat, "%.*s", (int)name.len - 2, name.start + 1);
    if (name.len > 17 || !stat_name(stat)) continue;
    if (!read_mean(s, key, stat, &value)) return false;
  }
  return true;
}

static bool read_value(Source *s, const ReportKey *key, const JsonToken *t)
{
  Run *r = &s->run;
  switch (key->is) {
  case IS_TAG: tag_value(s, key->name, t, true); return true;
  case IS_COUNT: return value_scaled(&s->window, key->key, t, 0, &r->totals[key->what]);
  case IS_DURATION: return value_scaled(&s->window, key->key, t, 6, &r->totals[key->what]);
  case IS_RATE: return value_real(&s->window, key->key, t, &r->rates[key->what]);
  case IS_MEAN: return read_mean(s, key, "mean", t);
  default: return read_percentiles(s, key, t);
  }
}

static bool read_group(Source *s, const JsonToken *object)
{
  const char *group = s->window.key->str;
  JsonCursor c;
  JsonToken key, value;
  if (object->kind != JSON_OBJECT) return true;
  members_of(&c, object);
  while (member_next(&c, &key, &value))
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
      if (strcmp(keys[i].group, group) == 0 && key_is(&key, keys[i].key) &&
          !read_value(s, &keys[i], &value))
        return false;
  return true;
}

bool read_report(Source *s)
{
  Window *w = &s->window;
  bool first = true;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first)) {
    JsonToken object;
    if (!is_group(w->key->str)) {
      if (!window_skip(w)) return false;
    } else if (!window_value(w, &object) || !read_group(s, &object)) {
      return false;
    }
  }
  return w->status == 0 && run_finish(&s->run, w);
}
