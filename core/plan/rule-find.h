/* Where rules are found: in folders of profiles, or in `rules` beside such a folder. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_RULE_FIND_H
#define PLAN_RULE_FIND_H

#include "plan/profile.h"
#include "plan/rule.h"

/* name: of a rule that is found as profiles are, or a path with a slash.  A head that is wrong is an error with its line. */
Error *rule_load(const char *name, const ProfileSearch *search, Rule **out);
bool rule_is_file(const char *name); /* its name ends as that of a file of a rule */

typedef struct RuleFound {
  char *name, *path, *title;
  const char *origin;
  bool shadowed;
} RuleFound;
/* Every rule found (RuleFound), sorted by name: of one name, that which is used comes first. */
GPtrArray *rule_list(const ProfileSearch *search);

#endif
