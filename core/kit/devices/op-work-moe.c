/* Experts: each token is multiplied by the weights of its top k; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-work.h"

#include <math.h>

typedef struct Experts {
  const Operand *x, *first, *second; /* tokens [T,H]; weights [E,2I,H] or [E,I,H], and [E,H,I] */
  double top_k;
} Experts;

/* Two lists of weights come one after the other, behind the tokens; the first list of a row for each token that follows says how
 * many experts it has. */
static bool find(const OpShape *s, Experts *e)
{
  uint32_t i = 1;
  *e = (Experts){ .x = op_operand(s, 0) };
  if (e->x->n != 2) return false;
  while (i < s->n && op_operand(s, i)->n != 3) i++;
  e->first = op_operand(s, i);
  e->second = op_operand(s, i + 1);
  if (e->first->n != 3 || e->second->n != 3 || e->first->dims[0] != e->second->dims[0])
    return false;
  for (i += 2; i < s->n && e->top_k == 0; i++)
    if (op_operand(s, i)->n == 2 && op_operand(s, i)->dims[0] == e->x->dims[0])
      e->top_k = (double)op_operand(s, i)->dims[1];
  return e->top_k > 0 && e->top_k <= (double)e->first->dims[0];
}

/* Two numbers of 4 bits in a byte: the last dim is half of what it stands for. */
static bool is_packed(const Experts *e)
{
  const NumberType type = e->first->type;
  return (type == TYPE_FP4 || type == TYPE_INT8) && e->first->dims[2] * 2 == e->x->dims[1];
}

/* Engines quantise tokens on the way to weights of fp8 and fp4; with other weights the numbers of the tokens count. */
static NumberType type_of(const Experts *e, bool packed)
{
  if (packed) return TYPE_FP4;
  return e->first->type == TYPE_FP8 ? TYPE_FP8 : e->x->type;
}

void op_work_moe(const OpShape *s, OpWork *w)
{
  Experts e;
  if (!find(s, &e)) return;
  const bool packed = is_packed(&e);
  if (!packed && e.first->dims[2] != e.x->dims[1]) return;
  const double experts = (double)e.first->dims[0], tokens = (double)e.x->dims[0];
  const double stored = op_size_from(e.first, 1) + op_size_from(e.second, 1); /* of an expert */
  const double weights = packed ? 2 * stored : stored;
  const double size = op_type_bytes(e.x->type),
               weight_size = packed ? 0.5 : op_type_bytes(e.first->type);
  w->type = type_of(&e, packed);
  w->known = size > 0 && weight_size > 0;
  w->flop = 2 * tokens * e.top_k * weights;
  w->bytes = 2 * op_size(e.x) * size + fmin(experts, tokens * e.top_k) * weights * weight_size;
  op_work_param(w, "T", tokens);
  op_work_param(w, "E", experts);
  op_work_param(w, "top_k", e.top_k);
  op_work_param(w, "weights", weights);
}
