/* Rules: one SELECT over the tables of a run, each row of which is a finding.  The head of the file is a comment that says
 * what the rule is and which parameters it has:
 *   -- title: Devices wait for input
 *   -- help: Idle time of devices while the launching thread is in the data loader.
 *   -- param: last = 60 [0, 100] Percent of the calls of a group
 * A view also says how many of its rows a screen shows at most:
 *   -- screen: 5 */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_RULE_H
#define PLAN_RULE_H

#include <glib.h>

#include "model/error.h"

typedef struct RuleParam {
  char *name;
  double value, min, max; /* the value in force */
  char *text;             /* of the value, as it was written */
  char *origin;           /* "--set", or "default" */
  char *help;
} RuleParam;

typedef struct Rule {
  char *name;
  char *file;
  char *title, *help;
  GPtrArray *params; /* RuleParam */
  uint64_t screen_rows; /* UINT64_MAX: not said */
  char *text;        /* all of the file */
  size_t len;
} Rule;

/* The text of that file, which it takes.  A head that is wrong is an error with its line. */
Error *rule_read(const char *name, const char *file, char *text, size_t len, Rule **out);
/* The parameter gets the value. */
Error *rule_set(Rule *rule, const char *param, const char *text, const char *origin);
void rule_free(Rule *rule);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rule, rule_free)

#endif
