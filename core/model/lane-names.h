/* What results call the inputs of a run, and by what they may tell them apart. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANE_NAMES_H
#define MODEL_LANE_NAMES_H

#include "model/lane-info.h"

/* Gives each lane that has none its `input`: its name without the folders that the inputs of all of them share, so
 * that results do not depend on where a run was started, or where its inputs lie. */
void lane_names_set(LaneInfo *const *lanes, guint n);
/* The names of all tags that lanes (LaneInfo *) have; they own the texts, the caller the list. */
char **lane_names_tags(const GPtrArray *lanes);
/* The same, and what each lane has without them that groups can be made of. */
char **lane_names_groups(const GPtrArray *lanes);

#endif
