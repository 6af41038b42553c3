/* The rules of a gate applied to runs. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_GATE_H
#define COMPARE_GATE_H

#include "base/num-scale.h"
#include "compare/meter.h"
#include "compare/rules.h"
#include "compare/side.h"

typedef enum GateVerdict { /* of all lines together: the last one */
                           GATE_NEUTRAL,
                           GATE_IMPROVED,
                           GATE_INCONCLUSIVE,
                           GATE_NOT_APPLICABLE,
                           GATE_REGRESSION,
                           GATE_N_VERDICTS
} GateVerdict;
const char *gate_verdict_name(GateVerdict verdict);

typedef struct GateLine { /* one rule on one metric of a lane or group, or on a finding */
  const GateRule *rule;
  const char *side; /* what is compared with the base */
  char *name;       /* "ttft.p99", "finding straggler" */
  char *group;      /* "rank 3, mode=a", or "" */
  const char *unit; /* or "" */
  Measure measure;
  GateVerdict verdict;
  char *reason; /* or NULL */
} GateLine;

/* For people: values and limits of a line in one unit, with the decimals that tell them apart. */
NumScale gate_scale(const GateLine *line);

typedef struct Gate {
  GArray *lines; /* GateLine, in the order of the rules */
  Results *keep;
  uint64_t counts[GATE_N_VERDICTS]; /* what is optional and does not apply does not count */
} Gate;

/* What a rule may be about, whether or not these runs have it; both end in NULL. */
typedef struct GateWords {
  const char *const *metrics;  /* that stages can report */
  const char *const *findings; /* names of rules */
} GateWords;

/* The first side is the base.  EXIT_PROFILE: a rule is about something else.  The sides live as long as the gate. */
Error *gate_new(const Rules *rules, const CompareSide *sides, guint n_sides,
                const GateWords *known, Gate **out);
void gate_free(Gate *gate);
GateVerdict gate_verdict(const Gate *gate);

#endif
