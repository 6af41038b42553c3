/* Files of one rank as one input: events by time, each file in its own order, of equal times the file given first. */
#ifndef INPUT_JOIN_H
#define INPUT_JOIN_H

#include "input/state.h"
#include "model/batch.h"

/* Takes the array, not the inputs in it, which are two or more of one source and were described.  Their rows become
 * those of its lane, which has this index; the caller frees that lane. */
Input *join_new(const InputEnv *env, GPtrArray *files, uint32_t index);
void join_free(Input *in); /* and the lanes of its files */
/* Once the bases of its files are known: the lane's is the first of them. */
void join_use_bases(Input *in);

#endif
