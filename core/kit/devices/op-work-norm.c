/* Normalisations; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/devices/op-work.h"

enum { NOT_THERE = 99 };
typedef enum Channels { BY_DIM_1, BY_SHAPE } Channels;

/* Where the input, the weights, the shape, the training flag and the mask of gradients are. */
typedef struct Places {
  const char *word; /* in the name */
  Channels channels;
  uint8_t x, weight, bias, shape, training, mask;
} Places;

static const Places forwards[] = {
  { "batch_norm", BY_DIM_1, 0, 1, 2, NOT_THERE, 5, NOT_THERE },
  { "layer_norm", BY_SHAPE, 0, 2, 3, 1, NOT_THERE, NOT_THERE },
  { "native_group_norm", BY_DIM_1, 0, 1, 2, NOT_THERE, NOT_THERE, NOT_THERE },
  { "group_norm", BY_DIM_1, 0, 2, 3, NOT_THERE, NOT_THERE, NOT_THERE },
  { "instance_norm", BY_DIM_1, 0, 1, 2, NOT_THERE, NOT_THERE, NOT_THERE },
};
static const Places backwards[] = {
  { "cudnn_batch_norm", BY_DIM_1, 0, 2, NOT_THERE, NOT_THERE, NOT_THERE, NOT_THERE },
  { "miopen_batch_norm", BY_DIM_1, 0, 2, NOT_THERE, NOT_THERE, NOT_THERE, NOT_THERE },
  { "batch_norm", BY_DIM_1, 1, 2, NOT_THERE, NOT_THERE, 7, 9 },
  { "layer_norm", BY_SHAPE, 1, 5, NOT_THERE, 2, NOT_THERE, 7 },
  { "group_norm", BY_DIM_1, 1, 4, NOT_THERE, NOT_THERE, NOT_THERE, 9 },
};

static const Places *places_of(const Places *rows, uint32_t n, const char *op)
{
  for (uint32_t i = 0; i < n; i++)
    if (strstr(op, rows[i].word)) return &rows[i];
  return NULL;
}

static bool has_dims(const OpShape *s, uint8_t at)
{
  return at != NOT_THERE && op_operand(s, at)->n > 0;
}

/* 0: not known. */
static double channels_of(const OpShape *s, const Places *p, const Operand *x)
{
  int64_t shape[MAX_DIMS];
  double channels = 1;
  if (p->channels == BY_DIM_1) return x->n > 1 ? (double)x->dims[1] : 0;
  int n = op_numbers(op_item(s->concrete, p->shape), shape, MAX_DIMS);
  for (int i = 0; i < n; i++) channels *= (double)shape[i];
  return n > 0 ? channels : 0;
}

/* A gradient is asked for unless a mask says no; what has no mask gives all. */
static bool is_asked(const OpShape *s, const Places *p, uint32_t i)
{
  if (p->mask == NOT_THERE) return true;
  Field f = op_item(op_item(s->concrete, p->mask), i);
  return f.len == 4 && memcmp(f.text, "True", 4) == 0;
}

static void set_forward(const OpShape *s, const Places *p, double e, double c, double size,
                        OpWork *w)
{
  bool affine = has_dims(s, p->weight), bias = has_dims(s, p->bias);
  bool statistics = p->training == NOT_THERE || op_concrete_is(s, p->training, "True");
  w->flop = 2 * e + 6 * c + (statistics ? 3 * e : 0);
  w->bytes = (2 * e + c * (2.0 + affine + bias + (statistics ? 2 : 0))) * size;
  op_work_param_text(w, "training", statistics ? "true" : "false");
  op_work_param_text(w, "affine", affine ? "true" : "false");
}

