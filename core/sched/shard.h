/* Shards: which of the inputs each of several processes reads, and which process this is. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_SHARD_H
#define SCHED_SHARD_H

#include "input/inputs.h"

#define MOST_SHARDS 65536u

typedef struct Shard {
  uint32_t index, n; /* n 0: there are none, one process reads everything */
} Shard;

/* "3/8"; "auto" and "auto/8" ask the environment, through `env`. An error says what was looked at. */
Error *shard_parse(const char *text, const char *(*env)(const char *name), Shard *out);
/* For each lane, the shard that reads its input: in their order, balanced by size on disk. For the caller to free. */
uint32_t *shard_of_lanes(const Inputs *in, uint32_t n_shards);
/* Before inputs (InputSpec *) are opened: each can be opened by each process, as often as needed. */
Error *shard_check_specs(const GPtrArray *specs);

#endif
