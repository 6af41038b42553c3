/* Convolutions; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/devices/op-work.h"

enum { NOT_THERE = 99, MAX_SPATIAL = 3 };

/* Where the arguments of an operator are. */
typedef struct Places {
  const char *op;
  uint8_t bias, stride, padding, dilation, transposed, more, groups;
} Places;

static const Places places[] = {
  { "aten::convolution", 2, 3, 4, 5, 6, 7, 8 },
  { "aten::_convolution", 2, 3, 4, 5, 6, 7, 8 },
  { "aten::cudnn_convolution", NOT_THERE, 3, 2, 4, NOT_THERE, NOT_THERE, 5 },
  { "aten::miopen_convolution", 2, 4, 3, 5, NOT_THERE, NOT_THERE, 6 },
};

/* One value stands for all dimensions. */
static bool spatial(const OpShape *s, uint32_t at, uint32_t n, int64_t absent, int64_t *out)
{
  for (uint32_t i = 0; i < n; i++) out[i] = absent;
  if (at == NOT_THERE) return true;
  int found = op_numbers(op_item(s->concrete, at), out, MAX_SPATIAL);
  for (uint32_t i = 1; found == 1 && i < n; i++) out[i] = out[0];
  return found == 1 || found == (int)n;
}

typedef struct Conv {
  int64_t stride[MAX_SPATIAL], padding[MAX_SPATIAL], dilation[MAX_SPATIAL], more[MAX_SPATIAL];
  int64_t groups;
  bool transposed;
} Conv;

static bool read_conv(const OpShape *s, const Places *p, uint32_t n, Conv *c)
{
  *c = (Conv){ .groups = 1 };
  c->transposed = p->transposed != NOT_THERE && op_concrete_is(s, p->transposed, "True");
  return spatial(s, p->stride, n, 1, c->stride) && spatial(s, p->padding, n, 0, c->padding) &&
         spatial(s, p->dilation, n, 1, c->dilation) && spatial(s, p->more, n, 0, c->more) &&
         op_concrete_int(s, p->groups, &c->groups);
}

/* Length of the output along a dimension; negative or absurd: 0. */
static double length(const Conv *c, uint32_t d, int64_t in, int64_t kernel)
{
  double i = (double)in, k = (double)kernel, s = (double)c->stride[d], p = (double)c->padding[d];
  double dilation = (double)c->dilation[d];
  if (s <= 0) return 0;
  double out = c->transposed ? (i - 1) * s - 2 * p + dilation * (k - 1) + (double)c->more[d] + 1
                             : (double)(int64_t)((i + 2 * p - dilation * (k - 1) - 1) / s) + 1;
  return out > 0 ? out : 0;
}

static void forward(const Places *p, const OpShape *s, OpWork *w)
{
  Conv c;
  const Operand *x = op_operand(s, 0), *weight = op_operand(s, 1);
  if (x->n < 3 || x->n > 2 + MAX_SPATIAL || weight->n != x->n) return;
  if (!read_conv(s, p, x->n - 2, &c)) return;
  bool bias = p->bias != NOT_THERE && op_operand(s, p->bias)->n > 0;
  double channels = (double)(c.transposed ? weight->dims[1] : weight->dims[0]) *
                    (c.transposed ? (double)c.groups : 1);
  double out = (double)x->dims[0] * channels, size = op_type_bytes(x->type);
  for (uint32_t d = 0; d + 2 < x->n; d++) out *= length(&c, d, x->dims[d + 2], weight->dims[d + 2]);
  w->known = size > 0;
  w->type = x->type;
  w->flop = 2 * op_size_from(weight, 1) * (c.transposed ? op_size(x) : out) + (bias ? out : 0);
  w->bytes = (op_size(x) + op_size(weight) + out + (bias ? channels : 0)) * size;
  op_work_param_text(w, "transposed", c.transposed ? "true" : "false");
  op_work_param_text(w, "bias", bias ? "true" : "false");
  op_work_param(w, "out", out);
}

/* grad 0, x 1, weight 2; which gradients are asked for is in the mask. */
static void backward(const OpShape *s, OpWork *w)
{
  enum { MASK = 10 };
  const Operand *grad = op_operand(s, 0), *x = op_operand(s, 1), *weight = op_operand(s, 2);
  if (grad->n < 3 || x->n < 3 || weight->n < 3) return;
  Field mask = op_item(s->concrete, MASK);
  bool asked[3];
  for (uint32_t i = 0; i < 3; i++) {
    Field f = op_item(mask, i);
    asked[i] = f.len == 4 && memcmp(f.text, "True", 4) == 0;
  }
  double size = op_type_bytes(x->type), all = op_size(grad) + op_size(weight) + op_size(x);
  double gradients = (double)asked[0] + (double)asked[1];
  w->known = size > 0 && mask.len > 0;
  w->type = x->type;
  w->flop =
      gradients * 2 * op_size_from(weight, 1) * op_size(grad) + (asked[2] ? op_size(grad) : 0);
  w->bytes = (gradients * all + (asked[2] ? op_size(grad) + (double)grad->dims[1] : 0)) * size;
  op_work_param_text(w, "input_gradient", asked[0] ? "true" : "false");
  op_work_param_text(w, "weight_gradient", asked[1] ? "true" : "false");
  op_work_param_text(w, "bias_gradient", asked[2] ? "true" : "false");
}

void op_work_conv(OpFamily family, const char *op, const OpShape *s, OpWork *w)
{
  if (family == FAMILY_CONV_BACKWARD) {
    backward(s, w);
    return;
  }
  for (uint32_t i = 0; i < MILL_COUNT(places); i++)
    if (strcmp(op, places[i].op) == 0) forward(&places[i], s, w);
}
