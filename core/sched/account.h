/* The account of a run: what became of the events that were read and made. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_ACCOUNT_H
#define SCHED_ACCOUNT_H

#include "output/run-json.h"
#include "sched/run.h"

/* A batch of the lane's input, in the last reading of it. */
void account_read(Lane *lane, const MillBatch *b);
/* A batch after the last stage of the lane. */
void account_end(Lane *lane, const MillBatch *b);
/* The sum over all lanes that have ended. */
RunEvents account_sum(const Run *run);

#endif
