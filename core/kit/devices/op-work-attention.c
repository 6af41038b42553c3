/* Attention; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/devices/op-work.h"

typedef enum Layout { B_H_N_D, B_N_H_D, T_H_D } Layout;

/* Where q is, k and v follow; whether it is causal; of packed sequences the longest lengths and where each begins. */
static const struct {
  const char *op;
  Layout layout;
  uint8_t q, causal, longest, starts;
  bool scores_anew; /* backward computes the scores again */
} places[] = {
  { "aten::_scaled_dot_product_flash_attention", B_H_N_D, 0, 4, 0, 0, false },
  { "aten::_scaled_dot_product_efficient_attention", B_H_N_D, 0, 6, 0, 0, false },
  { "aten::_scaled_dot_product_cudnn_attention", B_H_N_D, 0, 6, 0, 0, false },
  { "aten::_scaled_dot_product_flash_attention_backward", B_H_N_D, 1, 11, 0, 0, true },
  { "aten::_scaled_dot_product_efficient_attention_backward", B_H_N_D, 1, 11, 0, 0, false },
  { "aten::_scaled_dot_product_cudnn_attention_backward", B_H_N_D, 1, 14, 0, 0, false },
  { "flash_attn::_flash_attn_forward", B_N_H_D, 0, 5, 0, 0, false },
  { "FlashAttnFunc", B_N_H_D, 0, 5, 0, 0, false },
  { "aiter::_flash_attn_forward", B_N_H_D, 0, 5, 0, 0, false },
  { "aiter::mha_fwd", B_N_H_D, 0, 5, 0, 0, false },
  { "aiter::fmha_v3_fwd", B_N_H_D, 0, 5, 0, 0, false },
  { "flash_attn::_flash_attn_backward", B_N_H_D, 1, 10, 0, 0, true },
  { "aiter::wrapper_fmha_v3_fwd", B_N_H_D, 1, 6, 0, 0, false },
  { "aiter::mha_bwd", B_N_H_D, 1, 8, 0, 0, true },
  { "flash_attn::_flash_attn_varlen_forward", T_H_D, 0, 9, 5, 3, false },
  { "flash_attn::_flash_attn_varlen_backward", T_H_D, 1, 15, 11, 9, true },
  /* The third version takes both: packed where q has three dims. */
  { "flash_attn_3::fwd", B_N_H_D, 0, 24, 12, 7, false },
  { "flash_attn_3::_flash_attn_forward", B_N_H_D, 0, 24, 12, 7, false },
  { "_vllm_fa3_C::fwd", B_N_H_D, 0, 24, 12, 7, false },
  { "flash_attn_3::bwd", B_N_H_D, 1, 16, 13, 9, true },
  { "flash_attn_3::_flash_attn_backward", B_N_H_D, 1, 16, 10, 6, true },
};

typedef struct Heads {
  double b, h_q, h_kv, n_q, n_kv, d, d_v;
  double pairs; /* of all batches: N_Q N_KV */
} Heads;

static double dim(const Operand *o, uint32_t i) { return (double)o->dims[i]; }

static bool read_heads(const OpShape *s, uint32_t i, Heads *h)
{
  bool turned = places[i].layout == B_N_H_D;
  const Operand *q = op_operand(s, places[i].q), *k = op_operand(s, places[i].q + 1u),
                *v = op_operand(s, places[i].q + 2u);
  if (q->n != 4 || k->n != 4 || v->n != 4) return false;
  *h = (Heads){ .b = dim(q, 0),
                .h_q = dim(q, turned ? 2 : 1),
                .h_kv = dim(k, turned ? 2 : 1),
                .n_q = dim(q, turned ? 1 : 2),
                .n_kv = dim(k, turned ? 1 : 2),
                .d = dim(q, 3),
                .d_v = dim(v, 3) };
  h->pairs = h->b * h->n_q * h->n_kv;
  return true;
}

/* All tokens of several sequences, [T,H,d]: one has the longest length, the others share the rest; a lower bound of the
 * pairs.  Lengths are then those of the longest, rows those of all. */
