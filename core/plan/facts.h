/* Sets of facts: named promises about the stream at a point. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_FACTS_H
#define PLAN_FACTS_H

#include <glib.h>
#include <stagemill/types.h>

typedef GPtrArray Facts; /* char *, sorted, no doubles */

Facts *facts_new(void);
Facts *facts_copy(const Facts *f);
void facts_add(Facts *f, const char *fact);
void facts_remove(Facts *f, const char *fact);
bool facts_has(const Facts *f, const char *fact);
void facts_add_list(Facts *f, const char *const *list);
void facts_remove_list(Facts *f, const char *const *list);
void facts_intersect(Facts *f, const Facts *other);
const char *facts_first_missing(const Facts *f, const char *const *needs); /* order.* left out */
bool fact_in_list(const char *const *list, const char *fact);

#endif
