/* Texts of the stage normalise: counts, names of events and of jobs. */
/* SPDX-License-Identifier: MIT */
#ifndef NORMALISE_TEXT_H
#define NORMALISE_TEXT_H

#include <stagemill/types.h>

#include "kit/state/symmap.h"

/* A whole number, or a text with one: decimal, 0x, 0o or 0b. */
bool count_read(const MillBatch *, const MillAttr *, int64_t *out);
/* RDMA becomes Rdma, then Receive Recv, wherever they are in the name. */
MillSym name_spelled(SymMap *, const MillHost *, MillSym name);
/* "j0.json(0)": a file and its place among those of its rank. */
MillSym normalised_job(const MillHost *, const char *file);

#endif
