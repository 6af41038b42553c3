/* Results as sinks see them: tables, metrics, notices, figures. They come from a run that has
 * just ended, from the files of a finished run (load.h), or from other code that makes such
 * tables. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_RESULTS_H
#define RESULTS_RESULTS_H

#include "model/descriptor.h"
#include "model/lane-info.h"
#include "model/notice.h"
#include "model/rows.h"
#include "results/sheet.h"

typedef struct Results Results;

Results *results_new(void);
void results_free(Results *r);
/* Memory that lives as long as the results: zeroed, and a copy of a text with a NUL. */
void *results_alloc(Results *r, size_t bytes);
const char *results_text(Results *r, const char *text, size_t len);
GStringChunk *results_texts(Results *r); /* where those copies are */

/* Takes the sheet, and sorts it. */
void results_add_sheet(Results *r, Sheet *s);
/* The same for a sheet whose rows are sorted already. */
void results_add_sorted(Results *r, Sheet *s);
/* Takes name and group (as in MillMetricResult); the value belongs to the instance that reported it. */
void results_add_metric(Results *r, const MillMetric *metric, char *name, const MetricValue *value,
                        uint32_t lane, char *group);
/* Adds the notices of the sum that were counted; lane_name: the lane of the first example. */
void results_add_notices(Results *r, const Notices *sum, NoticeLaneName lane_name,
                         const void *context);
/* In which lanes a notice was counted, in order; NULL where nobody counted so. */
const NoticeLane *results_notice_lanes(const Results *r, uint32_t notice, guint *out_n);
/* Texts and row live as long as the results. */
void results_add_notice(Results *r, const MillNoticeResult *notice);
/* Texts live as long as the results; they are put into their order by results_view. */
void results_add_finding(Results *r, const MillFindingResult *finding);
/* Takes the name. The sheet of the table must be there, under the name that is written. */
void results_add_figure(Results *r, const MillFigure *figure, char *name, const char *table);
/* What `info` answers for a key ("program", "version", "profile", "title", ...); the key must
 * live on. */
void results_set_info(Results *r, const char *key, const char *text);
/* The same, but the text is made (and freed by g_free) when a sink first asks for it. */
void results_offer_info(Results *r, const char *key, char *(*make)(void *context), void *context);
/* For results without a run: the lanes that sinks may ask for, in order. Takes the lane, which
 * g_new made. */
void results_add_lane(Results *r, LaneInfo *lane);
const LaneInfo *results_lane(const Results *r, uint32_t index); /* NULL: the index is too large */
uint32_t results_n_lanes(const Results *r);
/* After the last addition. */
const MillResults *results_view(Results *r);

#endif
