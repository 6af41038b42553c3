/* What results call the inputs of a run. */
#ifndef MODEL_LANE_NAMES_H
#define MODEL_LANE_NAMES_H

#include "model/lane-info.h"

/* Gives each lane that has none its `input`: its name without the folders that the inputs of all of them share, so
 * that results do not depend on where a run was started, or where its inputs lie. */
void lane_names_set(LaneInfo *const *lanes, guint n);

#endif
