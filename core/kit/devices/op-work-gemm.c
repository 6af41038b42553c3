/* Products of matrices, one or a batch of them, and grouped ones; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/devices/op-category.h"
#include "kit/devices/op-work.h"

typedef struct Gemm {
  double b, m, n, k; /* batch, rows, columns, inner */
  bool bias;
} Gemm;

/* Written as A[M,K] and B[K,N], or as weights B[N,K]. */
static bool read_product(const Operand *a, const Operand *b, bool weights, Gemm *g)
{
  uint32_t batch = a->n == 3;
  if (a->n != b->n || a->n < 2 || a->n > 3) return false;
  if (batch && a->dims[0] != b->dims[0]) return false;
  g->b = batch ? (double)a->dims[0] : 1;
  g->m = (double)a->dims[batch];
  g->k = (double)a->dims[batch + 1];
  g->n = (double)b->dims[batch + (weights ? 0 : 1)];
  return b->dims[batch + (weights ? 1 : 0)] == a->dims[batch + 1];
}

static void set_gemm(const Gemm *g, NumberType type, double out_bytes, OpWork *w)
{
  double size = op_type_bytes(type);
  w->known = size > 0;
  w->type = type;
  w->flop = g->b * (2 * g->m * g->n * g->k + (g->bias ? g->m * g->n : 0));
  w->bytes = g->b * ((g->m * g->k + g->k * g->n) * size + g->m * g->n * out_bytes +
                     (g->bias ? g->n * size : 0));
  op_work_param(w, "M", g->m);
  op_work_param(w, "N", g->n);
  op_work_param(w, "K", g->k);
  if (g->b > 1) op_work_param(w, "B", g->b);
  op_work_param_text(w, "bias", g->bias ? "true" : "false");
}

static bool is_op(const char *op, const char *name)
{
  return strncmp(op, "aten::", 6) == 0 && strcmp(op + 6, name) == 0;
}

/* A[M,K] and a vector [K], plus one of [M] that comes first. */
static void by_vector(const char *op, const OpShape *s, OpWork *w)
{
  bool adds = is_op(op, "addmv");
  const Operand *a = op_operand(s, adds), *x = op_operand(s, adds + 1u);
  if (a->n != 2 || x->n != 1 || a->dims[1] != x->dims[0]) return;
  const Gemm g = { .b = 1, .m = (double)a->dims[0], .n = 1, .k = (double)a->dims[1] };
  double size = op_type_bytes(a->type);
  set_gemm(&g, a->type, size, w);
  if (!adds) return;
  w->flop += g.m;
  w->bytes += g.m * size;
}

/* Two numbers of fp4 are one element of the operands, whatever type it has. */
static bool is_fp4(const char *op, NumberType type)
{
  return type == TYPE_FP4 || (type == TYPE_INT8 && (strstr(op, "a4w4") || strstr(op, "fp4")));
}

/* Bytes of an element of the output: scaled ones give 2 for 1 or less, those of whole numbers 4 for 1. */
static double output_bytes(const char *op, double size)
{
  if (size == 1 && is_op(op, "_int_mm")) return 4;
  return size < 1 || (size == 1 && strstr(op, "scaled_")) ? 2 : size;
}

/* Products whose bias, if any, comes first; scaled ones have it last. */
static void single(const char *op, const OpShape *s, OpWork *w)
{
  Gemm g = { 0 };
  bool adds = is_op(op, "addmm") || is_op(op, "baddbmm") || is_op(op, "_addmm_activation");
  bool scales = strstr(op, "scaled_mm") != NULL;
  bool plain = strncmp(op, "aten::", 6) == 0;
  const Operand *a = op_operand(s, adds), *b = op_operand(s, adds + 1u);
  g.bias = adds || (scales && s->n == 3);
  if (!read_product(a, b, false, &g) && (plain || !read_product(a, b, true, &g))) return;
  const NumberType type = is_fp4(op, a->type) ? TYPE_FP4 : a->type;
  if (type == TYPE_FP4) g.k *= 2;
  set_gemm(&g, type, output_bytes(op, op_type_bytes(type)), w);
  w->product = (OpProduct){ g.m, g.n, g.k, g.b, adds, g.bias };
}