static bool read_packed(const OpShape *s, uint32_t i, Heads *h, OpWork *w)
{
  int64_t longest_q, longest_kv;
  const Operand *q = op_operand(s, places[i].q), *k = op_operand(s, places[i].q + 1u),
                *v = op_operand(s, places[i].q + 2u), *starts = op_operand(s, places[i].starts);
  if (q->n != 3 || k->n != 3 || v->n != 3) return false;
  if (!op_concrete_int(s, places[i].longest, &longest_q) ||
      !op_concrete_int(s, places[i].longest + 1u, &longest_kv))
    return false;
  *h = (Heads){ .b = 1,
                .h_q = dim(q, 1),
                .h_kv = dim(k, 1),
                .n_q = dim(q, 0),
                .n_kv = dim(k, 0),
                .d = dim(q, 2),
                .d_v = dim(v, 2) };
  double others = starts->n == 1 && starts->dims[0] > 2 ? (double)(starts->dims[0] - 2) : 0;
  double rest_q = h->n_q - (double)longest_q, rest_kv = h->n_kv - (double)longest_kv;
  h->pairs = (double)longest_q * (double)longest_kv;
  if (others > 0 && rest_q > 0 && rest_kv > 0) h->pairs += rest_q * rest_kv / others;
  w->is_bound = true;
  return true;
}

/* The share of pairs that a causal mask, aligned to the end, leaves. */
static double causal_share(const Heads *h)
{
  if (h->n_q == h->n_kv) return 0.5;
  return h->n_kv > 0 ? (h->n_kv - (h->n_q - 1) / 2) / h->n_kv : 0;
}

static void set_attention(const Heads *h, bool backward, bool scores_anew, double c, OpWork *w)
{
  double size = op_type_bytes(w->type), both = h->d + h->d_v;
  double rows_q = h->b * h->n_q * h->h_q, rows_kv = h->b * h->n_kv * h->h_kv;
  w->known = size > 0;
  w->flop = (backward ? 4 : 2) * h->h_q * h->pairs * both * c;
  if (scores_anew) w->flop += 2 * h->h_q * h->pairs * h->d * c;
  w->bytes = backward ? (rows_q * (2 * h->d + h->d_v) + 2 * rows_kv * both) * size
                      : (rows_q * both + rows_kv * both) * size;
  op_work_param(w, "B", h->b);
  op_work_param(w, "N_Q", h->n_q);
  op_work_param(w, "H_Q", h->h_q);
  op_work_param(w, "N_KV", h->n_kv);
  op_work_param(w, "H_KV", h->h_kv);
  op_work_param(w, "d", h->d);
  op_work_param(w, "d_v", h->d_v);
}

/* ---- inference: queries against a cache of keys */

static bool is_third(const char *op)
{
  return strcmp(op, "_vllm_fa3_C::fwd") == 0 || strcmp(op, "flash_attn_3::fwd") == 0 ||
         strcmp(op, "flash_attn_3::_flash_attn_forward") == 0;
}

/* Keys in pages, or a cache that is filled in part: how much of it there is to look at is not among the operands. */
static bool reads_cache(const char *op, const OpShape *s)
{
  static const uint8_t lengths_of_keys = 11, page_table = 14;
  return is_third(op) &&
         (op_operand(s, lengths_of_keys)->n > 0 || op_operand(s, page_table)->n > 0);
}

static bool is_unified(const char *op) { return strstr(op, "::unified_attention") != NULL; }

bool op_work_serves(OpFamily family, const char *op, const OpShape *s)
{
  return family == FAMILY_ATTENTION && (is_unified(op) || reads_cache(op, s));
}

typedef struct Cache {
  double rows, wide; /* queries, and heads x head size of one */
  double key_wide;   /* numbers of a key and its value in all heads */
} Cache;

