/* Files of one rank as one input: events by time, each file in its own order; at equal times,
 * the file that was named first. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_JOIN_H
#define INPUT_JOIN_H

#include "input/state.h"
#include "model/batch.h"

/* Takes the array, not the inputs in it: two or more of one source, which were described. Their
 * tracks become those of its lane, which has this index; the caller frees that lane. */
Input *join_new(const InputEnv *env, GPtrArray *files, uint32_t index);
void join_free(Input *in); /* and the lanes of its files */
/* Once the bases of the files are known: the lane's base is the earliest of them. */
void join_use_bases(Input *in);

#endif
