/* Tables that a profile makes of others, for people: a SELECT each.  And one sentence that says how the run went. */
/* SPDX-License-Identifier: MIT */
#ifndef RULES_VIEW_H
#define RULES_VIEW_H

#include "plan/rule.h"
#include "results/results.h"
#include "sql/sql.h"

/* The rows become a table that is called as the rule.  A column NAME_ns, NAME_percent, NAME_bytes or NAME_count is NAME with this
 * unit; the first one is the key.  The tags of a column "group", which has values of _group, are columns before all others, and
 * the rows are in their order; where there are none, there is no table. */
Error *view_add(Results *results, const Rule *rule, SqlQuery *q);
/* The first row: its text is what `info` answers to "verdict", a second one to "no-findings", what a run without findings says. */
Error *view_add_verdict(Results *results, SqlQuery *q);

#endif
