/* What a finding refers to: rows of the tables of its run. */
/* SPDX-License-Identifier: MIT */
#ifndef RULES_EVIDENCE_H
#define RULES_EVIDENCE_H

#include <stagemill/sink.h>

bool evidence_find_table(const MillResults *r, const char *name, MillTableResult *out);
/* NULL, or why the text is not a list of {"table": NAME, "keys": {COLUMN: VALUE}} with tables and columns of these results;
 * to be freed. */
char *evidence_fault(const MillResults *results, const char *json);

#endif