static void wrapper(const OpShape *s, OpWork *w)
{
  Gemm g = { 0 };
  const Operand *x = op_operand(s, 0);
  if (!read_product(x, op_operand(s, 1), true, &g)) return;
  set_gemm(&g, x->type, op_type_bytes(x->type), w);
}

static const Operand *first_with(const OpShape *s, uint32_t n_dims)
{
  for (uint32_t i = 0; i < s->n; i++)
    if (s->operands[i].n == n_dims) return &s->operands[i];
  return op_operand(s, MAX_OPERANDS);
}

/* ATen's: the groups share out the rows of A[M,K] B[G,K,N], the columns of A[G,M,K] B[K,N], or the inner dim of A[M,K] B[K,N],
 * which makes an output for each group; none where both have their own.  Where groups end is said in a list of G. */
static void grouped_aten(const char *op, const OpShape *s, OpWork *w)
{
  const Operand *a = op_operand(s, 0), *b = op_operand(s, 1);
  const Operand *ends = op_operand(s, strstr(op, "scaled") ? 4 : 2);
  if (a->n < 2 || a->n > 3 || b->n < 2 || b->n > 3) return;
  if (a->n == 3 && b->n == 3 && a->dims[0] != b->dims[0]) return;
  double m = (double)a->dims[a->n - 2], k = (double)a->dims[a->n - 1];
  double n = (double)b->dims[b->n - 1], size = op_type_bytes(a->type);
  double both = a->n == 3 && b->n == 3 ? (double)a->dims[0] : 1, groups = (double)ends->dims[0];
  if (a->n == 3 || b->n == 3) groups = (double)(a->n == 3 ? a : b)->dims[0];
  if (b->dims[b->n - 2] != a->dims[a->n - 1]) return;
  if (a->n == 2 && b->n == 2 && ends->n != 1) return;
  double outputs = m * n * (a->n == b->n ? groups : 1);
  w->known = size > 0;
  w->type = a->type;
  w->flop = 2 * m * n * k * both;
  w->bytes = (op_size(a) + op_size(b)) * size + outputs * output_bytes(op, size);
  op_work_param(w, "M", m);
  op_work_param(w, "N", n);
  op_work_param(w, "K", k);
  op_work_param(w, "G", groups);
}

/* X[M,K] and W[G,K,N]: each row of X is multiplied by one of the G matrices. */
static void grouped(const char *op, const OpShape *s, OpWork *w)
{
  const Operand *x = first_with(s, 2), *weights = first_with(s, 3);
  if (x->n == 0 || weights->n == 0) return;
  bool turned = weights->dims[1] != x->dims[1];
  if (turned && weights->dims[2] != x->dims[1]) return;
  double m = (double)x->dims[0], k = (double)x->dims[1], groups = (double)weights->dims[0];
  double n = (double)weights->dims[turned ? 1 : 2], size = op_type_bytes(x->type);
  bool backward = op_is_backward(op);
  w->known = size > 0;
  w->type = x->type;
  w->flop = (backward ? 4 : 2) * m * k * n;
  w->bytes = (backward ? 2 : 1) * (m * k + groups * k * n + m * n) * size;
  op_work_param(w, "M", m);
  op_work_param(w, "N", n);
  op_work_param(w, "K", k);
  op_work_param(w, "G", groups);
}

void op_work_gemm(OpFamily family, const char *op, const OpShape *s, OpWork *w)
{
  if (is_op(op, "_grouped_mm") || is_op(op, "_scaled_grouped_mm"))
    grouped_aten(op, s, w);
  else if (family == FAMILY_GROUPED_GEMM)
    grouped(op, s, w);
  else if (is_op(op, "mv") || is_op(op, "addmv"))
    by_vector(op, s, w);
  else if (family == FAMILY_GEMM_WRAPPER)
    wrapper(s, w);
  else
    single(op, s, w);
}
