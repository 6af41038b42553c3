/* Inputs without events: they were read to their end, and there is nothing to report. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_NO_EVENTS_H
#define INPUT_NO_EVENTS_H

#include "input/inputs.h"
#include "plan/profile.h"

/* A batch that the lane's input gave. */
void no_events_see(LaneInfo *lane, const MillBatch *batch);
/* After the last lane, for a profile that needs events: an error if no input gave any, a notice
 * if others did. to_trace: the events are written as a trace. */
Error *no_events_check(Inputs *in, const Profile *profile, bool to_trace);
/* After all reports: an error if the profile is made for other inputs, and found nothing in any
 * of these. */
Error *no_events_check_results(const Inputs *in, const Profile *profile, const MillResults *results);

#endif
