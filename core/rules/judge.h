/* Runs the rules of a profile over the results of a run: what they find becomes part of these. */
/* SPDX-License-Identifier: MIT */
#ifndef RULES_JUDGE_H
#define RULES_JUDGE_H

#include "plan/modules.h"
#include "plan/profile.h"
#include "results/results.h"
#include "sql/sql.h"

typedef struct JudgeEnv {
  Modules *modules;
  SqlLane lane; /* of the results */
  const void *lanes;
  const char *folder; /* for rows beyond what memory may keep */
  uint64_t max_steps; /* of SQLite, for a rule; 0: as usual */
  /* A rule is at fault: what it says is not known.  The text lives until the call returns. */
  void (*fault)(void *context, const char *what);
  void *context;
} JudgeEnv;

/* Findings by the rules of the profile, then its verdict and its views.  An error says that there is no SQL at all. */
Error *rules_judge(Results *results, const Profile *profile, const JudgeEnv *env);
/* Whether the text of a rule is one that could run: its head was read. */
Error *rules_check(const struct Rule *rule, Modules *modules);

#endif
