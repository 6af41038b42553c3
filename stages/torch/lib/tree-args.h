/* The argument lists of operators, each distinct one once: dims, types, strides and concrete inputs as fields. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_TREE_ARGS_H
#define TORCH_LIB_TREE_ARGS_H

#include "kit/text/fields.h"
#include "kit/state/keyed.h"

enum { N_ARG_LISTS = 4 };

typedef struct TreeArgs {
  const MillHost *common;
  MillSym keys[N_ARG_LISTS];
  uint32_t most; /* distinct ones; of others only that there are none */
  Keyed *numbers;
  const KeyedEntry **texts; /* by number - 1 */
  size_t n, capacity;
  uint64_t n_left_out; /* operators beyond that */
  Buffer lists, text;
} TreeArgs;

/* Here and below false means that memory was refused. */
bool tree_args_open(TreeArgs *, const MillHost *, uint32_t most);
/* The number of an event's arguments, 0 without any. */
bool tree_args_read(TreeArgs *, const MillBatch *, const MillEvent *, uint32_t *out);
Field tree_args_text(const TreeArgs *, uint32_t number);
/* The number of a text that tree_args_text of others gave. */
bool tree_args_again(TreeArgs *, Field text, uint32_t *out);

/* For a stage's `reads`. */
#define TREE_ARGS_READS                                        \
  { "Input Dims", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },        \
      { "Input type", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },    \
      { "Input Strides", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }, \
  {                                                            \
    "Concrete Inputs", MILL_AS_ANY, MILL_KIND(MILL_SLICE)      \
  }

#endif
