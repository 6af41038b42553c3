/* Results in one object: serving benchmarks with totals, statistics and, if detailed, columns. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "notices.h"
#include "source.h"

enum { /* what to do with the value of a key */
       DO_TOTAL,
       DO_RATE,
       DO_MAYBE_TOTAL, /* null is none */
       DO_MAYBE_RATE,
       DO_COLUMN,
       DO_GAPS,
       DO_ERRORS,
       DO_TAG,
       DO_MEAN,        /* of e2e, in seconds */
       DO_PERCENTILES, /* of e2e, in seconds */
       DO_SERVER
};

typedef struct FlatKey {
  const char *key;
  const char *tag;
  uint8_t action, what, decimals;
} FlatKey;

static const FlatKey keys[] = {
  { "duration", NULL, DO_TOTAL, TOTAL_DURATION, 9 },
  { "elapsed_time", NULL, DO_TOTAL, TOTAL_DURATION, 9 },
  { "completed", NULL, DO_TOTAL, TOTAL_COMPLETED, 0 },
  { "num_requests", NULL, DO_TOTAL, TOTAL_COMPLETED, 0 },
  { "failed", NULL, DO_TOTAL, TOTAL_FAILED, 0 },
  { "total_input_tokens", NULL, DO_TOTAL, TOTAL_INPUT, 0 },
  { "total_output_tokens", NULL, DO_TOTAL, TOTAL_OUTPUT, 0 },
  { "max_concurrent_requests", NULL, DO_MAYBE_TOTAL, TOTAL_REACHED, 0 },
  { "request_throughput", NULL, DO_RATE, RATE_REQUEST, 0 },
  { "requests_per_second", NULL, DO_RATE, RATE_REQUEST, 0 },
  { "input_throughput", NULL, DO_RATE, RATE_INPUT, 0 },
  { "output_throughput", NULL, DO_RATE, RATE_OUTPUT, 0 },
  { "total_token_throughput", NULL, DO_RATE, RATE_TOTAL, 0 },
  { "total_throughput", NULL, DO_RATE, RATE_TOTAL, 0 },
  { "tokens_per_second", NULL, DO_RATE, RATE_TOTAL, 0 },
  { "request_goodput", NULL, DO_MAYBE_RATE, RATE_GOODPUT, 0 },
  { "request_goodput:", NULL, DO_MAYBE_RATE, RATE_GOODPUT,
    0 }, /* a writer's slip, kept by others */
  { "user_throughput", NULL, DO_MAYBE_RATE, RATE_USER, 0 },
  { "max_output_tokens_per_s", NULL, DO_MAYBE_RATE, RATE_PEAK, 0 },
  { "accept_length", NULL, DO_MAYBE_RATE, RATE_ACCEPT, 0 },
  { "spec_decode_acceptance_length", NULL, DO_MAYBE_RATE, RATE_ACCEPT, 0 },
  { "start_times", NULL, DO_COLUMN, COL_START, 9 },
  { "ttfts", NULL, DO_COLUMN, COL_TTFT, 9 },
  { "latencies", NULL, DO_COLUMN, COL_E2E, 9 },
  { "e2els", NULL, DO_COLUMN, COL_E2E, 9 },
  { "input_lens", NULL, DO_COLUMN, COL_INPUT, 0 },
  { "output_lens", NULL, DO_COLUMN, COL_OUTPUT, 0 },
  { "itls", NULL, DO_GAPS, 0, 9 },
  { "errors", NULL, DO_ERRORS, 0, 0 },
  { "avg_latency", NULL, DO_MEAN, 0, 0 },
  { "percentiles", NULL, DO_PERCENTILES, 0, 0 },
  { "server_info", NULL, DO_SERVER, 0, 0 },
  { "model_id", "model", DO_TAG, 0, 0 },
  { "model", "model", DO_TAG, 0, 0 },
  { "backend", "framework", DO_TAG, 0, 0 },
  { "dataset_name", "dataset", DO_TAG, 0, 0 },
  { "label", "result_label", DO_TAG, 0, 0 },
  { "request_rate", "request_rate", DO_TAG, 0, 0 },
  { "max_concurrency", "max_concurrency", DO_TAG, 0, 0 },
  /* What people add with --metadata. */
  { "hardware", "hardware", DO_TAG, 0, 0 },
  { "gpus", "gpus", DO_TAG, 0, 0 },
  { "tp", "tp", DO_TAG, 0, 0 },
  { "pp", "pp", DO_TAG, 0, 0 },
  { "ep", "ep", DO_TAG, 0, 0 },
  { "dp", "dp", DO_TAG, 0, 0 },
  { "max_num_seqs", "max_num_seqs", DO_TAG, 0, 0 },
  { "max_num_batched_tokens", "max_num_batched_tokens", DO_TAG, 0, 0 },
};
G_STATIC_ASSERT(G_N_ELEMENTS(keys) <= 64);

