/* The object of token_to_expert_assignment, with the original's members in their order. */
#include <glib.h>
#include <string.h>

#include "base/json-write.h"
#include "base/num.h"
#include "expert-load.h"

static void put_numbers(GString *out, const char *key, const double *totals, uint32_t n,
                        double divisor)
{
  char buf[NUM_BUF];
  json_put_key(out, key);
  g_string_append_c(out, '[');
  for (uint32_t i = 0; i < n; i++) {
    json_put_item(out);
    g_string_append_len(out, buf, (gssize)num_format_real(buf, totals[i] / divisor));
  }
  g_string_append_c(out, ']');
}

/* The normalized entropy of a single expert is the original's integer 0. */
static void put_summary(GString *out, const Balance *b, int64_t steps)
{
  json_put_key(out, "summary");
  g_string_append_c(out, '{');
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
  g_string_append_c(out, '}');
}

MillValue expert_load_object(const MillHost *host, const double *totals, const Balance *b,
                             int64_t steps)
{
  g_autoptr(GString) compact = g_string_new("{");
  json_put_text(compact, "schema_version", "1.0");
  put_numbers(compact, "totals", totals, b->n, 1);
  put_numbers(compact, "normalized", totals, b->n, b->total);
  put_summary(compact, b, steps);
  g_string_append_c(compact, '}');
  g_autoptr(GString) text = json_indented(compact->str, compact->len);
  char *copy = memcpy(host->scratch(host, text->len), text->str, text->len);
  MillValue value = mill_text(copy, text->len);
  value.type = MILL_JSON;
  return value;
}
