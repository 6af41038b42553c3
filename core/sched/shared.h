/* Lanes of a run with --state: which of them this process reads, and what it leaves and takes of lanes at barriers and at
 * their end. Without --state nothing here does anything. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_SHARED_H
#define SCHED_SHARED_H

#include "sched/run.h"

/* Before lanes run: opens the folder, and says of each lane whether it is read here. */
Error *shared_begin(Run *run);
void shared_end(Run *run);

/* A lane that is not read here: up to the barrier where it waits, or its outcome. */
Error *shared_run_lane(Run *run, Lane *lane);
/* The lane is through here, or has failed (lane->error) and others go on: leaves its record. Any thread. */
Error *shared_let_go(Run *run, Lane *lane);
/* Lanes that begin where another one ended: an error if the run cannot have them. */
Error *shared_check_following(const Run *run, const GPtrArray *lanes);

/* ---- at a barrier of all lanes, for the stage that decides there */

/* Leaves what was observed in a lane that is read here. */
Error *shared_put_observed(Run *run, const Lane *lane, uint32_t stage, const Summary *observed);
/* When all of them are left: *out_complete is false if lanes of others are missing, and the run of this process ends
 * here. */
Error *shared_meet(Run *run, const GPtrArray *lanes, uint32_t stage, bool *out_complete);
Error *shared_get_observed(Run *run, Lane *lane, uint32_t stage, Summary *out);
/* What was decided for the group that begins with this lane; a process of which nobody asks for results takes it from
 * others, the last one decides by itself and compares. */
Error *shared_get_decision(Run *run, const Lane *first, uint32_t stage, bool *out_found, Summary *out);
Error *shared_put_decision(Run *run, const Lane *first, uint32_t stage, const Summary *decision);

/* ---- afterwards */

bool shared_is_shard(const Run *run);
/* How many lanes were taken from the folder, and how many were read. False: there is none. */
bool shared_counts(const Run *run, uint32_t *out_taken, uint32_t *out_read);
/* "shard 3 of 8: 512 lanes, 2,097,152 events, in S". */
Error *shared_say(Run *run, GString *out);

#endif
