/* Inputs that gave no event: read to their end, and nothing to report of. */
#ifndef INPUT_NO_EVENTS_H
#define INPUT_NO_EVENTS_H

#include "input/inputs.h"
#include "plan/profile.h"

/* A batch that the lane's input gave. */
void no_events_see(LaneInfo *lane, const MillBatch *batch);
/* After the last lane, of a profile that needs events: an error where no input gave any, a notice where others did.
 * to_trace: what they gave is written as a trace. */
Error *no_events_check(Inputs *in, const Profile *profile, bool to_trace);
/* When all is reported: an error where the profile is made for other inputs, and found nothing in any of these. */
Error *no_events_check_results(const Inputs *in, const Profile *profile, const MillResults *results);

#endif
