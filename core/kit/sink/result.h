/* What sinks of results have in common: headers of columns, texts, who a metric is of, names that differ. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SINK_RESULT_H
#define KIT_SINK_RESULT_H

#include <glib.h>
#include <stagemill/sink.h>

/* "name_unit"; what is counted, the name says.  g_free. */
char *result_header(const MillColumn *column);

/* The bytes of a text, symbol or JSON; NULL for other values. */
const char *result_text(const MillHost *common, const MillValue *v, size_t *out_len);
/* As UTF-8 without NULs, which end the reading of many readers: those, and what is no UTF-8, are U+FFFD.  The text
 * itself, or *out_mended, for g_free. */
const char *result_valid(const char *text, size_t *len, char **out_mended);

/* Why a metric has no value that a document can hold; NULL when it has one. */
const char *result_absence(const MillValue *v, const char *reason);
/* How many samples a metric rests on, also where those are not enough for a value; MILL_NONE: it has none at all. */
MillValue result_samples(const MillMetricResult *m);
/* "count" for the statistic n, else the metric's; "" for none. */
const char *result_unit(const MillMetricResult *m);
/* "lower", "higher" or "". */
const char *result_better(uint32_t better);
/* "int", "real", "text" or "bool". */
const char *result_type(const MillColumn *column);
/* Where a table has the columns of these names; false: it lacks one. */
bool result_columns(const MillTableResult *table, const char *const *names, uint32_t n, uint32_t *out);
/* "warning", ... */
const char *result_level(const MillNotice *n);
/* Rank, label and name of a lane; the name without its folders.  g_free the name; NULL for none. */
char *result_lane(const MillHost *common, uint32_t index, MillLane *out);

/* Names that differ also when case is ignored. */
typedef struct ResultNames {
  GTree *taken;       /* a set of texts, see base/trees.h */
  const char *suffix; /* of the second of a name, with %u for 2, 3, ... */
  size_t max_units;   /* UTF-16 units of a name; 0: any */
} ResultNames;
void result_names_init(ResultNames *n, const char *suffix, size_t max_units);
void result_names_clear(ResultNames *n);
/* The name, cut and with a suffix where it must be.  g_free. */
char *result_names_take(ResultNames *n, const char *name);

/* Where the text has to be cut so that it has at most so many UTF-16 units; len when it need not. */
size_t result_cut(const char *text, size_t len, size_t max_units);

#endif
