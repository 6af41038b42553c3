/* By which tags lanes are put into groups. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANE_GROUPS_H
#define MODEL_LANE_GROUPS_H

#include <stdbool.h>

#include "model/lane-info.h"

/* Words of an option: a tag, "-TAG" (not this one), "none" (no tag), or "auto": each tag whose values tell configurations apart,
 * as what they are depends on all lanes. */
bool lane_groups_is_tag(const char *word);
bool lane_groups_need_lanes(const GPtrArray *words);
/* char *: the names of the tags.  lanes: LaneInfo *, or NULL where they are not needed. */
GPtrArray *lane_groups_by(const GPtrArray *words, const GPtrArray *lanes);

#endif
