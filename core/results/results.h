/* Results as sinks see them: tables, metrics, notices, figures.  Of a run that has just ended, of one that is
 * read from its files (load.h), or of whatever else makes such tables. */
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
/* Memory that lives as long as they do: zeros, and a copy that ends in NUL. */
void *results_alloc(Results *r, size_t bytes);
const char *results_text(Results *r, const char *text, size_t len);
GStringChunk *results_texts(Results *r); /* where those copies are */

/* Takes the sheet; sorts it. */
void results_add_sheet(Results *r, Sheet *s);
/* The same of one whose rows are in their order. */
void results_add_sorted(Results *r, Sheet *s);
/* Takes name and group (as in MillMetricResult); the value belongs to the instance that reported it. */
void results_add_metric(Results *r, const MillMetric *metric, char *name, const MetricValue *value,
                        uint32_t lane, char *group);
/* Those of the sum that were counted; lane_name of the lane of the first example. */
void results_add_notices(Results *r, const Notices *sum, NoticeLaneName lane_name,
                         const void *context);
/* Texts and row live as long as the results. */
void results_add_notice(Results *r, const MillNoticeResult *notice);
/* Texts live as long as the results; they are put into their order by results_view. */
void results_add_finding(Results *r, const MillFindingResult *finding);
/* Takes the name; after the sheet of the table, by its name as written. */
void results_add_figure(Results *r, const MillFigure *figure, char *name, const char *table);
/* "program", "version", "profile", "title", ...: what `info` answers; the key lives on. */
void results_set_info(Results *r, const char *key, const char *text);
/* The same of what is made (g_free) when a sink asks for it first. */
void results_offer_info(Results *r, const char *key, char *(*make)(void *context), void *context);
/* Where there is no run: the lanes that sinks may ask for, in their order.  Takes it; made by g_new. */
void results_add_lane(Results *r, LaneInfo *lane);
const LaneInfo *results_lane(const Results *r, uint32_t index); /* NULL: there are not so many */
uint32_t results_n_lanes(const Results *r);
/* After the last addition. */
const MillResults *results_view(Results *r);

#endif
