/* Which launch of a capture each piece of a graph launch is.
 *
 * 1. By ids of graph and node, where captures and trace have both, and the names agree.
 * 2. By the sequence of names in order of start: the capture that is equal to it, else the one of which most pieces are found
 *    in longest common blocks (lib/blocks.h), of the whole or stream by stream, the largest first, each with what others left
 *    over. A stream all of which stands in the capture in order, with others between, is found as a whole.
 *
 * Captures that are equal take turns: the graphs of a trace, in the order of their ids, have the captures in the order of time;
 * without ids the launches have them. */
/* SPDX-License-Identifier: MIT */
#ifndef GRAPHS_MATCH_H
#define GRAPHS_MATCH_H

#include "captures.h"
#include "replays.h"

/* Those of the rank; of no other rank if there are any.  False: memory was refused. */
bool match_replays(const Captures *, int64_t rank, Replays *);

#endif
