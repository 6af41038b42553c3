/* What the comparison comes to, in words: whether EPLB made kernels slower or faster, then where. */
/* SPDX-License-Identifier: MIT */
#ifndef EPLB_INSIGHTS_H
#define EPLB_INSIGHTS_H

#include "kernel-side.h"

enum { EPLB_INSIGHT_COLUMNS = 7 };
extern const MillColumn eplb_insight_columns[EPLB_INSIGHT_COLUMNS];

/* Rows of the table with these columns; improved: how many of the values that changed are better. */
int eplb_insights(const MillStageHost *host, uint32_t table, const KernelSide sides[N_SIDES],
                  int64_t improved, int64_t changed);

/* The same of one table: how long each class of kernels took. */
int eplb_insights_alone(const MillStageHost *host, uint32_t table, const KernelSide *side);

#endif
