/* How much an operator computes and moves, by its family and operands. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_OP_WORK_H
#define KIT_OP_WORK_H

#include "kit/devices/op-family.h"
#include "kit/devices/op-shape.h"

enum { WORK_PARAMS = 256 };

typedef struct OpProduct { /* of matrices: A[m,k] and B[k,n], in batches */
  double m, n, k, batch;
  uint32_t first; /* position of A among the operands; B comes next */
  bool bias;
} OpProduct;

typedef struct OpWork {
  bool known; /* else nothing below means anything */
  bool has_flop;
  bool is_bound; /* a lower bound: not all is in the trace */
  bool is_upper; /* an upper bound: only the longest lengths are */
  double flop, bytes;
  NumberType type;          /* of what is computed with */
  char params[WORK_PARAMS]; /* "M=2, N=3, K=4" */
  OpProduct product;        /* of FAMILY_GEMM alone */
} OpWork;

/* What is known of the requests that an operator serves, of an inference engine; 0: not known. */
typedef struct OpServed {
  double pairs; /* sum over requests of query x key lengths */
  double keys;  /* of key lengths */
  bool pairs_are_upper;
} OpServed;

/* served NULL: nothing is known. */
OpWork op_work(OpFamily, const char *op, const OpShape *, const OpServed *served);
/* Whether what an operator does depends on the requests that it serves. */
bool op_work_serves(OpFamily, const char *op, const OpShape *);

/* For the files of op_work alone: the families, each fills what is known. */
void op_work_gemm(OpFamily, const char *op, const OpShape *, OpWork *);
void op_work_conv(OpFamily, const char *op, const OpShape *, OpWork *);
void op_work_attention(OpFamily, const char *op, const OpShape *, const OpServed *, OpWork *);
void op_work_moe(const OpShape *, OpWork *);
void op_work_norm(OpFamily, const char *op, const OpShape *, OpWork *);
void op_work_pointwise(OpFamily, const char *op, const OpShape *, OpWork *);
/* Adds "name=value" to the params. */
void op_work_param(OpWork *, const char *name, double value);
void op_work_param_text(OpWork *, const char *name, const char *value);

#endif
