/* Which producer wrote an object; see bench-kind.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/bench-kind.h"

#include <glib.h>
#include <string.h>

#include "base/json.h"
#include "base/scan.h"

#define KEY_BYTES 64 /* longer ones are unknown */
#define SURE 8       /* points; what a key is worth is how unusual it is elsewhere */

typedef enum { OF_NONE, OF_VLLM, OF_SGLANG, OF_TRTLLM, OF_AIPERF, OF_GENAI } Owner;

typedef struct Sign {
  const char *key;
  uint8_t format, points;
  uint8_t owner;
} Sign;

static const Sign signs[] = {
  { "request_rate", FORMAT_FLAT, 3, OF_NONE },
  { "burstiness", FORMAT_FLAT, 3, OF_NONE },
  { "max_concurrency", FORMAT_FLAT, 3, OF_NONE },
  { "num_prompts", FORMAT_FLAT, 3, OF_NONE },
  { "model_id", FORMAT_FLAT, 2, OF_NONE },
  { "tokenizer_id", FORMAT_FLAT, 2, OF_NONE },
  { "endpoint_type", FORMAT_FLAT, 2, OF_NONE },
  { "backend", FORMAT_FLAT, 1, OF_NONE },
  { "best_of", FORMAT_FLAT, 2, OF_NONE },
  { "use_beam_search", FORMAT_FLAT, 2, OF_NONE },
  { "dataset_name", FORMAT_FLAT, 2, OF_NONE },
  { "sharegpt_output_len", FORMAT_FLAT, 3, OF_SGLANG },
  { "random_input_len", FORMAT_FLAT, 3, OF_SGLANG },
  { "random_output_len", FORMAT_FLAT, 3, OF_SGLANG },
  { "random_range_ratio", FORMAT_FLAT, 3, OF_SGLANG },
  { "server_info", FORMAT_FLAT, 2, OF_SGLANG },
  { "accept_length", FORMAT_FLAT, 2, OF_SGLANG },
  { "total_output_tokens_retokenized", FORMAT_FLAT, 4, OF_SGLANG },
  { "total_throughput", FORMAT_FLAT, 3, OF_SGLANG },
  { "mean_e2e_latency_ms", FORMAT_FLAT, 5, OF_SGLANG },
  { "duration", FORMAT_FLAT, 1, OF_NONE },
  { "completed", FORMAT_FLAT, 3, OF_NONE },
  { "failed", FORMAT_FLAT, 1, OF_NONE },
  { "total_input_tokens", FORMAT_FLAT, 3, OF_NONE },
  { "total_output_tokens", FORMAT_FLAT, 3, OF_NONE },
  { "request_throughput", FORMAT_FLAT, 5, OF_NONE },
  { "output_throughput", FORMAT_FLAT, 5, OF_NONE },
  { "total_token_throughput", FORMAT_FLAT, 5, OF_NONE },
  { "request_goodput", FORMAT_FLAT, 5, OF_NONE },
  { "request_goodput:", FORMAT_FLAT, 5, OF_NONE },
  { "user_throughput", FORMAT_FLAT, 3, OF_TRTLLM },
  { "avg_decoded_tokens_per_iter", FORMAT_FLAT, 3, OF_TRTLLM },
  { "input_lens", FORMAT_FLAT, 5, OF_NONE },
  { "output_lens", FORMAT_FLAT, 5, OF_NONE },
  { "ttfts", FORMAT_FLAT, 5, OF_NONE },
  { "itls", FORMAT_FLAT, 5, OF_NONE },
  { "generated_texts", FORMAT_FLAT, 4, OF_NONE },
  { "avg_latency", FORMAT_FLAT, 4, OF_NONE },
  { "latencies", FORMAT_FLAT, 4, OF_NONE },
  { "percentiles", FORMAT_FLAT, 1, OF_NONE },
  { "elapsed_time", FORMAT_FLAT, 2, OF_NONE },
  { "num_requests", FORMAT_FLAT, 2, OF_NONE },
  { "total_num_tokens", FORMAT_FLAT, 3, OF_NONE },
  { "requests_per_second", FORMAT_FLAT, 3, OF_NONE },
  { "tokens_per_second", FORMAT_FLAT, 2, OF_NONE },
  { "aiperf_version", FORMAT_METRICS, 8, OF_AIPERF },
  { "input_config", FORMAT_METRICS, 4, OF_NONE },
  { "error_summary", FORMAT_METRICS, 3, OF_AIPERF },
  { "was_cancelled", FORMAT_METRICS, 2, OF_AIPERF },
  { "request_latency", FORMAT_METRICS, 5, OF_NONE },
  { "request_count", FORMAT_METRICS, 3, OF_NONE },
  { "time_to_first_token", FORMAT_METRICS, 5, OF_NONE },
  { "time_to_second_token", FORMAT_METRICS, 4, OF_NONE },
  { "inter_token_latency", FORMAT_METRICS, 5, OF_NONE },
  { "inter_chunk_latency", FORMAT_METRICS, 5, OF_AIPERF },
  { "output_token_throughput", FORMAT_METRICS, 5, OF_NONE },
  { "output_token_throughput_per_user", FORMAT_METRICS, 5, OF_NONE },
  { "output_sequence_length", FORMAT_METRICS, 5, OF_NONE },
  { "input_sequence_length", FORMAT_METRICS, 5, OF_NONE },
  { "metadata", FORMAT_LINES, 5, OF_AIPERF },
  { "metrics", FORMAT_LINES, 3, OF_AIPERF },
  { "service_kind", FORMAT_RESPONSES, 4, OF_GENAI },
  { "endpoint", FORMAT_RESPONSES, 1, OF_GENAI },
  { "experiments", FORMAT_RESPONSES, 5, OF_GENAI },
  { "engine", FORMAT_REPORT, 2, OF_TRTLLM },
  { "machine", FORMAT_REPORT, 1, OF_TRTLLM },
  { "world_info", FORMAT_REPORT, 5, OF_TRTLLM },
  { "request_info", FORMAT_REPORT, 4, OF_TRTLLM },
  { "performance", FORMAT_REPORT, 3, OF_TRTLLM },
  { "streaming_metrics", FORMAT_REPORT, 4, OF_TRTLLM },
};