static const FlatKey *find_key(const GString *key)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (strcmp(keys[i].key, key->str) == 0) return &keys[i];
  return NULL;
}

/* -------------------------------------------------------------- statistics */
/* "p99.9_e2el_ms" in its parts; false when it is another key. */
static bool split_stat(const char *key, const char **out_metric, char stat[16])
{
  static const char *const metrics[][2] = {
    { "ttft", "ttft" }, { "tpot", "tpot" },       { "itl", "itl" },
    { "e2el", "e2e" },  { "e2e_latency", "e2e" },
  };
  const char *rest = strchr(key, '_');
  size_t len = strlen(key), n = rest ? (size_t)(rest - key) : 0;
  if (!rest || n > 15 || len < n + 5 || strcmp(key + len - 3, "_ms") != 0) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(metrics); i++) {
    if (strlen(metrics[i][0]) != len - n - 4) continue;
    if (memcmp(rest + 1, metrics[i][0], len - n - 4) != 0) continue;
    *out_metric = metrics[i][1];
    memcpy(stat, key, n);
    stat[n] = '\0';
    return stat_name(stat);
  }
  return false;
}

static bool read_stat(Source *s, const char *metric, const char *stat, const char *key,
                      const JsonToken *t, double times)
{
  double value;
  if (!value_real(&s->window, key, t, &value)) return false;
  if (run_stat(&s->run, metric, stat, key, value * times)) bench_duplicate(s);
  return true;
}

/* {"10": 1.5, "99": 2.5} in seconds. */
static bool read_percentiles(Source *s)
{
  Window *w = &s->window;
  JsonToken t;
  bool first = true;
  if (window_peek(w) != '{') return value_wrong(w, "percentiles", "an object");
  w->p++;
  while (window_key(w, &first)) {
    char stat[16];
    double percent;
    bool known = w->key->len < 14 && num_real(w->key->str, w->key->len, &percent);
    g_snprintf(stat, sizeof stat, "p%.14s", w->key->str);
    g_autofree char *key = g_strdup_printf("percentiles.%s", w->key->str);
    window_forget_member(w, key);
    if (!window_value(w, &t)) return false;
    if (known && !read_stat(s, "e2e", stat, key, &t, 1000)) return false;
  }
  return w->status == 0;
}

/* ----------------------------------------------------------------- columns */
static bool fast_number(Window *w, int decimals, int64_t *out)
{
  unsigned flags = 0;
  const char *p = w->p;
  if (*p == '-') return false;
  const char *after = num_scan_scaled(p, w->end, decimals, out, &flags);
  if (!after || after >= w->end || flags & NUM_RANGE) return false;
  if (decimals == 0 && flags & NUM_INEXACT) return false;
  if (*after != ',' && *after != ']' && !scan_is_space(*after)) return false;
  w->p = after;
  return true;
}

static bool read_column(Source *s, const FlatKey *key)
{
  Window *w = &s->window;
  Ints *column = &s->run.columns[key->what];
  bool first = true;
  JsonToken t;
  int64_t v;
  column->n = 0;
  if (window_peek(w) != '[') return value_wrong(w, key->key, "a list");
  s->run.column_keys[key->what] = key->key;
  w->p++;
  while (window_element(w, &first)) {
    if (!fast_number(w, key->decimals, &v) &&
        !(window_value(w, &t) && value_scaled(w, key->key, &t, key->decimals, &v)))
      return false;
    ints_push(column, v);
  }
  return w->status == 0;
}

static bool read_errors(Source *s)
{
  Window *w = &s->window;
  Run *r = &s->run;
  bool first = true;
  JsonToken t;
  run_drop_errors(r);
  if (window_peek(w) != '[') return value_wrong(w, "errors", "a list");
  r->errors_key = "errors";
  w->p++;
  while (window_element(w, &first)) {
    if (!window_value(w, &t)) return false;
    g_string_truncate(s->scratch, 0);
    if (t.kind != JSON_NULL) json_value_text(&t, s->scratch);
    run_error(r, r->n_errors++, s->scratch->str, s->scratch->len);
  }
  return w->status == 0;
}

/* The server's own settings: an object, or null. */
static const TagKey server_tags[] = {
  { "model_path", "model" }, { "tp_size", "tp" }, { "pp_size", "pp" },
  { "ep_size", "ep" },       { "dp_size", "dp" }, { NULL, NULL },
};

