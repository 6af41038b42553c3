/* The rules of a gate: which metrics may change how far, and which findings may be how large, as a file says it. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_RULES_H
#define COMPARE_RULES_H

#include <glib.h>
#include <stagemill/types.h>

#include "model/error.h"

typedef struct RuleLimit {
  char *text;  /* "2ms", "1.3"; NULL: not given */
  char *place; /* for messages */
} RuleLimit;

typedef struct RuleTag {
  char *name, *value;
} RuleTag;

typedef struct GateRule {
  char *metric;  /* "ttft.p99"; NULL: it is about a finding */
  char *finding; /* the name of its rule; its `max` is a share in percent, and the rest is not used */
  char *place;
  uint32_t worse;    /* MILL_LOWER or MILL_HIGHER; MILL_NEITHER: as the metric says */
  double max_change; /* a part; negative: not given */
  RuleLimit ignore_below, max, min;
  uint32_t min_runs;
  double confidence;
  bool optional;
  GArray *where; /* RuleTag */
} GateRule;

typedef struct Rules {
  GPtrArray *list; /* GateRule * */
} Rules;

/* EXIT_PROFILE: all that is wrong with the file, each with its place.  The rules are there then as well, as
 * far as they name a metric or a finding, to look for what is wrong with those; NULL where the file cannot be read. */
Error *rules_load(const char *path, Rules **out);
Error *rules_unreadable(const char *path, const GError *why);
Error *rules_parse(const char *path, const char *text, size_t len, Rules **out);
void rules_free(Rules *rules);
/* The text is one of gate rules, rather than a profile. */
bool rules_are(const char *text, size_t len);
/* Of a metric that is not among the words (NULL-terminated). */
Error *rules_unknown_metric(const GateRule *rule, const char *const *words);
Error *rules_unknown_finding(const GateRule *rule, const char *const *words); /* the same of a finding */
/* A limit in the unit of the metric: "2ms", "4KiB", "3%", or a number that has it already. */
bool rules_limit(const char *text, const char *unit, double *out);
Error *rules_wrong_unit(const RuleLimit *limit, const char *unit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rules, rules_free)

#endif
