/* What no call of a module may change of the process, for --verify: standard output and files, locale, working
 * directory, environment, signals, arithmetic. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_VERIFY_WORLD_H
#define HOST_VERIFY_WORLD_H

#include "host/state.h"

void world_before(Instance *i);
void world_after(Instance *i); /* the instance has failed when something is not as it was */

#endif
