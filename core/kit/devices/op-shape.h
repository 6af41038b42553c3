/* The operands of an operator as traces have them: dims, types and concrete inputs, each a JSON list by position. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_OP_SHAPE_H
#define KIT_OP_SHAPE_H

#include <stagemill/types.h>

#include "kit/text/fields.h"

enum { MAX_OPERANDS = 24, MAX_DIMS = 8 };

typedef enum NumberType {
  TYPE_UNKNOWN,
  TYPE_FP64,
  TYPE_FP32,
  TYPE_FP16,
  TYPE_BF16,
  TYPE_FP8,
  TYPE_FP4,
  TYPE_INT64,
  TYPE_INT32,
  TYPE_INT16,
  TYPE_INT8,
  TYPE_SCALAR /* counts as 4 bytes */
} NumberType;

typedef struct Operand {
  int64_t dims[MAX_DIMS];
  uint32_t n;   /* 0: none, as of a number */
  bool is_list; /* of tensors: no dims of its own */
  NumberType type;
} Operand;

typedef struct OpShape {
  Operand operands[MAX_OPERANDS];
  uint32_t n;
  Field concrete; /* the list as it is */
} OpShape;

/* False: the dims are not lists of whole numbers from 0 on, or have more dims than MAX_DIMS. */
bool op_shape_read(Field dims, Field types, Field concrete, OpShape *out);

/* The operand at a position; one without dims beyond the end. */
const Operand *op_operand(const OpShape *, uint32_t i);
/* Product of the dims, of all or from one on; 1 without dims. */
double op_size(const Operand *);
double op_size_from(const Operand *, uint32_t first);
/* Bytes of an element; 0: not known. */
double op_type_bytes(NumberType);
const char *op_type_name(NumberType); /* "bf16" */
NumberType op_type_of(const char *text, size_t len);

/* The element at a position of a list, without its quotes; empty beyond the end. */
Field op_item(Field list, uint32_t i);
/* A list of numbers, or one number, as up to `max`; how many there are, -1: it is none. */
int op_numbers(Field text, int64_t *out, int max);
/* The concrete input at a position. */
bool op_concrete_int(const OpShape *, uint32_t i, int64_t *out);
bool op_concrete_is(const OpShape *, uint32_t i, const char *word);

#endif