enum { N_FORMATS = FORMAT_REPORT + 1, N_OWNERS = OF_GENAI + 1 };

typedef struct Look {
  int points[N_FORMATS];
  int owners[N_OWNERS];
} Look;

/* "mean_ttft_ms" and its kin. */
static bool is_statistic(const char *key)
{
  static const char *const endings[] = { "_ttft_ms", "_tpot_ms", "_itl_ms", "_e2el_ms",
                                         "_e2e_latency_ms" };
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(key, endings[i])) return true;
  return false;
}

/* One request a line: only together with the word that says which part of a run it belongs to. */
static bool is_line_key(const JsonToken *value)
{
  JsonCursor c;
  JsonToken key;
  json_open(&c, value->start, value->len, false);
  if (json_next(&c, &key) != JSON_OBJECT) return false;
  while (json_next(&c, &key) == JSON_KEY) {
    if (json_is(&key, "benchmark_phase") || json_is(&key, "request_start_ns")) return true;
    if (json_skip(&c, &key) == JSON_ERROR) return false;
  }
  return false;
}

static void weigh(Look *l, const JsonToken *key, JsonKind kind, const JsonToken *value)
{
  char text[KEY_BYTES];
  if (!json_word(key, text, sizeof text)) return;
  if (is_statistic(text)) l->points[FORMAT_FLAT] += 5;
  for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
    const Sign *s = &signs[i];
    if (strcmp(s->key, text) != 0) continue;
    /* Some names are in use as a number here and as an object of statistics there. */
    uint8_t format = s->format;
    if (format == FORMAT_FLAT && kind == JSON_OBJECT && s->points == 5) format = FORMAT_METRICS;
    if (format == FORMAT_METRICS && s->points == 5 && kind != JSON_OBJECT) continue;
    if (format == FORMAT_LINES && kind != JSON_OBJECT) continue;
    if (format == FORMAT_LINES && s->points == 5 && !is_line_key(value)) continue;
    l->points[format] += s->points;
    l->owners[s->owner] += s->points;
  }
}

static const char *dialect_of(const Look *l, Format format)
{
  switch (format) {
  case FORMAT_FLAT:
    if (l->owners[OF_TRTLLM]) return "trtllm";
    return l->owners[OF_SGLANG] >= 3 ? "sglang" : "vllm";
  case FORMAT_METRICS: return l->owners[OF_AIPERF] ? "aiperf" : "genai-perf";
  case FORMAT_LINES: return "aiperf";
  case FORMAT_RESPONSES: return "genai-perf";
  case FORMAT_REPORT: return "trtllm";
  default: return "";
  }
}

/* The keys of the object at the beginning of the text, up to the first list or where it breaks off. */
static void look_at(Look *l, const char *text, size_t len)
{
  JsonCursor c;
  JsonToken key, value;
  json_open(&c, text, len, false);
  if (json_next(&c, &key) != JSON_OBJECT) return;
  while (json_next(&c, &key) == JSON_KEY) {
    bool is_list = c.pos < c.end && *scan_space(c.pos) == '[';
    value = (JsonToken){ JSON_ARRAY, c.pos, 0 };
    JsonKind kind = is_list ? JSON_ARRAY : json_skip(&c, &value);
    bool cut = kind == JSON_ERROR;
    if (cut) {
      const char *p = scan_space(key.start + key.len);
      p = p < c.end && *p == ':' ? scan_space(p + 1) : c.end;
      kind = p < c.end && *p == '{' ? JSON_OBJECT : p < c.end && *p == '[' ? JSON_ARRAY : kind;
      value = (JsonToken){ kind, p, (size_t)(c.end - p) };
    }
    weigh(l, &key, kind, &value);
    if (is_list || cut) return;
  }
}

Kind kind_of(const char *bytes, size_t len)
{
  Look l = { 0 };
  Kind kind = { FORMAT_NONE, 0, "" };
  size_t at = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  len = MIN(len - at, KIND_BYTES);
  g_autofree char *text = g_malloc(len + SCAN_PAD);
  memcpy(text, bytes + at, len);
  memset(text + len, 0xff, SCAN_PAD);
  look_at(&l, text, len);
  for (int i = FORMAT_FLAT; i < N_FORMATS; i++)
    if (l.points[i] > l.points[kind.format]) kind.format = (Format)i;
  int points = l.points[kind.format];
  kind.sure = points >= SURE ? 95 : points >= 4 ? 60 : 0;
  if (!kind.sure) kind.format = FORMAT_NONE;
  kind.dialect = dialect_of(&l, kind.format);
  return kind;
}
