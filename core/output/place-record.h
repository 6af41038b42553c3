/* What is about to be moved, written down beside it: when the run is killed in the middle, a later one takes it back. */
#ifndef OUTPUT_PLACE_RECORD_H
#define OUTPUT_PLACE_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "model/error.h"

/* Of checked places, whose files are in the folder.  Before place_all. */
Error *place_record(const GPtrArray *places, const char *folder);
bool place_is_recorded(const char *folder);
/* What was placed goes, and what was there comes back.  False: not all; or there is no record of this user. */
bool place_restore(const char *folder);

#endif