static bool read_server(Source *s)
{
  JsonToken t;
  if (!window_value(&s->window, &t)) return false;
  tag_members(s, &t, server_tags, 1);
  return true;
}

/* ----------------------------------------------------------------- members */
static bool read_scalar_key(Source *s, const FlatKey *key)
{
  Window *w = &s->window;
  JsonToken t;
  if (!window_value(w, &t)) return false;
  bool may_lack = key->action == DO_MAYBE_RATE || key->action == DO_MAYBE_TOTAL;
  if (may_lack && t.kind == JSON_NULL) return true;
  switch (key->action) {
  case DO_TOTAL:
  case DO_MAYBE_TOTAL:
    return value_scaled(w, key->key, &t, key->decimals, &s->run.totals[key->what]);
  case DO_RATE:
  case DO_MAYBE_RATE: return value_real(w, key->key, &t, &s->run.rates[key->what]);
  case DO_MEAN: return read_stat(s, "e2e", "mean", key->key, &t, 1000);
  default: tag_value(s, key->tag, &t, true); return true;
  }
}

static bool read_known(Source *s, const FlatKey *key)
{
  switch (key->action) {
  case DO_COLUMN:
    if (window_peek(&s->window) != '[' && key->what == COL_E2E) return window_skip(&s->window);
    return read_column(s, key);
  case DO_GAPS: s->run.gaps_key = "itls"; return read_gaps(s, &s->run.gaps);
  case DO_ERRORS: return read_errors(s);
  case DO_PERCENTILES: return read_percentiles(s);
  case DO_SERVER: return read_server(s);
  default: return read_scalar_key(s, key);
  }
}

/* Tags that no key of the result itself has given. */
static void drop_server_tags(Run *r, uint64_t seen)
{
  for (const TagKey *k = server_tags; k->key; k++) {
    bool own = false;
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
      own = own || ((seen >> i & 1) && keys[i].tag && !strcmp(keys[i].tag, k->tag));
    if (!own) run_drop_tag(r, k->tag);
  }
}

/* The key comes again: what it gave before does not count, be it right or wrong. */
static void drop_value(Source *s, const FlatKey *key, uint64_t seen)
{
  Run *r = &s->run;
  bench_duplicate(s);
  window_forget(&s->window, key->key);
  switch (key->action) {
  case DO_TOTAL:
  case DO_MAYBE_TOTAL: r->totals[key->what] = ABSENT; break;
  case DO_RATE:
  case DO_MAYBE_RATE: r->rates[key->what] = -1; break;
  case DO_COLUMN: run_drop_column(r, key->what); break;
  case DO_GAPS: run_drop_gaps(r); break;
  case DO_ERRORS: run_drop_errors(r); break;
  case DO_MEAN:
  case DO_PERCENTILES: run_drop_stats(r, key->key); break;
  case DO_TAG: run_drop_tag(r, key->tag); break;
  case DO_SERVER: drop_server_tags(r, seen); break;
  default: break;
  }
}

static bool read_member(Source *s, uint64_t *io_seen)
{
  Window *w = &s->window;
  const char *metric;
  char stat[16];
  JsonToken t;
  const FlatKey *key = find_key(w->key);
  if (key) {
    uint64_t bit = UINT64_C(1) << (key - keys);
    if (*io_seen & bit) drop_value(s, key, *io_seen);
    *io_seen |= bit;
    return read_known(s, key);
  }
  if (!split_stat(w->key->str, &metric, stat)) return window_skip(w);
  window_forget_member(w, w->key->str);
  return window_value(w, &t) && read_stat(s, metric, stat, w->key->str, &t, 1);
}

static bool saw(uint64_t seen, uint8_t action)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (keys[i].action == action && (seen >> i & 1)) return true;
  return false;
}

/* Serving benchmarks keep latencies even when they say nothing else of the requests: that is not
 * enough.  Those of a fixed batch say nothing else. */
static bool has_requests(const Run *r, bool fixed_batch)
{
  if (fixed_batch && r->column_keys[COL_E2E]) return true;
  return r->gaps_key || r->errors_key || r->column_keys[COL_TTFT] || r->column_keys[COL_OUTPUT];
}

bool read_flat(Source *s)
{
  Window *w = &s->window;
  uint64_t seen = 0;
  bool first = true;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first))
    if (!read_member(s, &seen)) return false;
  if (!window_faultless(w)) return false;
  s->run.detailed = has_requests(&s->run, saw(seen, DO_MEAN));
  return run_finish(&s->run, w);
}