/* Of each pair of a query and a key, a product for the score and one for the value. */
static void set_served(const Cache *c, const OpServed *served, NumberType type, OpWork *w)
{
  const double size = op_type_bytes(type);
  w->known = size > 0;
  w->type = type;
  w->is_upper = served->pairs_are_upper;
  w->flop = 4 * served->pairs * c->wide;
  w->bytes = (2 * c->rows * c->wide + served->keys * c->key_wide) * size;
  op_work_param(w, "T", c->rows);
  op_work_param(w, "pairs", served->pairs);
}

/* Layers of vLLM and SGLang: rows of tokens, the heads of one side by side or in a dim of their own.  Without what is known
 * of the requests, a token looks at itself at least. */
static void unified(const OpShape *s, const OpServed *served, OpWork *w)
{
  const Operand *q = op_operand(s, 0), *k = op_operand(s, 1), *v = op_operand(s, 2);
  if (q->n < 2 || q->n != k->n || k->n != v->n || q->dims[0] != k->dims[0]) return;
  if (q->n > 3 || q->dims[0] != v->dims[0] || q->dims[0] == 0) return;
  const Cache c = { dim(q, 0), op_size_from(q, 1), op_size_from(k, 1) + op_size_from(v, 1) };
  if (served && served->pairs > 0) {
    OpServed known = *served;
    if (known.keys <= 0) known.keys = c.rows;
    set_served(&c, &known, q->type, w);
    return;
  }
  const double size = op_type_bytes(q->type);
  w->known = size > 0;
  w->is_bound = true;
  w->type = q->type;
  w->flop = 4 * op_size(q);
  w->bytes = (2 * op_size(q) + op_size(k) + op_size(v)) * size;
  op_work_param(w, "T", c.rows);
}

/* The third version with a cache: q[T,H,d] or q[B,N,H,d], keys [pages,page,H,d].  Without what is known of the requests, each
 * query looks at no more than the longest keys. */
static void cached(const OpShape *s, const OpServed *served, OpWork *w)
{
  enum { LENGTHS_OF_KEYS = 11, LONGEST_KEYS = 13 };
  int64_t longest = 0;
  const Operand *q = op_operand(s, 0), *k = op_operand(s, 1), *v = op_operand(s, 2);
  const Operand *lengths = op_operand(s, LENGTHS_OF_KEYS);
  if (q->n < 3 || q->n > 4 || k->n < 3 || k->n != v->n) return;
  const uint32_t heads = q->n - 2, key_heads = k->n - 2;
  const Cache c = { q->n == 4 ? dim(q, 0) * dim(q, 1) : dim(q, 0), op_size_from(q, heads),
                    op_size_from(k, key_heads) + op_size_from(v, key_heads) };
  OpServed known = served ? *served : (OpServed){ 0 };
  (void)op_concrete_int(s, LONGEST_KEYS, &longest);
  if (known.pairs <= 0 && longest > 0)
    known = (OpServed){ c.rows * (double)longest, known.keys, true };
  if (known.keys <= 0 && longest > 0 && lengths->n == 1)
    known.keys = dim(lengths, 0) * (double)longest;
  if (known.pairs > 0) set_served(&c, &known, q->type, w);
}

void op_work_attention(OpFamily family, const char *op, const OpShape *s, const OpServed *served,
                       OpWork *w)
{
  Heads h;
  uint32_t i = 0;
  if (is_unified(op)) {
    unified(s, served, w);
    return;
  }
  while (i < MILL_COUNT(places) && strcmp(places[i].op, op) != 0) i++;
  if (i == MILL_COUNT(places)) return;
  if (reads_cache(op, s)) {
    cached(s, served, w);
    return;
  }
  w->type = op_operand(s, places[i].q)->type;
  bool packed =
      places[i].layout == T_H_D || (places[i].starts && op_operand(s, places[i].q)->n == 3);
  if (packed ? !read_packed(s, i, &h, w) : !read_heads(s, i, &h)) return;
  bool causal = op_concrete_is(s, places[i].causal, "True");
  set_attention(&h, family == FAMILY_ATTENTION_BACKWARD, places[i].scores_anew,
                causal ? causal_share(&h) : 1, w);
  op_work_param_text(w, "causal", causal ? "true" : "false");
}