static void set_backward(const OpShape *s, const Places *p, double e, double c, double size,
                         OpWork *w)
{
  bool input = is_asked(s, p, 0), affine = has_dims(s, p->weight);
  double gradients = 1.0 + is_asked(s, p, 1) + is_asked(s, p, 2);
  w->flop = 4 * e + (input ? 5 * e : 0);
  w->bytes = ((input ? 3 : 2) * e + c * (1 + (affine ? gradients : 0))) * size;
  op_work_param_text(w, "input_gradient", input ? "true" : "false");
  op_work_param_text(w, "affine", affine ? "true" : "false");
}

static void norm(bool backward, const char *op, const OpShape *s, OpWork *w)
{
  const Places *p = backward ? places_of(backwards, MILL_COUNT(backwards), op)
                             : places_of(forwards, MILL_COUNT(forwards), op);
  if (!p) return;
  const Operand *x = op_operand(s, p->x);
  double c = channels_of(s, p, x), size = op_type_bytes(x->type);
  w->known = x->n > 0 && c > 0 && size > 0;
  w->type = x->type;
  op_work_param(w, "E", op_size(x));
  op_work_param(w, "C", c);
  if (backward)
    set_backward(s, p, op_size(x), c, size, w);
  else
    set_forward(s, p, op_size(x), c, size, w);
}

/* How many of the last dims of x a tensor has as its own, ones before them aside; 0: it is no weight of x.  What is like x
 * is x's output or residual. */
static uint32_t weighted_dims(const Operand *x, const Operand *weight)
{
  uint32_t from = 0, n;
  bool alike = weight->n == x->n && memcmp(weight->dims, x->dims, x->n * sizeof *x->dims) == 0;
  while (from + 1 < weight->n && weight->dims[from] == 1) from++;
  n = weight->n - from;
  if (n == 0 || alike || n > x->n) return 0;
  bool fits = memcmp(weight->dims + from, x->dims + x->n - n, n * sizeof *x->dims) == 0;
  return fits ? n : 0;
}

/* ATen says over which dims, and has the weight in a place of its own; others have it anywhere. */
static uint32_t rms_dims(bool backward, const char *op, const OpShape *s, const Operand *x,
                         bool *out_affine)
{
  int64_t shape[MAX_DIMS];
  uint32_t n_dims = 1;
  const uint32_t at = backward ? 2 : 1;
  int n = strncmp(op, "aten::", 6) == 0 ? op_numbers(op_item(s->concrete, at), shape, MAX_DIMS) : 0;
  if (n > 0 && (uint32_t)n <= x->n) {
    *out_affine = op_operand(s, backward ? 4 : 2)->n > 0;
    return (uint32_t)n;
  }
  for (uint32_t i = 1; i < s->n; i++) {
    uint32_t dims = weighted_dims(x, &s->operands[i]);
    *out_affine |= dims > 0;
    n_dims = dims > n_dims ? dims : n_dims;
  }
  return n_dims;
}

/* Over the last dims, as many as the weight has. */
static void rms_norm(bool backward, const char *op, const OpShape *s, OpWork *w)
{
  const Operand *x = op_operand(s, 0);
  bool affine = false;
  if (x->n == 0) return;
  double e = op_size(x), size = op_type_bytes(x->type);
  double c = op_size_from(x, x->n - rms_dims(backward, op, s, x, &affine));
  if (c == 0) return;
  w->known = size > 0;
  w->type = x->type;
  w->flop = backward ? (affine ? 10 : 7) * e : e / c * (2 * c + 2) + e + (affine ? e : 0);
  w->bytes = ((backward ? 3 : 2) * e + (affine ? (backward ? 2 : 1) * c : 0)) * size;
  op_work_param(w, "E", e);
  op_work_param(w, "C", c);
  op_work_param_text(w, "affine", affine ? "true" : "false");
}

void op_work_norm(OpFamily family, const char *op, const OpShape *s, OpWork *w)
{
  if (family == FAMILY_RMS_NORM || family == FAMILY_RMS_NORM_BACKWARD)
    rms_norm(family == FAMILY_RMS_NORM_BACKWARD, op, s, w);
  else
    norm(family == FAMILY_NORM_BACKWARD, op, s, w);
}
