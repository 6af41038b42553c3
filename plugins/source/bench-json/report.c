/* Reports with totals in groups: engine, world, requests, performance, streaming. */
/* SPDX-License-Identifier: MIT */
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

G_STATIC_ASSERT(G_N_ELEMENTS(keys) <= 32);

/* Of its first key, or -1. */
static int find_group(const char *name)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (strcmp(keys[i].group, name) == 0) return (int)i;
  return -1;
}

/* `name` is "group.key", and more after it for members of the value. */
static bool read_mean(Source *s, const ReportKey *key, const char *stat, const char *name,
                      const JsonToken *t)
{
  double value;
  window_forget_member(&s->window, name); /* of an earlier member of that name */
  if (!value_real(&s->window, name, t, &value)) return false;
  if (run_stat(&s->run, key->name, stat, name, value)) bench_duplicate(s);
  return true;
}

/* {"p50", "p99", "minimum", "maximum", "average"} in ms; null when it was not measured. */
static bool read_percentiles(Source *s, const ReportKey *key, const char *name,
                             const JsonToken *object)
{
  JsonCursor c;
  JsonToken member, value;
  if (object->kind == JSON_NULL) return true;
  if (object->kind != JSON_OBJECT) return read_mean(s, key, "mean", name, object); /* a fault */
  members_of(&c, object);
  while (member_next(&c, &member, &value)) {
    char stat[16];
    bool fits = json_word(&member, stat, sizeof stat);
    g_autofree char *full = g_strdup_printf("%s.%s", name, stat);
    if (!fits || !stat_name(stat)) continue;
    if (!read_mean(s, key, stat, full, &value)) return false;
  }
  return true;
}

static bool read_value(Source *s, const ReportKey *key, const JsonToken *t)
{
  Run *r = &s->run;
  Window *w = &s->window;
  g_autofree char *name = g_strdup_printf("%s.%s", key->group, key->key);
  switch (key->is) {
  case IS_TAG: tag_value(s, key->name, t, true); return true;
  case IS_COUNT: return value_scaled(w, name, t, 0, &r->totals[key->what]);
  case IS_DURATION: return value_scaled(w, name, t, 6, &r->totals[key->what]);
  case IS_RATE: return value_real(w, name, t, &r->rates[key->what]);
  case IS_MEAN: return read_mean(s, key, "mean", name, t);
  default: return read_percentiles(s, key, name, t);
  }
}

/* Of a key or, with key NULL, of the whole group: what it gave before does not count, be it right or
 * wrong. */
static void drop_values(Source *s, const char *group, const char *key)
{
  Run *r = &s->run;
  g_autofree char *name = key ? g_strdup_printf("%s.%s", group, key) : g_strdup(group);
  bench_duplicate(s);
  window_forget(&s->window, name);
  run_drop_stats(r, name);
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (strcmp(keys[i].group, group) != 0 || (key && strcmp(keys[i].key, key) != 0)) continue;
    if (keys[i].is == IS_TAG) run_drop_tag(r, keys[i].name);
    if (keys[i].is == IS_COUNT || keys[i].is == IS_DURATION) r->totals[keys[i].what] = ABSENT;
    if (keys[i].is == IS_RATE) r->rates[keys[i].what] = -1;
  }
}

/* One value may be of use twice. */
static bool read_member(Source *s, const char *group, const JsonToken *key, const JsonToken *value,
                        uint32_t *io_seen)
{
  bool again = false;
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (strcmp(keys[i].group, group) != 0 || !json_is(key, keys[i].key)) continue;
    if (*io_seen >> i & 1 && !again) {
      again = true;
      drop_values(s, group, keys[i].key);
    }
    *io_seen |= 1u << i;
    if (!read_value(s, &keys[i], value)) return false;
  }
  return true;
}

static bool read_group(Source *s, int first, const JsonToken *object)
{
  JsonCursor c;
  JsonToken key, value;
  uint32_t seen = 0;
  if (object->kind != JSON_OBJECT) return true;
  members_of(&c, object);
  while (member_next(&c, &key, &value))
    if (!read_member(s, keys[first].group, &key, &value, &seen)) return false;
  return true;
}

bool read_report(Source *s)
{
  Window *w = &s->window;
  uint32_t seen = 0;
  bool first = true;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first)) {
    JsonToken object;
    int group = find_group(w->key->str);
    if (group < 0) {
      if (!window_skip(w)) return false;
      continue;
    }
    if (seen >> group & 1) drop_values(s, keys[group].group, NULL);
    seen |= 1u << group;
    if (!window_value(w, &object) || !read_group(s, group, &object)) return false;
  }
  return window_faultless(w) && run_finish(&s->run, w);
}
