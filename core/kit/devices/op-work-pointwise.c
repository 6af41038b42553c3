/* Elementwise operators, reductions, and kernels that a compiler fused; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/devices/op-work.h"

static double bytes_of(const Operand *o) { return op_size(o) * op_type_bytes(o->type); }

/* 0 is read, 1 written if it has dims; else the output is like the input. */
static void unary(const OpShape *s, OpWork *w)
{
  const Operand *in = op_operand(s, 0), *out = op_operand(s, 1);
  if (out->n == 0 || op_type_bytes(out->type) == 0) out = in;
  w->known = in->n > 0 && op_type_bytes(in->type) > 0;
  w->type = in->type;
  w->flop = op_size(in);
  w->bytes = bytes_of(in) + bytes_of(out);
  op_work_param(w, "E", op_size(in));
}

/* The dims of an image's output: said for upsampling, or its input's and a factor; for padding the input's and what each
 * side adds, from the last dim on. */
static bool resized(const char *op, const OpShape *s, Operand *out)
{
  int64_t list[MAX_DIMS];
  bool pads = strstr(op, "pad") != NULL;
  uint32_t n_dims = op[strlen(op) - 2] - (uint32_t)'0'; /* ..2d */
  int n = op_numbers(op_item(s->concrete, 1), list, MAX_DIMS);
  if (n != (int)(pads ? 2 * n_dims : n_dims) || out->n < n_dims) return false;
  for (uint32_t i = 0; i < n_dims; i++) {
    int64_t *dim = &out->dims[out->n - 1 - i];
    int64_t size = pads ? 0 : list[n_dims - 1 - i];
    bool far = pads && (__builtin_add_overflow(*dim, list[2 * i], &size) ||
                        __builtin_add_overflow(size, list[2 * i + 1], &size));
    if (far || size < 0) return false;
    *dim = size;
  }
  return true;
}

/* An output for each of its elements. */
static void resize(const char *op, const OpShape *s, OpWork *w)
{
  const Operand *in = op_operand(s, 0);
  Operand out = *in;
  w->known = in->n > 0 && op_type_bytes(in->type) > 0 && resized(op, s, &out);
  w->type = in->type;
  w->flop = op_size(&out);
  w->bytes = bytes_of(in) + bytes_of(&out);
  op_work_param(w, "E", w->flop);
}

static bool resizes(const char *op)
{
  return strncmp(op, "aten::upsample_", 15) == 0 || strncmp(op, "aten::replication_pad", 21) == 0;
}

/* The shape of both together, from the last dim on; false: they do not fit. */
static bool broadcast(const Operand *a, const Operand *b, Operand *out)
{
  *out = a->n >= b->n ? *a : *b;
  const Operand *other = a->n >= b->n ? b : a;
  for (uint32_t i = 1; i <= other->n; i++) {
    int64_t *dim = &out->dims[out->n - i], with = other->dims[other->n - i];
    if (*dim == with || with == 1) continue;
    if (*dim != 1) return false;
    *dim = with;
  }
  return true;
}

/* Of operand 2 if it has dims, else of the wider tensor; numbers widen nothing. */
static NumberType output_type(const Operand *a, const Operand *b, const Operand *third)
{
  if (third->n > 0 && op_type_bytes(third->type) > 0) return third->type;
  if (a->n == 0) return b->type;
  if (b->n == 0) return a->type;
  return op_type_bytes(b->type) > op_type_bytes(a->type) ? b->type : a->type;
}

static void binary(const OpShape *s, OpWork *w)
{
  const Operand *a = op_operand(s, 0), *b = op_operand(s, 1);
  Operand out;
  if (!broadcast(a, b, &out)) return;
  bool typed =
      (a->n == 0 || op_type_bytes(a->type) > 0) && (b->n == 0 || op_type_bytes(b->type) > 0);
  out.type = output_type(a, b, op_operand(s, 2));
  w->known = out.n > 0 && typed;
  w->type = out.type;
  w->flop = op_size(&out);
  w->bytes = bytes_of(a) + bytes_of(b) + bytes_of(&out);
  op_work_param(w, "E", w->flop);
}

/* What is left when the dims of the list are summed up; without a list one number is. */
static double reduced(const Operand *in, Field dims)
{
  int64_t list[MAX_DIMS];
  Operand out = *in;
  int n = dims.len ? op_numbers(dims, list, MAX_DIMS) : 0;
  if (n <= 0) return 1;
  for (int i = 0; i < n; i++) {
    int64_t d = list[i] < 0 ? list[i] + (int64_t)in->n : list[i];
    if (d >= 0 && d < (int64_t)in->n) out.dims[d] = 1;
  }
  return op_size(&out);
}

/* Norms have their exponent before the dims. */
static void reduction(const char *op, const OpShape *s, OpWork *w)
{
  const Operand *in = op_operand(s, 0);
  bool running = strcmp(op, "aten::cumsum") == 0 || strcmp(op, "aten::cumprod") == 0;
  Field dims = op_item(s->concrete, strstr(op, "norm") ? 2 : 1);
  double size = op_type_bytes(in->type), out = running ? op_size(in) : reduced(in, dims);
  w->known = in->n > 0 && size > 0;
  w->type = in->type;
  w->flop = op_size(in);
  w->bytes = (op_size(in) + out) * size;
  op_work_param(w, "E", op_size(in));
  op_work_param(w, "out", out);
}

/* Only its tensors are known; a pointwise one writes the first. */
static void triton(const char *op, const OpShape *s, OpWork *w)
{
  w->has_flop = false;
  for (uint32_t i = 0; i < s->n; i++) {
    const Operand *o = &s->operands[i];
    if (o->n == 0) continue;
    if (op_type_bytes(o->type) == 0) return;
    bool writes = !w->known && strncmp(op, "triton_poi_", 11) == 0;
    if (!w->known) w->type = o->type;
    w->known = true;
    w->bytes += bytes_of(o) * (writes ? 2 : 1);
  }
}

void op_work_pointwise(OpFamily family, const char *op, const OpShape *s, OpWork *w)
{
  if (family == FAMILY_UNARY && resizes(op))
    resize(op, s, w);
  else if (family == FAMILY_UNARY)
    unary(s, w);
  else if (family == FAMILY_BINARY)
    binary(s, w);
  else if (family == FAMILY_REDUCTION)
    reduction(op, s, w);
  else
    triton(op, s, w);
}
