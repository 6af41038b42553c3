/* The tags of a group, as the column _group has them: {"model": "a", "tp": "8"}. */
/* SPDX-License-Identifier: MIT */
#ifndef RULES_GROUP_H
#define RULES_GROUP_H

#include <stagemill/types.h>

typedef void (*GroupTag)(void *context, const char *tag, const char *value);

/* Each of them, in order; none where the value is no such object. */
void group_each(const MillValue *group, GroupTag use, void *context);

#endif
