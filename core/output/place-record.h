/* A record of moves that are about to be made, beside their files: if the run is killed in
 * between, a later run undoes them. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_PLACE_RECORD_H
#define OUTPUT_PLACE_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "model/error.h"

/* Of checked places, whose files are in the folder. Before place_all. */
Error *place_record(const GPtrArray *places, const char *folder);
bool place_is_recorded(const char *folder);
/* Removes what was placed, and brings the old files back. False: not all of it; or there is no
 * record of this user. */
bool place_restore(const char *folder);

#endif
