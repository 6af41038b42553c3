/* The rule by which TensorRT-LLM tells ONESHOT from TWOSHOT without a table: a number of elements. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_FIT_H
#define TUNE_LIB_ALLREDUCE_FIT_H

#include "tune/lib/allreduce.h"

typedef struct ArRule {
  MillSym oneshot, twoshot;
  int64_t elements; /* tokens times hidden size from which TWOSHOT is taken; INT64_MAX: never */
} ArRule;

/* The library's own numbers; false: it has none for so many GPUs, or nobody said which they are. */
bool ar_library_rule(const MillHost *common, int64_t sm, int64_t tp, ArRule *out);
MillSym ar_rule_strategy(const ArRule *rule, int64_t tokens, int64_t hidden);

/* Whether the rule is judged by this shape: both were measured there.  All costs of rules are over such shapes. */
bool ar_rule_counts(const ArRule *rule, const ArSpan *shape);

typedef struct ArFit {
  ArRule rule;
  uint64_t cells; /* shapes that count; 0: there is no rule */
  double geomean; /* of its times over the best of all strategies but AUTO */
} ArFit;
/* The rule that costs least over the shapes of a section; of equal ones the smallest number.  False: memory was
 * refused. */
bool ar_fit(const ArInputs *in, const ArSpan *section, ArFit *out);

#endif
