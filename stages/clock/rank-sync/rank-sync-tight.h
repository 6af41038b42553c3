/* Clocks from the largest stamps of groups: the two methods of the AIU trace analyser. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_TIGHT_H
#define RANK_SYNC_TIGHT_H

#include "rank-sync-match.h"

/* Lines and places of all lanes that share a group with the reference, and how many of its groups
 * each lacks; hz: of the counters.  False when memory was refused. */
bool sync_run_tight(SyncRun *run, int64_t hz);
bool sync_run_v2(SyncRun *run, int64_t hz);

#endif
