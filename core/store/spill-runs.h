/* Runs of held events in the temporary file: each in an order of its own, read one after the other or merged. */
/* SPDX-License-Identifier: MIT */
#ifndef STORE_SPILL_RUNS_H
#define STORE_SPILL_RUNS_H

#include "store/spill.h"

#define SPILL_FAN_IN 32u /* runs merged at once: more are first merged into fewer */

/* One event of a pack. */
typedef struct Held {
  const Pack *pack; /* NULL: there is none */
  uint32_t index;
} Held;

typedef struct SpillRuns SpillRuns;

SpillRuns *spill_runs_new(Spill *spill, bool with_raw);
void spill_runs_free(SpillRuns *r);
/* A run is begun, filled in its order with packs as they are or with copies of events, and ended. */
void spill_runs_begin(SpillRuns *r);
Error *spill_runs_add_pack(SpillRuns *r, const Pack *p);
Error *spill_runs_add(SpillRuns *r, Held h);
Error *spill_runs_end(SpillRuns *r);
uint32_t spill_runs_count(const SpillRuns *r);
/* Merges runs until at most SPILL_FAN_IN are left; each must be sorted. */
Error *spill_runs_reduce(SpillRuns *r);
/* The event at hand: of all runs merged, or of one after the other.  Without keep its place on disk is given
 * back. */
Error *spill_runs_peek(SpillRuns *r, bool merged, bool keep, Held *out);
Error *spill_runs_pass(SpillRuns *r, bool merged, bool keep); /* it goes by */
void spill_runs_rewind(SpillRuns *r);
uint64_t spill_runs_bytes(const SpillRuns *r); /* written */

#endif
