/* Latency of transfers, told apart from offsets by loops of ranks. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_LATENCY_H
#define RANK_SYNC_LATENCY_H

#include "rank-sync-match.h"

#define SYNC_LATENCY_LANES_MAX 512u /* more would take a matrix of more than 2 MiB */

/* After sync_run_align, in a run that has transfers only: a latency common to all
 * transfers and a shift of each lane's offset, by least squares over the pairs of
 * lanes.  Where transfers do not close a loop, nothing is changed. */
bool sync_run_balance(SyncRun *run);

#endif
