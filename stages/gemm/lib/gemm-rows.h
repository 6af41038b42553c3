/* Calls of GEMM that are alike: one operator, sizes, strides, types, and transposition as its kernels' names have it. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_LIB_GEMM_ROWS_H
#define GEMM_LIB_GEMM_ROWS_H

#include "gemm/lib/gemm-calls.h"
#include "kit/state/keyed.h"
#include "kit/devices/op-rates.h"

/* The cells of a row's key, in the order of tables. */
enum {
  GEMM_OP,
  GEMM_M,
  GEMM_N,
  GEMM_K,
  GEMM_BATCH,
  GEMM_BIAS,
  GEMM_STRIDE_A,
  GEMM_STRIDE_B,
  GEMM_DTYPE,
  GEMM_TRANSPOSE,
  GEMM_KEYS
};
enum { TRANSPOSE_BYTES = 3 };

typedef struct GemmRow {
  OpRates rates;
  OpFamily family;
  char spec[SPEC_BYTES];
  const char *key; /* GEMM_KEYS fields; as long as the rows */
  size_t key_len;
  MillSym tree_row; /* of the first call */
  MillSym kernel;   /* that with the largest total; 0: none */
  size_t first, n;  /* calls, see gemm_rows_call */
} GemmRow;

typedef struct GemmRows { /* { .common = common, .of = calls } is empty */
  const MillHost *common;
  GemmCalls *of;
  Hists *hists;
  GemmRow *rows;
  GemmRow **sorted; /* by total, largest first, then by the start of the first call */
  size_t n, capacity;
  Keyed *by_tree, *by_key; /* number of the row, plus 1 */
  SymClass transposes;     /* of kernels' names */
  SymMap kernels;          /* their numbers */
  int64_t *totals;         /* by number */
  size_t n_totals;
  Buffer text;
} GemmRows;

/* Of calls that were closed; orders them by row, and in a row by start.  False: memory was refused. */
bool gemm_rows_make(GemmRows *);
static inline const GemmCall *gemm_rows_call(const GemmRows *r, const GemmRow *row, size_t i)
{
  return &r->of->calls[row->first + i];
}
/* Up to `most` rows (0: all) with a kernel, those with the largest difference between their longest and shortest call; of equal
 * ones that with the larger total first.  In scratch memory; NULL: refused. */
const GemmRow **gemm_rows_pick(const GemmRows *, int64_t most, size_t *out_n);
int64_t gemm_row_spread(const GemmRow *);
/* A key as part of a row, see GEMM_KEY_COLUMNS; texts are the key's. */
typedef struct GemmKey {
  MillText op;
  int64_t m, n, k, batch;
  int8_t bias;
  MillText stride_a, stride_b, dtype, transpose;
} GemmKey;
GemmKey gemm_key(const char *key, size_t len);

/* "TN": what a kernel's name says of A and B, T for transposed; "": nothing. */
void gemm_transpose(const char *kernel, size_t len, char out[TRANSPOSE_BYTES]);

#define GEMM_KEY_COLUMNS(S, f)                                        \
  MILL_KEY_BRIEF(S, f.op, "op", NULL, "Name of the operator"),        \
      MILL_KEY_BRIEF(S, f.m, "m", "count", "Rows of the product"),    \
      MILL_KEY_BRIEF(S, f.n, "n", "count", "Columns of the product"), \
      MILL_KEY_BRIEF(S, f.k, "k", "count", "Inner size"),             \
      MILL_KEY(S, f.batch, "batch", "count", "Products in one call"), \
      MILL_KEY(S, f.bias, "bias", NULL, "A bias is added"),           \
      MILL_KEY(S, f.stride_a, "stride_a", NULL, "Strides of A"),      \
      MILL_KEY(S, f.stride_b, "stride_b", NULL, "Strides of B"),      \
      MILL_KEY(S, f.dtype, "dtype", NULL, "Types of A and B"),        \
      MILL_KEY(S, f.transpose, "transpose", NULL,                     \
               "Of A and B, as names of kernels say: T or N each; empty: they do not")

#endif
