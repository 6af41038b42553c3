/* What came out of a run, as items of a case. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_CASE_CAME_H
#define HARNESS_CASE_CAME_H

#include "case-file.h"
#include "harness-internal.h"

/* Instead of an expectation: what would have held.  One that cannot be put that way is not there
 * after it: false. */
bool came_item(GString *out, const HarnessRun *r, const CaseItem *item);
/* Of a case that expects nothing, or whose run failed: all that there is to expect. */
void came_all(GString *out, const HarnessRun *r);

#endif
