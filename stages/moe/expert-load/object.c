/* The object of token_to_expert_assignment, with the original's members in their order. */
/* SPDX-License-Identifier: MIT */
#include "base/json-write.h"
#include "expert-load.h"

static void put_numbers(JsonWriter *out, const char *key, const double *totals, uint32_t n,
                        double divisor)
{
  json_put_open(out, key, '[');
  for (uint32_t i = 0; i < n; i++) json_put_real(out, NULL, totals[i] / divisor);
  json_put_close(out);
}

/* The normalized entropy of a single expert is the original's integer 0. */
static void put_summary(JsonWriter *out, const Balance *b, int64_t steps)
{
  json_put_open(out, "summary", '{');
  json_put_real(out, "entropy", b->entropy_bits);
  if (b->n > 1)
    json_put_real(out, "normalized_entropy", b->normalized_entropy);
  else
    json_put_int(out, "normalized_entropy", 0);
  json_put_real(out, "coefficient_of_variation", b->cv);
  json_put_real(out, "max_min_ratio", b->max_min);
  json_put_real(out, "total_tokens", b->total);
  json_put_int(out, "num_experts", b->n);
  json_put_int(out, "total_steps", steps);
  json_put_close(out);
}

GString *expert_load_object(const double *totals, const Balance *b, int64_t steps)
{
  GString *text = g_string_new(NULL);
  JsonWriter out = { .text = text, .layout = JSON_LINES };
  json_put_open(&out, NULL, '{');
  json_put_text(&out, "schema_version", "1.0");
  put_numbers(&out, "totals", totals, b->n, 1);
  put_numbers(&out, "normalized", totals, b->n, b->total);
  put_summary(&out, b, steps);
  json_put_close(&out);
  return text;
}
