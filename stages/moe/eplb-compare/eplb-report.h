/* What the comparison reports: tables and metrics. */
/* SPDX-License-Identifier: MIT */
#ifndef EPLB_REPORT_H
#define EPLB_REPORT_H

#include "kernel-side.h"

enum { TABLE_INSIGHTS, TABLE_COMPARE, TABLE_CLASS, TABLE_TOP };
enum { METRIC_CHANGE, METRIC_IMPROVED, METRIC_COMPARED, METRIC_OBJECT, METRIC_ORIGINAL, N_METRICS };

extern const MillTable eplb_tables[4];
extern const MillMetric eplb_metrics[N_METRICS];
extern const MillFigure eplb_figures[2];

/* Sides have their sums. */
int eplb_report(const MillStageHost *host, const KernelSide sides[N_SIDES], uint32_t top);
/* Of the only table, whose side nobody says: what it holds, and no comparison. */
int eplb_report_alone(const MillStageHost *host, const KernelSide *side, uint32_t top);

#endif
